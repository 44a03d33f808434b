"""Every column of every frame, declared once: name, dtype, unit, meaning, source.

Nothing heavy is imported here, so reports that need no Polars can still name their columns.
`docs/frames.md` is generated from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

DType = Literal["String", "Int64", "Float64", "Boolean", "Datetime"]
Unit = Literal["", "tokens", "est. tokens", "UTF-16 units", "calls", "rows", "seconds", "ms", "UTC", "bytes", "lines"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `source` is the record's field path, or the words "computed: ..." where it takes thought."""

    name: str
    dtype: DType
    unit: Unit
    doc: str
    source: str


SESSION_ID = Column("session_id", "String", "", "Session that owns the row.", "sessionId, or the file's name")
AGENT_ID = Column("agent_id", "String", "", "Agent that owns the row; null for the main thread.", "agentId")
AGENT_TYPE = Column(
    "agent_type",
    "String",
    "",
    "Agent type; null where unknown and for the main thread.",
    "meta.json agentType, else the launching call's subagent_type",
)
PROJECT = Column("project", "String", "", "Repository root of the working folder (worktrees folded in).", "cwd")
VERSION = Column("version", "String", "", "Client version as written.", "version")
FILE = Column("file", "String", "", "Source file.", "computed: path of the file read")
TS = Column("ts", "Datetime", "UTC", "Time of the record.", "timestamp")
MODEL = Column("model", "String", "", "Model as written in the response.", "message.model")
SEGMENT = Column(
    "segment",
    "Int64",
    "",
    "0-based part of the thread between compactions.",
    "computed: compact_boundary records before it",
)

REQUESTS = (
    SESSION_ID,
    AGENT_ID,
    AGENT_TYPE,
    Column("message_id", "String", "", "Id of the response; null where a gateway wrote none.", "message.id"),
    Column("request_id", "String", "", "Id of the API request.", "requestId"),
    Column("step", "Int64", "", "0-based position of the request in its thread.", "computed: order in the thread"),
    TS,
    MODEL,
    Column(
        "input_tokens",
        "Int64",
        "tokens",
        "Prompt tokens neither read from nor written to the cache.",
        "message.usage.input_tokens",
    ),
    Column(
        "cache_read_tokens",
        "Int64",
        "tokens",
        "Prompt tokens read from the cache.",
        "message.usage.cache_read_input_tokens",
    ),
    Column(
        "cache_write_tokens",
        "Int64",
        "tokens",
        "Prompt tokens written to the cache, all kinds.",
        "message.usage.cache_creation_input_tokens",
    ),
    Column(
        "cache_write_5m_tokens",
        "Int64",
        "tokens",
        "Writes with a 5-minute life.",
        "message.usage.cache_creation.ephemeral_5m_input_tokens",
    ),
    Column(
        "cache_write_1h_tokens",
        "Int64",
        "tokens",
        "Writes with a 1-hour life.",
        "message.usage.cache_creation.ephemeral_1h_input_tokens",
    ),
    Column(
        "cache_write_unknown_tokens",
        "Int64",
        "tokens",
        "Writes whose life is not recorded.",
        "computed: aggregate - 5m - 1h",
    ),
    Column(
        "cache_write_scaled",
        "Boolean",
        "",
        "True where the recorded parts exceeded the aggregate and were scaled to it.",
        "computed: 5m + 1h > aggregate",
    ),
    Column(
        "output_tokens", "Int64", "tokens", "Output tokens of the record that counts.", "message.usage.output_tokens"
    ),
    Column(
        "thinking_tokens",
        "Int64",
        "tokens",
        "Thinking tokens inside the output; null where not recorded.",
        "message.usage.output_tokens_details.thinking_tokens",
    ),
    Column(
        "output_is_lower_bound",
        "Boolean",
        "",
        "True where the final output figure was never written.",
        "computed: the text it holds is longer than its output can be",
    ),
    Column(
        "context_tokens",
        "Int64",
        "tokens",
        "Prompt of the request: input + cache read + cache write, of the last message iteration.",
        "computed: message.usage, message.usage.iterations",
    ),
    SEGMENT,
    Column("stop_reason", "String", "", "Why the answer ended; null in old clients.", "message.stop_reason"),
    Column("service_tier", "String", "", "Service tier of the request.", "message.usage.service_tier"),
    Column("speed", "String", "", "Speed class (fast, standard) where recorded.", "message.usage.speed"),
    Column("inference_geo", "String", "", "Inference region where recorded.", "message.usage.inference_geo"),
    Column(
        "web_searches",
        "Int64",
        "calls",
        "Web searches made on the server.",
        "message.usage.server_tool_use.web_search_requests",
    ),
    Column("ttl_requested", "String", "", "Cache life the client asked for: 5m or 1h.", "promptCacheRequested"),
    Column(
        "is_replay",
        "Boolean",
        "",
        "True where copies of this response stood under another request id.",
        "computed: same message.id, equal prompt counters, other requestId",
    ),
    Column(
        "from_progress",
        "Boolean",
        "",
        "True where the response stands only inside a progress record.",
        "computed: type progress",
    ),
    PROJECT,
    VERSION,
    FILE,
)

