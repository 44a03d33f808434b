"""What agents deliver on their own: `<task-notification>` and `<agent-message>`, in each record shape they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from measure.transcripts.handed import FRAME, without_note
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import digest, units

NOTIFICATION = "<task-notification"
MESSAGE = "<agent-message"
_TAG = {name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL) for name in ("task-id", "tool-use-id", "status")}
_FROM = re.compile(r'<agent-message\b[^>]*\bfrom="([^"]*)"')
_START = re.compile(r"^[ \t]*<(?:task-notification|agent-message)\b", re.MULTILINE)
_CUT = re.compile(r"\n\n\.\.\. \[(\d{1,12}) characters truncated\] \.\.\.\n\n")
_LONG = 90_000


def is_delivery(text: str) -> bool:
    """The text holds a notification or a message of an agent."""
    return "<" in text and (NOTIFICATION in text or MESSAGE in text)  # most texts hold no tag: that is told at once


def deliveries(sink: Sink, place: Place, shape: str, text: str, origin: Any = None) -> bool:
    """One row a notification or message in `text`; `origin` is the attachment's, which has the bare report."""
    found = False
    for part, one in enumerate(_parts(text)):
        row = _message(one, origin) if one.startswith(MESSAGE) else _notification(one)
        kind, agent, call, status, report, handback, handback_call, delivery = row
        size = units(one)
        values = (shape, kind, agent, call, status, report, size, handback, handback_call, delivery, digest(one), part)
        sink.add("deliveries", place, *values)
        found = True
    return found


def _parts(text: str) -> Iterator[str]:
    """The text cut before each notification or message that begins a line; what stands before the first is no part."""
    starts = sorted(
        m.start() for m in re.finditer(r"^[ \t]*<(?:task-notification|agent-message)\b", text, re.MULTILINE)
    )
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end].strip()


def _notification(text: str) -> tuple[Any, ...]:
    head, _, rest = text.partition("<result>")
    # The report may itself hold "</result>": the last one closes it.
    report = (rest.rpartition("</result>")[0] if "</result>" in rest else rest) if "<result>" in text else None
    head += text[len(head) + len(report or "") :]
    call, agent, status = (_tag(head, name) for name in ("tool-use-id", "task-id", "status"))
    size = None if report is None else units(without_note(report)) + _cut_out(report)
    return "task-notification", agent, call, status, size, False, None, None


def _cut_out(report: str) -> int:
    """UTF-16 units that the client left out of the middle of a report of more than 100,000, less its own mark."""
    cut = _CUT.search(report) if len(report) > _LONG else None
    return int(cut.group(1)) - len(cut.group(0)) if cut else 0


def _tag(text: str, name: str) -> str | None:
    match = _TAG[name].search(text)
    return match.group(1).strip() if match else None


def _message(text: str, origin: Any) -> tuple[Any, ...]:
    match = _FROM.search(text)
    known = origin if isinstance(origin, dict) else {}
    report = known.get("handbackReportText")
    if not isinstance(report, str):
        report = _unframed(text)
    call, delivery = known.get("handbackToolUseId"), known.get("delivery_id") or known.get("deliveryId")
    handback = known.get("handback") is True or FRAME in text
    return "agent-message", match and match.group(1), None, None, units(report), handback, call, delivery


def _unframed(text: str) -> str:
    """The report inside the client's frame: after the frame line, without the indent of two spaces."""
    body = text.partition(">")[2].rpartition("</agent-message>")[0] or text.partition(">")[2]
    body = body.partition(FRAME)[2] or body
    lines = body.strip("\n").split("\n")
    return "\n".join(line.removeprefix("  ") for line in lines)
