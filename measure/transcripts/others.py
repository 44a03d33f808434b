"""The rarer records: system, attachment, queue-operation, progress, cost-state, fork-context-ref, api-request."""

from __future__ import annotations

import re
from typing import Any

from measure.transcripts import fields as f
from measure.transcripts.assistant import SYNTHETIC, blocks, classes, counters
from measure.transcripts.decode import Fields, whole
from measure.transcripts.deliveries import deliveries, is_delivery
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import moment, units

HOOK_OUTCOMES = {
    "hook_success": "success",
    "hook_blocking_error": "blocking",
    "hook_non_blocking_error": "error",
    "hook_cancelled": "cancelled",
    "hook_stopped_continuation": "stopped",
    "hook_error_during_execution": "error",
}
_FILES = frozenset({"file", "edited_text_file", "already_read_file", "compact_file_reference", "pdf_reference"})
# Attachments that may feed a table; the rest (listings, reminders, snapshots) never does.
ATTACHMENTS = _FILES | HOOK_OUTCOMES.keys() | {"queued_command", "hook_additional_context"}
_NOTHING: dict[str, Any] = {}


def system(sink: Sink, place: Place, record: Fields, line: bytes) -> bool:
    """A compact_boundary, an API error or the hooks of a stop; False for other subtypes."""
    subtype = record[f.SUBTYPE]
    if subtype == "compact_boundary":
        return _boundary(sink, place, record, whole(line) or {})
    if subtype == "api_error":
        full = whole(line) or {}
        status = _dict(full.get("error")).get("status")
        attempt, count = full.get("retryAttempt"), sink.odd.counter
        name = str(status) if isinstance(status, int) else None
        sink.add("events", place, "api_error", name, None, "retried", None, None, count(attempt))
        return True
    if subtype == "stop_hook_summary":
        return _stop_hooks(sink, place, whole(line) or {})
    return False


def _boundary(sink: Sink, place: Place, record: Fields, full: dict[str, Any]) -> bool:
    given, count = _dict(full.get("compactMetadata")), sink.odd.counter
    sink.add(
        "boundaries",
        place,
        given.get("trigger"),
        count(given.get("preTokens")),
        count(given.get("postTokens")),
        count(given.get("durationMs")),
        count(given.get("cumulativeDroppedTokens")),
        record[f.VERSION],
    )
    return True


def _stop_hooks(sink: Sink, place: Place, full: dict[str, Any]) -> bool:
    """One event a hook of a Stop; the record names no event, so it is called Stop."""
    infos = full.get("hookInfos")
    errors = full.get("failedHookErrorIndexes")
    failed = set(errors) if isinstance(errors, list) and all(isinstance(e, int) for e in errors) else set()
    call = full.get("toolUseID")
    found = False
    for index, info in enumerate(infos if isinstance(infos, list) else ()):
        if isinstance(info, dict):
            outcome = "error" if index in failed else "success"
            duration = _whole_ms(sink, info.get("durationMs"))
            sink.add("events", place, "hook", "Stop", script(info.get("command")), outcome, duration, call, None)
            found = True
    return found


def attachment(sink: Sink, place: Place, record: Fields, line: bytes) -> bool:
    """A hook run, a delivery that was queued, or a file put into the context; False for other kinds."""
    kind = record[f.ATTACHMENT]
    if not isinstance(kind, str):
        return False
    if kind == "queued_command":
        given = _dict((whole(line) or {}).get("attachment"))
        prompt = given.get("prompt")
        if isinstance(prompt, list):
            prompt = "\n".join(b["text"] for b in prompt if isinstance(b, dict) and isinstance(b.get("text"), str))
        if not isinstance(prompt, str) or not is_delivery(prompt):
            return False
        origin = {**_dict(given.get("origin")), "delivery_id": given.get("delivery_id")}
        return deliveries(sink, place, "attachment", prompt, origin)
    if kind in _FILES:
        return _file(sink, place, kind, _dict((whole(line) or {}).get("attachment")))
    if kind == "hook_additional_context":
        return _stop_context(sink, place, line)
    outcome = HOOK_OUTCOMES.get(kind)
    if outcome is None:
        return False
    return _hook(sink, place, outcome, _dict((whole(line) or {}).get("attachment")))


def _stop_context(sink: Sink, place: Place, line: bytes) -> bool:
    """A hook's note at the end of an agent's turn lets it go on, as a block does; other notes feed nothing."""
    if b"SubagentStop" not in line:
        return False
    given = _dict((whole(line) or {}).get("attachment"))
    if given.get("hookEvent") != "SubagentStop":
        return False
    sink.add("turns", place, "stop_context", None, None)
    return True


def _hook(sink: Sink, place: Place, outcome: str, given: dict[str, Any]) -> bool:
    command = given.get("command") or _dict(given.get("blockingError")).get("command")
    name = given.get("hookName") or given.get("hookEvent")
    duration = _whole_ms(sink, given.get("durationMs"))
    sink.add("events", place, "hook", name, script(command), outcome, duration, given.get("toolUseID"), None)
    return True


