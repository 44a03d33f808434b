"""The raw tables: what the extraction writes, one row a fact of one record, nothing resolved yet.

No table holds message text, commands or file content: only sizes, ids, paths, names and numbers. Every row
carries its place (`file`, `line`) and its thread as written (`session_id`, `agent_id`, `sidechain`); which
session owns a copied record is decided later, from these tables alone (`measure.frames`), so that a cold read,
a warm one and a read of grown tails end in identical frames.

To add a column: name it in the table below, append its value in the one extraction function that writes the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

RawType = Literal["str", "int", "bool", "time", "marks"]
Row = tuple[Any, ...]

# file: number of the file in this read (see the table `files`); line: 1-based line; ts: UTC; session_id, agent_id,
# sidechain: as written in the record; uuid: the record's own id.
PLACE: tuple[tuple[str, RawType], ...] = (
    ("file", "int"),
    ("line", "int"),
    ("ts", "time"),
    ("session_id", "str"),
    ("agent_id", "str"),
    ("sidechain", "bool"),
    ("uuid", "str"),
)


@dataclass(frozen=True, slots=True)
class RawTable:
    """One raw table: `doc` says what a row is, `columns` are its (name, type) in the order of the row."""

    name: str
    doc: str
    columns: tuple[tuple[str, RawType], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(name for name, _ in self.columns)


def _table(name: str, doc: str, *columns: tuple[str, RawType]) -> RawTable:
    return RawTable(name, doc, PLACE + columns)


TABLES: tuple[RawTable, ...] = (
    _table(
        "usage",
        "One row an assistant record (or a `progress` copy of one) that is no `<synthetic>` notice.",
        ("message_id", "str"),
        ("request_id", "str"),
        ("request_ref", "str"),  # id of the api-request record that asked for it
        ("model", "str"),
        ("input_tokens", "int"),
        ("cache_read_tokens", "int"),
        ("cache_write_tokens", "int"),  # as written: cache_creation_input_tokens
        ("cache_write_5m_tokens", "int"),
        ("cache_write_1h_tokens", "int"),
        ("output_tokens", "int"),
        ("thinking_tokens", "int"),
        ("context_input_tokens", "int"),  # of the last message iteration, else those of the usage
        ("context_read_tokens", "int"),
        ("context_write_tokens", "int"),
        ("web_searches", "int"),
        ("has_usage", "bool"),
        ("stop_reason", "str"),
        ("service_tier", "str"),
        ("speed", "str"),
        ("inference_geo", "str"),
        ("ttl_requested", "str"),
        ("block", "int"),  # apiBlockIndex
        ("text_chars", "int"),  # UTF-16 units of the text blocks of this record
        ("last_text_chars", "int"),  # of its last text block; null where it has none
        ("thinking_chars", "int"),  # of the visible thinking
        ("tool_chars", "int"),  # of the tool inputs, as JSON strings without their punctuation
        ("attribution_agent", "str"),  # agent type as written on the record
        ("is_api_error", "bool"),
        ("from_progress", "bool"),
        ("cwd", "str"),
        ("version", "str"),
    ),
    _table(
        "tool_uses",
        "One row a tool_use block.",
        ("message_id", "str"),
        ("tool_use_id", "str"),
        ("tool", "str"),
        ("file_path", "str"),  # file_path, notebook_path or path of the input
        ("offset", "int"),
        ("limit", "int"),
        ("subagent_type", "str"),
        ("model", "str"),  # model asked for by an Agent call
        ("background", "bool"),  # run_in_background of an Agent or Bash call; null where not given
        ("target", "str"),  # agent addressed by SendMessage
        ("message_chars", "int"),  # UTF-16 units of input.message (SubagentHandback, SendMessage)
        ("input_chars", "int"),  # UTF-16 units of all strings in the input
        ("cwd", "str"),
    ),
    _table(
        "printed",
        "One row a file that a Bash call only prints (`hooks.runtime.printing`); the command itself is not kept.",
        ("tool_use_id", "str"),
        ("part", "int"),
        ("file_path", "str"),  # as written, relative to `cwd` where it is not absolute
        ("first_line", "int"),
        ("last_line", "int"),  # null: to the end
        ("from_end", "int"),  # the last N lines; then both others are null
        ("cwd", "str"),
    ),
    _table(
        "contents",
        "One row a result of Read, or of a Bash call that only prints files, that gave text.",
        ("tool_use_id", "str"),
        ("first_number", "int"),  # line number of the first line as Read wrote it; null where lines have none
        ("marks", "marks"),  # one mark a line (measure.transcripts.lines): which line, and how long
        ("stub", "bool"),  # the client only said that the file is unchanged
    ),
    _table(
        "tool_results",
        "One row a tool_result block.",
        ("tool_use_id", "str"),
        ("chars", "int"),  # UTF-16 units of its texts, as the model read them
        ("images", "int"),  # images and documents in it
        ("is_error", "bool"),
        ("persisted", "bool"),  # replaced by a preview (<persisted-output>)
        ("hook_denied", "bool"),  # text of a PreToolUse hook's refusal
        ("denial", "str"),  # toolDenialKind as written
        ("interrupted", "bool"),  # "[Request interrupted by user ..."
    ),
    _table(
        "agent_results",
        "One row a record whose toolUseResult tells of an agent (Agent/Task call, Workflow, SendMessage).",
        ("tool_use_id", "str"),
        ("result_agent", "str"),  # agentId, or agent_id of a teammate
        ("agent_type", "str"),
        ("status", "str"),
        ("is_async", "bool"),
        ("report_chars", "int"),  # UTF-16 units of its content minus the client's own notes; null without content
        ("notes", "int"),  # blocks that are the client's notes and trailer
        ("caller_chars", "int"),  # UTF-16 units of the tool_result text that the caller read
        ("persisted", "bool"),
        ("hit_limit", "bool"),  # a note says that it stopped at its turn limit
        ("is_error", "bool"),
        ("handback", "str"),  # send, flagged or withheld
        ("handback_chars", "int"),
        ("handback_tool_use_id", "str"),
        ("last_tokens", "int"),  # totalTokens: context and output of the agent's last request
        ("model", "str"),  # resolvedModel
        ("run_id", "str"),  # workflow run
    ),
    _table(
        "deliveries",
        "One row a record that holds a `<task-notification>` or an `<agent-message>`; a delivery may stand in several.",
        ("shape", "str"),  # user, enqueue, remove, dequeue, attachment
        ("kind", "str"),  # task-notification, agent-message
        ("from_agent", "str"),  # task-id, or from
        ("tool_use_id", "str"),
        ("status", "str"),
        ("report_chars", "int"),  # UTF-16 units inside <result>, or of the handed-back report; null without one
        ("caller_chars", "int"),  # UTF-16 units of the whole text
        ("handback", "bool"),
        ("handback_tool_use_id", "str"),
        ("delivery_id", "str"),
        ("digest", "int"),  # 62-bit digest of the text: same delivery in another shape
        ("part", "int"),  # number of the notification inside a record that holds several
    ),
    _table(
        "turns",
        "One row a user record that holds text beside tool results.",
        ("kind", "str"),  # prompt, meta, stop_feedback, stop_context, compact_summary, interrupt, command, delivery
        ("chars", "int"),
        ("origin", "str"),
    ),
    _table(
        "boundaries",
        "One row a compact_boundary.",
        ("trigger", "str"),
        ("pre_tokens", "int"),
        ("post_tokens", "int"),
        ("duration_ms", "int"),
        ("dropped_tokens", "int"),  # cumulativeDroppedTokens
        ("version", "str"),
    ),
    _table(
        "events",
        "One row an API error, interrupt, hook run or synthetic notice.",
        ("kind", "str"),  # api_error, interrupt, hook, synthetic
        ("name", "str"),  # hook event and matcher, error code
        ("command", "str"),  # file name of the hook's script
        ("outcome", "str"),
        ("duration_ms", "int"),
        ("tool_use_id", "str"),
        ("attempt", "int"),  # retryAttempt
    ),
    _table(
        "attached",
        "One row a file that the client itself put into the context (after a compaction, by @, or edited outside).",
        ("kind", "str"),  # file, edited_text_file, ...
        ("file_path", "str"),
        ("chars", "int"),
        ("first_line", "int"),
        ("lines", "int"),
        ("total_lines", "int"),
    ),
    _table(
        "fork_refs",
        "One row a fork-context-ref: the context that a fork agent took over without copying it.",
        ("parent_session_id", "str"),
        ("parent_last_uuid", "str"),
        ("context_length", "int"),
    ),
    _table(
        "api_requests",
        "One row an api-request: the proof that this file's session sent the request.",
        ("request_ref", "str"),
        ("query_source", "str"),
    ),
    _table(
        "costs",
        "One row a model of a cost-state record: the client's own running totals of the session.",
        ("model", "str"),
        ("input_tokens", "int"),
        ("cache_read_tokens", "int"),
        ("cache_write_tokens", "int"),
        ("cache_write_5m_tokens", "int"),
        ("cache_write_1h_tokens", "int"),
        ("output_tokens", "int"),
        ("web_searches", "int"),
    ),
    _table(
        "sidelinks",
        "One row an inline sidechain record (no agentId): its chain leads to the root that names the agent.",
        ("parent_uuid", "str"),
        ("launched_by", "str"),  # parentToolUseID of a progress record
    ),
    _table(
        "spans",
        "One row a (file, thread as written): `line`, `ts`, `uuid` are those of its first record with a time.",
        ("last_ts", "time"),  # largest time of the span
        ("first_ts", "time"),  # smallest time of the span
        ("records", "int"),
        ("cwd", "str"),  # first working folder
        ("version", "str"),  # last client version
    ),
    RawTable(
        "journal",
        "One row a result in the journal of a workflow: what an agent gave back to the script that ran it.",
        (
            ("file", "int"),
            ("session_id", "str"),
            ("agent_id", "str"),
            ("run_id", "str"),
            ("part", "int"),  # number of the result in the journal
            ("chars", "int"),  # UTF-16 units of the text, or of the value as JSON
        ),
    ),
    RawTable(
        "metas",
        "One row a `.meta.json` beside an agent's file.",
        (
            ("file", "int"),  # the agent's transcript; null where it is missing
            ("path", "str"),
            ("session_id", "str"),  # from the folder's name
            ("agent_id", "str"),
            ("agent_type", "str"),
            ("launched_by", "str"),  # toolUseId
            ("parent_agent_id", "str"),
            ("depth", "int"),
            ("request_shape", "str"),
            ("model", "str"),
            ("finished", "bool"),
            ("is_fork", "bool"),
            ("in_workflow", "bool"),
        ),
    ),
    RawTable(
        "files",
        "One row a file read, with what happened to its lines.",
        (
            ("file", "int"),
            ("path", "str"),
            ("kind", "str"),  # main, agent, workflow agent, old agent; null where skipped
            ("session_id", "str"),  # from the name or folder, else of the first record that names one
            ("agent_id", "str"),
            ("bytes", "int"),
            ("records", "int"),
            ("used", "int"),
            ("bookkeeping", "int"),
            ("unknown", "int"),
            ("damaged", "int"),
            ("first_damaged_line", "int"),
            ("surrogates", "int"),
            ("clamped", "int"),
            ("skipped", "str"),
            ("first_ts", "time"),  # time of the FIRST record that has one
            ("cwd", "str"),
        ),
    ),
)

BY_NAME: dict[str, RawTable] = {table.name: table for table in TABLES}


def polars_schema(table: RawTable) -> pl.Schema:
    """Polars schema of a raw table; times are UTC microseconds."""
    import polars as pl

    dtypes: dict[RawType, pl.DataType] = {
        "str": pl.String(),
        "int": pl.Int64(),
        "bool": pl.Boolean(),
        "time": pl.Datetime("us", "UTC"),
        "marks": pl.List(pl.UInt32()),
    }
    return pl.Schema({name: dtypes[kind] for name, kind in table.columns})
