"""The journal of a workflow run: no transcript, but the only place that holds what its agents gave back."""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

from measure.transcripts.decode import whole
from measure.transcripts.find import Found, place_of
from measure.transcripts.raw import Row
from measure.transcripts.values import units


def journal(number: int, one: Found) -> list[Row]:
    """Rows of the table `journal`; none where the file has gone or cannot be read."""
    try:
        lines = Path(one.path).read_bytes().split(b"\n")
    except OSError:
        return []
    run = PurePath(one.path).parent.name
    _, placed, _ = place_of(one.path)
    rows: list[Row] = []
    for line in lines:
        record = whole(line) if b"result" in line else None
        if record is not None and record.get("type") == "result":
            session = record.get("sessionId") or placed
            size = units(_text(record.get("result")))
            rows.append((number, session, record.get("agentId"), run, len(rows), size))
    return rows


def _text(result: Any) -> str:
    """A text as it is, any other value as the script's JSON would spell it."""
    return result if isinstance(result, str) else json.dumps(result, separators=(",", ":"), ensure_ascii=False)