def _file(sink: Sink, place: Place, kind: Any, given: dict[str, Any]) -> bool:
    inner = _dict(_dict(given.get("content")).get("file"))
    text = inner.get("content") if isinstance(inner.get("content"), str) else given.get("snippet")
    size = units(text) if isinstance(text, str) else None
    count = sink.odd.counter
    first, lines, total = (count(inner.get(key)) for key in ("startLine", "numLines", "totalLines"))
    sink.add("attached", place, kind, given.get("filename") or inner.get("filePath"), size, first, lines, total)
    return True


# `NAME=value ` before a command, the value in quotes or not.
_VARIABLES = re.compile(r"""\A\s*(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'])*\s+)*""")


def script(command: Any) -> str | None:
    """File name of a hook's script: the first word that is a path to a script, else the program; never an argument
    or a variable's value."""
    if not isinstance(command, str):
        return None
    words = [word.strip("\"'`;,()[]{}") for word in command.split()]
    endings = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".ps1", ".bat", ".cmd", ".exe")
    named = [word for word in words if word.lower().endswith(endings) and "=" not in word]
    named = named or [word.strip("\"'`;,()[]{}") for word in _VARIABLES.sub("", command).split()[:1] if "=" not in word]
    return named[0].replace("\\", "/").rsplit("/", 1)[-1][:80] if named else None


def queue(sink: Sink, place: Place, _record: Fields, line: bytes) -> bool:
    """A queue-operation that holds a delivery."""
    if NEEDLE_TASK not in line and NEEDLE_AGENT not in line:
        return False
    full = whole(line) or {}
    text = full.get("content")
    if not isinstance(text, str) or not is_delivery(text):
        return False
    operation = full.get("operation")
    return deliveries(sink, place, operation if isinstance(operation, str) else "queue", text, full)


# An escaped "<" (backslash u003c) is legal JSON and the client does not write it: both are looked for.
NEEDLE_TASK = b"task-notification"
NEEDLE_AGENT = b"agent-message"


def progress(sink: Sink, place: Place, record: Fields, line: bytes) -> bool:
    """The copy of a subagent's response that old clients wrote into the main file; False for other progress."""
    if record[f.DATA_TYPE] != "agent_progress":
        return False
    full = whole(line) or {}
    data = _dict(full.get("data"))
    inner = _dict(data.get("message"))
    message = _dict(inner.get("message"))
    if inner.get("type") != "assistant" or not message or message.get("model") == SYNTHETIC:
        return False
    file, number, ts, session, _, _, uuid = place
    agent = sink.odd.string(data.get("agentId"))
    own = sink.odd.string(inner.get("uuid")) or uuid
    spot: Place = (file, number, moment(inner.get("timestamp")) or ts, session, agent, True, own)
    usage = message.get("usage")
    text, last, thinking, tools = _sizes(sink, message)
    values = (message.get("id"), inner.get("requestId"), None, message.get("model"), *counters(sink.odd, usage))
    sizes = (text, last, thinking, tools)
    rest = (message.get("stop_reason"), *classes(usage), None, None, *sizes, None, False, True)
    sink.add("usage", spot, *values, *rest, record[f.CWD], record[f.VERSION])
    return True


def _sizes(sink: Sink, message: dict[str, Any]) -> tuple[int, int | None, int, int]:
    """Sizes of a copied message; its tool calls are no rows, they stand in the agent's own file if anywhere."""
    aside = Sink()
    aside.odd = sink.odd
    return blocks(aside, (0, 0, None, None, None, True, None), None, message.get("content"), None)


def cost_state(sink: Sink, place: Place, _record: Fields, line: bytes) -> bool:
    """One row a model of the client's running totals."""
    models = _dict((whole(line) or {}).get("modelUsage"))
    keys = (
        "inputTokens",
        "cacheReadInputTokens",
        "cacheCreationInputTokens",
        "cacheCreationEphemeral5mInputTokens",
        "cacheCreationEphemeral1hInputTokens",
        "outputTokens",
        "webSearchRequests",
    )
    for model, totals in models.items():
        sink.add("costs", place, model, *(sink.odd.counter(_dict(totals).get(key)) for key in keys))
    return bool(models)


def fork_ref(sink: Sink, place: Place, _record: Fields, line: bytes) -> bool:
    """The context a fork agent took over."""
    full = whole(line) or {}
    length = sink.odd.counter(full.get("contextLength"))
    sink.add("fork_refs", place, full.get("parentSessionId"), full.get("parentLastUuid"), length)
    return True


def api_request(sink: Sink, place: Place, record: Fields, _line: bytes) -> bool:
    """The proof that this session sent a request."""
    sink.add("api_requests", place, record[f.ID], record[f.QUERY_SOURCE])
    return True


def _whole_ms(sink: Sink, value: Any) -> int | None:
    return sink.odd.counter(round(value)) if isinstance(value, float) and value < 1e15 else sink.odd.counter(value)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else _NOTHING