AGENTS = (
    SESSION_ID,
    AGENT_ID,
    AGENT_TYPE,
    MODEL,
    Column(
        "parent_agent_id",
        "String",
        "",
        "Agent that launched this one; null where the main thread did.",
        "meta.json parentAgentId, else the launching call's thread",
    ),
    Column(
        "depth",
        "Int64",
        "",
        "0 main, 1 launched by main, 2 nested once.",
        "meta.json spawnDepth, else computed from parents",
    ),
    Column(
        "launched_by",
        "String",
        "",
        "Id of the tool call that launched it.",
        "meta.json toolUseId, else the tool_result's agentId",
    ),
    Column(
        "mode",
        "String",
        "",
        "main, foreground, background, fork, workflow or inline; null unknown.",
        "meta.json requestShape, isFork, inWorkflowRun; toolUseResult.isAsync",
    ),
    Column(
        "status",
        "String",
        "",
        "completed, failed, stopped, limit, running or unknown; null for main threads.",
        "toolUseResult.status, task-notification status, meta.json finished",
    ),
    Column(
        "requests",
        "Int64",
        "calls",
        "Requests of the thread; like all its sums null where the run's own file is missing.",
        "computed: rows in requests",
    ),
    Column("first_context_tokens", "Int64", "tokens", "Context of the first request.", "computed: requests"),
    Column("peak_context_tokens", "Int64", "tokens", "Largest context.", "computed: requests"),
    Column("final_context_tokens", "Int64", "tokens", "Context of the last request.", "computed: requests"),
    Column("input_tokens", "Int64", "tokens", "Sum of uncached input.", "computed: requests"),
    Column("cache_read_tokens", "Int64", "tokens", "Sum of cache reads.", "computed: requests"),
    Column("cache_write_tokens", "Int64", "tokens", "Sum of cache writes.", "computed: requests"),
    Column(
        "total_input_tokens",
        "Int64",
        "tokens",
        "Sum of all prompt tokens: input + cache read + cache write.",
        "computed: requests",
    ),
    Column("output_tokens", "Int64", "tokens", "Sum of output.", "computed: requests"),
    Column(
        "inherited_tokens",
        "Int64",
        "tokens",
        "Context a fork took over from its parent; null where it is no fork.",
        "fork-context-ref, copied rows",
    ),
    Column("compactions", "Int64", "calls", "Compactions of the thread.", "computed: compactions"),
    Column(
        "returns",
        "Int64",
        "calls",
        "Returns delivered; null where none was seen of a launched run.",
        "computed: returns",
    ),
    Column("started", "Datetime", "UTC", "First record of the thread.", "timestamp"),
    Column("ended", "Datetime", "UTC", "Last record of the thread.", "timestamp"),
    PROJECT,
    VERSION,
    FILE,
)

RETURNS = (
    SESSION_ID,
    AGENT_ID,
    AGENT_TYPE,
    Column(
        "caller_agent_id",
        "String",
        "",
        "Thread that received it; null for the main thread.",
        "computed: file of the delivery",
    ),
    Column(
        "route",
        "String",
        "",
        "tool_result, notification, handback, inline, or workflow (to its script).",
        "computed: shape of the delivery",
    ),
    TS,
    Column("delivery", "Int64", "", "0-based number of the delivery for this agent.", "computed: order"),
    Column(
        "chars",
        "Int64",
        "UTF-16 units",
        "Size of the report as the agent wrote it (as far as delivered).",
        "toolUseResult.content, <result>, SubagentHandback input.message",
    ),
    Column("est_tokens", "Int64", "est. tokens", "ceil(chars / 4).", "computed: chars"),
    Column(
        "caller_chars",
        "Int64",
        "UTF-16 units",
        "What the caller's context really received, wrapper and cuts included; null where none did.",
        "message.content, attachment prompt",
    ),
    Column(
        "tried",
        "Int64",
        "calls",
        "Blocked attempts before this delivery; null where the agent's own file is missing.",
        "Stop hook feedback turns, denied SubagentHandback calls",
    ),
    Column(
        "first_chars",
        "Int64",
        "UTF-16 units",
        "Size before any block or cut.",
        "the agent's first final text, or SubagentHandback message",
    ),
    Column(
        "first_est_tokens",
        "Int64",
        "est. tokens",
        "ceil(first_chars / 4): what fits and replays use.",
        "computed: first_chars",
    ),
    Column("status", "String", "", "Status the delivery carried.", "toolUseResult.status, <status>"),
    Column("tool_use_id", "String", "", "Launching call, where known.", "tool_use_id"),
    Column("caller_segment", "Int64", "", "Segment of the caller's thread that received it.", "computed: position"),
    Column(
        "caller_step",
        "Int64",
        "",
        "Step of the caller's first request that carries it; null where none followed.",
        "computed: position",
    ),
    PROJECT,
)

