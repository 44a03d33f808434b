"""Assistant records: one `usage` row, and one `tool_uses` row a tool call."""

from __future__ import annotations

from typing import Any

from hooks.runtime.printing import prints
from measure.transcripts import fields as f
from measure.transcripts.decode import Fields
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import Oddities, truth, units

SYNTHETIC = "<synthetic>"
LAUNCHERS = ("Agent", "Task")  # one tool: it was renamed in 2.1.63
_NOTHING: dict[str, Any] = {}


def assistant(sink: Sink, place: Place, record: Fields, _line: bytes) -> bool:
    """Rows of one assistant record; False if it holds no message."""
    message = record[f.MESSAGE]
    if not isinstance(message, dict):
        return False
    if message.get("model") == SYNTHETIC:
        outcome = "api_error" if record[f.API_ERROR] is True else "notice"
        sink.add("events", place, "synthetic", None, None, outcome, None, None, None)
        return True
    message_id = message.get("id")
    sizes = blocks(sink, place, message_id, message.get("content"), record[f.CWD])
    # The columns that are the record's own, in the order of the table.
    sink.usage.append(
        (
            *place,
            message_id,
            record[f.REQUEST_ID],
            record[f.REQUEST_REF],
            message.get("model"),
            *counters(sink.odd, message.get("usage")),
            message.get("stop_reason"),
            *classes(message.get("usage")),
            record[f.TTL],
            sink.odd.counter(record[f.BLOCK]),
            *sizes,
            record[f.ATTRIBUTION],
            record[f.API_ERROR] is True,
            False,
            record[f.CWD],
            record[f.VERSION],
        )
    )
    return True


def counters(odd: Oddities, usage: Any) -> tuple[int | bool | None, ...]:
    """The counters of a `usage` object in the order of the table `usage`, input_tokens to has_usage."""
    if not isinstance(usage, dict):
        return (None,) * 11 + (False,)
    count = odd.counter
    prompt = (
        count(usage.get("input_tokens")),
        count(usage.get("cache_read_input_tokens")),
        count(usage.get("cache_creation_input_tokens")),
    )
    parts = _dict(usage.get("cache_creation"))
    output = count(usage.get("output_tokens"))
    details = _dict(usage.get("output_tokens_details"))
    five, hour = count(parts.get("ephemeral_5m_input_tokens")), count(parts.get("ephemeral_1h_input_tokens"))
    written = prompt[2] if prompt[2] is not None or (five is None and hour is None) else (five or 0) + (hour or 0)
    context = _last_iteration(odd, usage.get("iterations")) or (prompt[0], prompt[1], written)
    searches = count(_dict(usage.get("server_tool_use")).get("web_search_requests"))
    return (*prompt, five, hour, output, count(details.get("thinking_tokens")), *context, searches, True)


def _last_iteration(odd: Oddities, iterations: Any) -> tuple[int | None, int | None, int | None] | None:
    """Prompt counters of the last `message` iteration where there are several: the usage sums over them."""
    if not isinstance(iterations, list) or len(iterations) < 2:
        return None
    messages = [one for one in iterations if isinstance(one, dict) and one.get("type", "message") == "message"]
    if not messages:
        return None
    last = messages[-1]
    count = odd.counter
    context = (
        count(last.get("input_tokens")),
        count(last.get("cache_read_input_tokens")),
        count(last.get("cache_creation_input_tokens")),
    )
    return context if any(part is not None for part in context) else None


def classes(usage: Any) -> tuple[Any, Any, Any]:
    """service_tier, speed and inference_geo as written."""
    if not isinstance(usage, dict):
        return None, None, None
    return usage.get("service_tier"), usage.get("speed"), usage.get("inference_geo") or None


def blocks(sink: Sink, place: Place, message_id: Any, content: Any, cwd: Any) -> tuple[int, int | None, int, int]:
    """(text, last text, thinking, tool input) sizes of a message's content; tool calls become rows."""
    if isinstance(content, str):
        size = units(content)
        return size, size, 0, 0
    text = thinking = tools = 0
    last: int | None = None
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            last = units(block["text"])
            text += last
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            thinking += units(block["thinking"])
        elif kind == "tool_use":
            tools += tool_use(sink, place, message_id, block, cwd)
    return text, last, thinking, tools


def tool_use(sink: Sink, place: Place, message_id: Any, block: dict[str, Any], cwd: Any) -> int:
    """One row; returns the UTF-16 units of the call's input."""
    given = _dict(block.get("input"))
    size = sink.odd.strings(given)
    message = given.get("message")
    path = given.get("file_path") or given.get("notebook_path") or given.get("path")
    sink.tool_uses.append(
        (
            *place,
            message_id,
            block.get("id"),
            block.get("name"),
            path,
            sink.odd.counter(given.get("offset")),
            sink.odd.counter(given.get("limit")),
            given.get("subagent_type"),
            given.get("model"),
            truth(given.get("run_in_background")),
            given.get("to") or given.get("agent_id") or given.get("task_id"),
            units(message) if isinstance(message, str) else None,
            size,
            cwd,
        )
    )
    name, call = block.get("name"), block.get("id")
    if isinstance(call, str):
        reads = name == "Read" or (name == "Bash" and printed(sink, place, call, given.get("command"), cwd))
        sink.calls[call] = "read" if reads else "launch" if name in LAUNCHERS else "other"
    return size


def printed(sink: Sink, place: Place, tool_use_id: Any, command: Any, cwd: Any) -> bool:
    """One row a file that the command prints; False where it does anything else."""
    found = prints(command) if isinstance(command, str) else ()
    for part, one in enumerate(found):
        values = (tool_use_id, part, one.path, one.first_line, one.last_line, one.from_end, cwd)
        sink.add("printed", place, *values)
    return bool(found)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else _NOTHING
