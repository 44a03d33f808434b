"""User records: tool results, results of agents, deliveries of background agents, and turns of text."""

from __future__ import annotations

from typing import Any

from measure.transcripts import fields as f
from measure.transcripts.decode import Fields, whole
from measure.transcripts.deliveries import deliveries, is_delivery
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import truth

PERSISTED = "<persisted-output>"
INTERRUPT = "[Request interrupted by user"
FEEDBACK = "Stop hook feedback:"
_MEDIA = frozenset({"image", "document"})


def user(sink: Sink, place: Place, record: Fields, line: bytes) -> bool:
    """Rows of one user record; False if it holds no message."""
    message = record[f.MESSAGE]
    if not isinstance(message, dict):
        return False
    content = message.get("content")
    if isinstance(content, str):
        return _text(sink, place, record, [content])
    texts: list[str] = []
    caller: tuple[Any, int, bool, bool] | None = None
    found = False
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_result":
            size, persisted = tool_result(sink, place, block, record[f.DENIAL])
            caller = (block.get("tool_use_id"), size, persisted, block.get("is_error") is True)
            found = True
        elif block.get("type") == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
    if caller is not None and any(record[at] is not None for at in (f.RESULT_AGENT, f.RESULT_AGENT_OLD, f.RESULT_RUN)):
        agent_result(sink, place, whole(line) or {}, *caller)
    return _text(sink, place, record, texts) or found


def tool_result(sink: Sink, place: Place, block: dict[str, Any], denial: Any) -> tuple[int, bool]:
    """One row; returns the size of its text and whether it is only a preview."""
    size = images = 0
    first = ""
    content = block.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for part in parts:
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            first = first or part["text"][:200]
            size += sink.odd.units(part["text"])
        elif part.get("type") in _MEDIA:
            images += 1
    persisted = first.lstrip().startswith(PERSISTED)
    hook = first.startswith("PreToolUse:") and " hook error:" in first
    sink.tool_results.append(
        (
            *place,
            block.get("tool_use_id"),
            size,
            images,
            truth(block.get("is_error")),
            persisted,
            hook,
            denial,
            first.startswith(INTERRUPT),
        )
    )
    return size, persisted


def agent_result(
    sink: Sink, place: Place, record: dict[str, Any], call: Any, size: int, persisted: bool, is_error: bool
) -> None:
    """One row for a toolUseResult that names an agent or a workflow run."""
    result = record.get("toolUseResult")
    if not isinstance(result, dict):
        return
    units = sink.odd.units
    report, notes, limit = _report(sink, result)
    handed = result.get("handbackReport")
    handed = handed if isinstance(handed, dict) else {}
    sink.add(
        "agent_results",
        place,
        call,
        result.get("agentId") or result.get("agent_id"),
        result.get("agentType") or result.get("agent_type"),
        result.get("status"),
        truth(result.get("isAsync")),
        report,
        notes,
        size,
        persisted,
        limit,
        is_error,
        result.get("handback"),
        units(handed["text"]) if isinstance(handed.get("text"), str) else None,
        handed.get("toolUseId"),
        sink.odd.counter(result.get("totalTokens")),
        result.get("resolvedModel") or result.get("model"),
        result.get("runId"),
    )


def _report(sink: Sink, result: dict[str, Any]) -> tuple[int | None, int, bool]:
    """(UTF-16 units of the report, blocks that are the client's own, whether a note tells of the turn limit)."""
    content = result.get("content")
    if isinstance(content, str):
        return sink.odd.units(content), 0, False
    if not isinstance(content, list):
        return None, 0, False
    texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
    notes = sink.odd.counter(result.get("harnessNoteCount")) or 0
    tail = sink.odd.counter(result.get("harnessTailCount")) or 0
    own = texts[notes : len(texts) - tail]
    limit = any("turn limit" in text[:200] for text in texts[:notes])
    return sum(map(sink.odd.units, own)), notes + tail, limit


def _text(sink: Sink, place: Place, record: Fields, texts: list[str]) -> bool:
    if not texts:
        return False
    size = sum(map(sink.odd.units, texts))
    if any(map(is_delivery, texts)):
        deliveries(sink, place, "user", "\n".join(texts))
    kind = _kind(record, texts)
    if kind == "interrupt":
        sink.add("events", place, "interrupt", None, None, None, None, None, None)
    sink.add("turns", place, kind, size, None)
    return True


def _kind(record: Fields, texts: list[str]) -> str:
    first = texts[0].lstrip()
    if first.startswith(INTERRUPT):
        return "interrupt"
    if record[f.IS_SUMMARY] is True:
        return "compact_summary"
    if first.startswith(FEEDBACK):
        return "stop_feedback"
    if is_delivery(first):
        return "delivery"
    if first.startswith(("<command-", "<local-command-")):
        return "command"
    return "meta" if record[f.IS_META] is True else "prompt"
