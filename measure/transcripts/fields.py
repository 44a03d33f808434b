"""The wanted fields of a record, by JSON pointer: the decoder builds these and nothing else.

`toolUseResult` repeats what `message` holds (a third of all bytes), so only the fields that tell an agent's result
are asked for. A record whose kind needs more is decoded again, alone and whole (`decode.whole`).
"""

from __future__ import annotations

# These have the same place in every choice of fields (`plain` has others behind them).
SHARED: tuple[str, ...] = (
    "/type",
    "/uuid",
    "/timestamp",
    "/sessionId",
    "/agentId",
    "/isSidechain",
    "/cwd",
    "/requestId",
    "/requestRef",
    "/apiBlockIndex",
    "/attributionAgent",
    "/attachment/type",
    "/toolUseResult/agentId",
    "/toolUseResult/agent_id",
    "/toolUseResult/runId",
    "/id",
    "/message/role",
)
POINTERS: tuple[str, ...] = (
    *SHARED,
    "/parentUuid",
    "/version",
    "/promptCacheRequested",
    "/isApiErrorMessage",
    "/subtype",
    "/toolDenialKind",
    "/isMeta",
    "/isCompactSummary",
    "/querySource",
    "/data/type",
    "/message",
)
(
    TYPE,
    UUID,
    TS,
    SESSION,
    AGENT,
    SIDECHAIN,
    CWD,
    REQUEST_ID,
    REQUEST_REF,
    BLOCK,
    ATTRIBUTION,
    ATTACHMENT,
    RESULT_AGENT,
    RESULT_AGENT_OLD,
    RESULT_RUN,
    ID,
    ROLE,
    PARENT,
    VERSION,
    TTL,
    API_ERROR,
    SUBTYPE,
    DENIAL,
    IS_META,
    IS_SUMMARY,
    QUERY_SOURCE,
    DATA_TYPE,
    MESSAGE,
) = range(len(POINTERS))

# Types that only a transcript holds: one of them proves that a file is one.
TRANSCRIPT_ONLY: frozenset[str] = frozenset(
    {
        "ai-title",
        "agent-color",
        "agent-name",
        "agent-setting",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "attribution-snapshot",
        "cost-state",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "summary",
        "tag",
        "task-summary",
        "tools-used",
        "worktree-state",
    }
)
# Types that the client is known to write; a record of them that feeds no frame is bookkeeping.
KNOWN: frozenset[str] = TRANSCRIPT_ONLY | {
    "assistant",
    "attachment",
    "fork-context-ref",
    "progress",
    "system",
    "user",
}
