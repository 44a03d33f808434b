"""Frames with the store held against those without it, after every step."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path

from made_transcripts import lines

from measure.columns import FRAMES
from measure.frames import Frames, load
from measure.reports.machine import jsonable
from measure.store import quick


def same(one: Frames, other: Frames) -> None:
    for name in FRAMES:
        assert one.frame(name).equals(other.frame(name)), name
    assert one.records == other.records
    assert one.skipped == other.skipped
    assert one.horizon == other.horizon


def checked(root: Path) -> Frames:
    """Frames with the store, held against those without it; and the quick overview, where it dares to answer."""
    told = quick.overview([root])
    stored = load([root], store=True)
    whole = load([root], store=False)
    same(stored, whole)
    if told is not None:
        facts = quick.facts(whole)
        assert _plain(told[0]) == facts["counts"]
        assert told[1].records == facts["records"]
        assert told[1].files_read == facts["files_read"]
    return stored


def _plain(counts: object) -> object:
    told = asdict(counts)  # type: ignore[call-overload]
    for name in ("first", "last"):
        told[name] = told[name] and told[name].isoformat()
    return json.loads(json.dumps(jsonable(told)))


def grow(path: Path, records: list[object], *, touch: int = 0) -> None:
    with path.open("ab") as file:
        file.write(lines(records))
    os.utime(path, ns=(time.time_ns() + touch, time.time_ns() + touch))