TOOL_CALLS = (
    SESSION_ID,
    AGENT_ID,
    AGENT_TYPE,
    Column("tool_use_id", "String", "", "Id of the call.", "message.content[].id"),
    Column("message_id", "String", "", "Response that made the call.", "message.id"),
    Column("tool", "String", "", "Tool name as written.", "message.content[].name"),
    TS,
    SEGMENT,
    Column(
        "result_step",
        "Int64",
        "",
        "Step of the first request that carries the result; null where none followed.",
        "computed: position",
    ),
    Column(
        "result_chars",
        "Int64",
        "UTF-16 units",
        "Size of the result as the model read it; null where no result was seen.",
        "tool_result content",
    ),
    Column("result_est_tokens", "Int64", "est. tokens", "ceil(result_chars / 4).", "computed: result_chars"),
    Column("images", "Int64", "rows", "Images and documents in the result.", "tool_result content"),
    Column("is_error", "Boolean", "", "The result was an error.", "tool_result is_error"),
    Column(
        "persisted",
        "Boolean",
        "",
        "The client replaced the result by a preview and saved the rest.",
        "<persisted-output>",
    ),
    Column(
        "denied",
        "Boolean",
        "",
        "A hook or a permission rule refused the call.",
        "toolDenialKind, PreToolUse hook error",
    ),
    PROJECT,
)

READS = (
    SESSION_ID,
    AGENT_ID,
    AGENT_TYPE,
    Column("tool_use_id", "String", "", "Call that made the read.", "message.content[].id"),
    TS,
    SEGMENT,
    Column(
        "result_step",
        "Int64",
        "",
        "Step of the first request that carries the content; null where none followed.",
        "computed: position",
    ),
    Column(
        "path",
        "String",
        "",
        "File read, as an absolute path where it can be known.",
        "input.file_path, or the command's operand against cwd",
    ),
    Column(
        "first_line",
        "Int64",
        "lines",
        "First line asked for, from 1; null where counted from the end.",
        "input.offset, or the command",
    ),
    Column(
        "last_line",
        "Int64",
        "lines",
        "Last line asked for; null for the end of the file.",
        "input.offset + limit - 1, or the command",
    ),
    Column("whole", "Boolean", "", "The whole file was asked for.", "computed: no range"),
    Column("via", "String", "", "Read or Bash.", "message.content[].name"),
    Column(
        "chars",
        "Int64",
        "UTF-16 units",
        "Size of the result as the model read it; null where one call printed several files and the border is unknown.",
        "tool_result content",
    ),
    Column(
        "repeat",
        "String",
        "",
        "none, same, contained or overlap, against what the same segment already holds unchanged.",
        "computed: earlier reads, edits between",
    ),
    Column(
        "avoidable_chars",
        "Int64",
        "UTF-16 units",
        "Part of chars that the segment already held, equal line by line; 0 for none.",
        "computed: marks of lines in common",
    ),
    PROJECT,
)

COMPACTIONS = (
    SESSION_ID,
    AGENT_ID,
    AGENT_TYPE,
    TS,
    Column("trigger", "String", "", "auto, manual or as written.", "compactMetadata.trigger"),
    Column("pre_tokens", "Int64", "tokens", "Context before, as the client says.", "compactMetadata.preTokens"),
    Column("post_tokens", "Int64", "tokens", "Context after, as the client says.", "compactMetadata.postTokens"),
    Column("duration_ms", "Int64", "ms", "How long it took.", "compactMetadata.durationMs"),
    Column("segment", "Int64", "", "Segment that it ended.", "computed: order"),
    Column("requests_since_last", "Int64", "calls", "Requests of the segment that it ended.", "computed: requests"),
    PROJECT,
    VERSION,
)

