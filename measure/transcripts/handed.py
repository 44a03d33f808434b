"""What a caller read of an agent, where the record keeps no toolUseResult (as in the files of subagents).

Three shapes: the launch of a background agent; the report in the client's frame, every line indented by two spaces
(from about 2.1.300); the bare report, followed by a block that begins with `agentId: `.
"""

from __future__ import annotations

import re
from typing import NamedTuple

FRAME = "The report follows:\n"
_FRAMED = "[Subagent hand-back]"
_LAUNCHED = "Async agent launched"
_BY_MESSAGE = "This agent's report was delivered to you as a message"
_TRAILER = "agentId: "
_AGENT = re.compile(r"^agentId: (\S+)", re.MULTILINE)
_TOKENS = re.compile(r"<usage>(?:subagent|total)_tokens: (\d{1,15})")
_HARNESS = "[harness: "
_NOTE_LIMIT = 2_000


class Handed(NamedTuple):
    """`report` None: none stands in this result. `kind`: launched, report or message."""

    kind: str
    agent: str | None
    report: str | None
    hit_limit: bool
    last_tokens: int | None


def handed(texts: list[str]) -> Handed | None:
    """Read the texts of a launching call's result; None where they have none of the three shapes."""
    if not texts:
        return None
    text = "\n".join(texts)
    if texts[0].startswith(_LAUNCHED):
        return Handed("launched", _last(_AGENT, text), None, False, None)
    head, framed, body = text.partition(FRAME)
    if framed and _FRAMED in head:
        report, trailer = _unframed(body)
        limit = "turn limit" in head[:_NOTE_LIMIT]
        return Handed("report", _last(_AGENT, trailer), report, limit, _number(trailer))
    if _BY_MESSAGE in text[:_NOTE_LIMIT]:
        return Handed("message", _last(_AGENT, text), None, False, _number(text))
    if texts[-1].startswith(_TRAILER):
        return Handed("report", _last(_AGENT, texts[-1]), without_note("".join(texts[:-1])), False, _number(texts[-1]))
    return None


def without_note(report: str) -> str:
    """The report without the note that the client puts before one that it had to make harmless."""
    if not report.startswith(_HARNESS):
        return report
    note, closed, rest = report.partition("]\n\n")
    return rest if closed and len(note) < _NOTE_LIMIT else report


def _unframed(body: str) -> tuple[str, str]:
    """(the report without its indent, what follows it at column zero)."""
    lines = body.split("\n")
    end = next((at for at, line in enumerate(lines) if not line.startswith("  ")), len(lines))
    return without_note("\n".join(line[2:] for line in lines[:end])), "\n".join(lines[end:])


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return found[-1] if found else None


def _number(text: str) -> int | None:
    found = _last(_TOKENS, text)
    return int(found) if found else None
