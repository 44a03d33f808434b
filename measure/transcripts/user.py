"""User records: tool results, results of agents, deliveries of background agents, and turns of text."""

from __future__ import annotations

from typing import Any

from measure.transcripts import fields as f
from measure.transcripts.decode import Fields, whole
from measure.transcripts.deliveries import deliveries, is_delivery
from measure.transcripts.handed import handed, without_note
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import truth, units

PERSISTED = "<persisted-output>"
INTERRUPT = "[Request interrupted by user"
FEEDBACK = "Stop hook feedback:"
STUBS = ("File unchanged since last read", "Wasted call")  # what Read answers instead of the same text again
_API_ERROR = "API Error"
_TRAILER = "agentId: "


def user(sink: Sink, place: Place, record: Fields, line: bytes) -> bool:
    """Rows of one user record; False if it holds no message."""
    message = record[f.MESSAGE]
    if not isinstance(message, dict):
        return False
    content = message.get("content")
    if isinstance(content, str):
        return _text(sink, place, record, [content])
    texts: list[str] = []
    caller: tuple[dict[str, Any], int, bool] | None = None
    named = any(record[at] is not None for at in (f.RESULT_AGENT, f.RESULT_AGENT_OLD, f.RESULT_RUN))
    found = False
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_result":
            size, persisted = tool_result(sink, place, block, record[f.DENIAL], named)
            caller = (block, size, persisted)
            found = True
        elif block.get("type") == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
    if caller is not None and named:
        agent_result(sink, place, whole(line) or {}, *caller)
    return _text(sink, place, record, texts) or found


def tool_result(sink: Sink, place: Place, block: dict[str, Any], denial: Any, named: bool) -> tuple[int, bool]:
    """One row; returns the size of its text and whether it is only a preview."""
    call, is_error = block.get("tool_use_id"), truth(block.get("is_error"))
    parts = _parts(block)
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    size = sum(map(units, texts))
    images = sum(part.get("type") == "image" or part.get("type") == "document" for part in parts)
    first = next(filter(None, texts), "")[:200]
    persisted = first.lstrip().startswith(PERSISTED)
    hook = first.startswith("PreToolUse:") and " hook error:" in first
    sink.tool_results.append(
        (
            *place,
            call,
            size,
            images,
            is_error,
            persisted,
            hook,
            denial,
            first.startswith(INTERRUPT),
        )
    )
    if first and not is_error and not persisted:
        kind = sink.calls.get(call) if isinstance(call, str) else "other"
        if kind != "other":
            _brought(sink, place, call, texts, size, kind, named)
    return size, persisted


def _brought(sink: Sink, place: Place, call: Any, texts: list[str], size: int, kind: str | None, named: bool) -> None:
    """What the result of a read, of a launch or of a call that is not known (None) holds beyond its size."""
    if kind in {"read", None} and sink.contents:
        found = content("".join(texts))
        if found is not None:
            sink.add("contents", place, call, None, *found)
    if kind in {"launch", None} and not named:
        handed_over(sink, place, call, texts, size)


def _parts(block: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a tool_result's content; a plain string is one text part."""
    content = block.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    return [part for part in parts if isinstance(part, dict)]


def content(text: str) -> tuple[str | None, bool] | None:
    """Text and stub of a row of `contents`; None where the client gave a warning instead of a file's text.

    `build` keeps the marks of the text alone.
    """
    if text.startswith(STUBS):
        return None, True
    return None if text.startswith("<system-reminder>") else (text, False)


def handed_over(sink: Sink, place: Place, call: Any, texts: list[str], size: int) -> None:
    """The row of an agent's result that has no toolUseResult."""
    found = handed(texts)
    if found is None:
        return
    late = found.kind == "launched"
    status = "async_launched" if late else "completed"
    report = None if found.report is None else units(found.report)
    failed = found.report is not None and found.report.startswith(_API_ERROR)
    handback = "send" if found.kind == "message" else None
    values = (call, found.agent, None, status, late, report, None, size, False, found.hit_limit, failed)
    sink.add("agent_results", place, *values, handback, None, None, found.last_tokens, None, None)


def agent_result(
    sink: Sink, place: Place, record: dict[str, Any], block: dict[str, Any], size: int, persisted: bool
) -> None:
    """One row for a toolUseResult that names an agent or a workflow run."""
    result = record.get("toolUseResult")
    if not isinstance(result, dict):
        return
    own, notes, limit = _report(sink, result, block)
    report = None if own is None else sum(map(units, [without_note(text) for text in own]))
    failed = block.get("is_error") is True or (own is not None and "".join(own[:1]).startswith(_API_ERROR))
    handed = result.get("handbackReport")
    handed = handed if isinstance(handed, dict) else {}
    sink.add(
        "agent_results",
        place,
        block.get("tool_use_id"),
        result.get("agentId") or result.get("agent_id"),
        result.get("agentType") or result.get("agent_type"),
        result.get("status"),
        truth(result.get("isAsync")),
        report,
        notes,
        size,
        persisted,
        limit,
        failed,
        result.get("handback"),
        units(handed["text"]) if isinstance(handed.get("text"), str) else None,
        handed.get("toolUseId"),
        sink.odd.counter(result.get("totalTokens")),
        result.get("resolvedModel") or result.get("model"),
        result.get("runId"),
    )


def _report(sink: Sink, result: dict[str, Any], block: dict[str, Any]) -> tuple[list[str] | None, int, bool]:
    """(texts of the report, blocks that are the client's own, whether a note tells of the turn limit)."""
    content = result.get("content")
    if isinstance(content, str):
        return [content], 0, False
    if not isinstance(content, list):
        if result.get("status") != "completed":
            return None, 0, False
        # A teammate's result keeps no content of its own: what the caller read, without the trailer.
        texts = [part["text"] for part in _parts(block) if isinstance(part.get("text"), str)]
        return [text for text in texts if not text.startswith(_TRAILER)], 0, False
    texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
    notes = sink.odd.counter(result.get("harnessNoteCount")) or 0
    tail = sink.odd.counter(result.get("harnessTailCount")) or 0
    limit = any("turn limit" in text[:200] for text in texts[:notes])
    # A hook's updatedToolOutput replaces the blocks and leaves the counts: then all that is there is the report.
    own = texts[notes : len(texts) - tail] if len(texts) > notes + tail else texts
    return own, len(texts) - len(own), limit


def _text(sink: Sink, place: Place, record: Fields, texts: list[str]) -> bool:
    if not texts:
        return False
    size = sum(map(units, texts))
    if any(map(is_delivery, texts)):
        deliveries(sink, place, "user", "\n".join(texts))
    kind = kind_of_turn(texts[0], is_summary=record[f.IS_SUMMARY] is True, is_meta=record[f.IS_META] is True)
    if kind == "interrupt":
        sink.add("events", place, "interrupt", None, None, None, None, None, None)
    sink.add("turns", place, kind, size, None)
    return True


def kind_of_turn(text: str, *, is_summary: bool, is_meta: bool) -> str:
    """What a user record is that begins with `text`."""
    first = text.lstrip()
    if first.startswith(INTERRUPT):
        return "interrupt"
    if is_summary:
        return "compact_summary"
    if first.startswith(FEEDBACK):
        return "stop_feedback"
    if is_delivery(first):
        return "delivery"
    if first.startswith(("<command-", "<local-command-")):
        return "command"
    return "meta" if is_meta else "prompt"