EVENTS = (
    SESSION_ID,
    AGENT_ID,
    TS,
    Column(
        "kind",
        "String",
        "",
        "api_error, interrupt, hook, denial, synthetic or compact_unseen.",
        "computed: record shape",
    ),
    Column("name", "String", "", "Hook event and matcher, error code, or tool.", "hookEvent, error.status, tool name"),
    Column("command", "String", "", "File name of the hook's script, never its arguments.", "hookInfos[].command"),
    Column("outcome", "String", "", "success, blocking, error, cancelled or as written.", "attachment.type"),
    Column("duration_ms", "Int64", "ms", "How long it took; null where not recorded.", "durationMs"),
    PROJECT,
)

SESSIONS = (
    SESSION_ID,
    PROJECT,
    VERSION,
    Column("started", "Datetime", "UTC", "First record.", "timestamp"),
    Column("ended", "Datetime", "UTC", "Last record.", "timestamp"),
    Column("requests", "Int64", "calls", "Requests of all threads.", "computed: requests"),
    Column("agents", "Int64", "rows", "Agents launched.", "computed: agents"),
    Column("input_tokens", "Int64", "tokens", "Sum of uncached input.", "computed: requests"),
    Column("cache_read_tokens", "Int64", "tokens", "Sum of cache reads.", "computed: requests"),
    Column("cache_write_tokens", "Int64", "tokens", "Sum of cache writes.", "computed: requests"),
    Column("output_tokens", "Int64", "tokens", "Sum of output.", "computed: requests"),
    Column("compactions", "Int64", "calls", "Compactions of all threads.", "computed: compactions"),
    Column(
        "forked_from",
        "String",
        "",
        "Session whose rows this one copied; null where it is no copy.",
        "computed: shared uuids",
    ),
    Column(
        "untracked_input_tokens",
        "Int64",
        "tokens",
        "Input the client's own totals hold beyond the requests (compactions, side requests); null without cost-state.",
        "cost-state",
    ),
    Column("untracked_cache_read_tokens", "Int64", "tokens", "Likewise, cache reads.", "cost-state"),
    Column("untracked_cache_write_tokens", "Int64", "tokens", "Likewise, cache writes.", "cost-state"),
    Column("untracked_output_tokens", "Int64", "tokens", "Likewise, output.", "cost-state"),
)

FILES = (
    FILE,
    Column(
        "kind",
        "String",
        "",
        "main, agent, workflow agent, old agent, or null where skipped.",
        "computed: path and content",
    ),
    SESSION_ID,
    AGENT_ID,
    Column("bytes", "Int64", "bytes", "Size read.", "computed: stat"),
    Column("records", "Int64", "rows", "Lines that are not blank.", "computed: split at 0x0A"),
    Column("used", "Int64", "rows", "Records that feed a frame.", "computed"),
    Column("bookkeeping", "Int64", "rows", "Records of known types that feed none.", "computed"),
    Column("unknown", "Int64", "rows", "Records of types not known here.", "computed"),
    Column("damaged", "Int64", "rows", "Lines that are no JSON object.", "computed"),
    Column("first_damaged_line", "Int64", "lines", "Line number of the first damaged record.", "computed"),
    Column(
        "surrogates",
        "Int64",
        "rows",
        "Records in which lone surrogates of a kept text (ids, paths, names) were replaced.",
        "computed",
    ),
    Column("clamped", "Int64", "rows", "Numbers beyond int64 that were clamped.", "computed"),
    Column("skipped", "String", "", "Why the file was skipped; null where it was read.", "computed"),
)

FRAMES: dict[str, tuple[Column, ...]] = {
    "requests": REQUESTS,
    "agents": AGENTS,
    "returns": RETURNS,
    "tool_calls": TOOL_CALLS,
    "reads": READS,
    "compactions": COMPACTIONS,
    "events": EVENTS,
    "sessions": SESSIONS,
    "files": FILES,
}


def schema(frame: str) -> pl.Schema:
    """Polars schema of `frame`. Raises KeyError for an unknown name."""
    import polars as pl

    dtypes: dict[str, pl.DataType] = {
        "String": pl.String(),
        "Int64": pl.Int64(),
        "Float64": pl.Float64(),
        "Boolean": pl.Boolean(),
        "Datetime": pl.Datetime("us", "UTC"),
    }
    return pl.Schema({c.name: dtypes[c.dtype] for c in FRAMES[frame]})


def empty(frame: str) -> pl.DataFrame:
    """The frame with its fixed schema and no row."""
    import polars as pl

    return pl.DataFrame(schema=schema(frame))
