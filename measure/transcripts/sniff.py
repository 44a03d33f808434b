"""Is this a transcript? Judged by its records, never by its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from measure.transcripts import fields as f
from measure.transcripts.decode import Fields, whole

_TALK = frozenset({"user", "assistant", "system", "attachment", "progress"})
JOURNAL = "no transcript: a workflow's journal"
_JOURNAL = frozenset({"launched", "started", "result"})
_OTHERS = (
    ("payload", "a log of Codex"),
    ("projectHash", "a log of Gemini"),
    ("hook_event_name", "a log of hook events"),
    ("display", "a prompt history"),
)


def is_record(record: Fields) -> bool:
    """The record is one that the client writes into transcripts."""
    kind = record[f.TYPE]
    if not isinstance(kind, str):
        return False
    if kind in _TALK:
        return isinstance(record[f.SESSION], str) or (
            isinstance(record[f.ROLE], str) and isinstance(record[f.UUID], str)
        )
    if kind == "fork-context-ref":
        return isinstance(record[f.AGENT], str)
    return kind in f.TRANSCRIPT_ONLY


def verdict(lines: Sequence[bytes], records: Sequence[Fields | None]) -> str | None:
    """None: a transcript. A reason: another file. "" : nothing can be said yet, read on."""
    objects = [record for record in records if record is not None]
    if any(map(is_record, objects)):
        return None
    if not objects:
        return ""
    kinds = {record[f.TYPE] for record in objects if isinstance(record[f.TYPE], str)}
    if kinds and kinds <= _JOURNAL:
        return JOURNAL
    first = next((whole(line) for line, record in zip(lines, records, strict=True) if record is not None), None)
    return f"no transcript: {_name(first or {})}"


def _name(record: dict[str, Any]) -> str:
    for key, name in _OTHERS:
        if key in record or (isinstance(record.get("in"), dict) and key in record["in"]):
            return name
    return "no record in it is one that Claude Code writes"
