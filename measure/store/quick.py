"""The overview without Polars: the figures of the last time, plus what was written to known files since.

Only what cannot change anything else is added here: new responses of known threads. Anything that could (a new file,
thread, model or folder, an agent's launch or result, a response that stands elsewhere too) sends the question to the
frames, which give the same figures in a second.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure.horizon import horizon
from measure.reports.model import Source
from measure.reports.overview import Counts
from measure.store.manifest import Manifest, roots_key, stamp_of, state_of_tree
from measure.store.place import DATABASE, folder
from measure.transcripts.find import Found, tree

if TYPE_CHECKING:
    from measure.frames import Frames
    from measure.transcripts.walk import Tree

GROWTH_BYTES = 4 << 20
GROWN_FILES = 16


def overview(paths: Sequence[Path]) -> tuple[Counts, Source] | None:
    """Counts and source of the unfiltered overview; None where only the frames can tell."""
    return of_tree(tree(paths)) if (folder() / DATABASE).exists() else None


def of_tree(found: Tree) -> tuple[Counts, Source] | None:
    """Likewise, of places that were walked just now."""
    place = folder()
    if found.bad_roots or not found.files or not (place / DATABASE).exists():
        return None  # opening the manifest would make one
    try:
        manifest = Manifest(place, repair=False)
        try:
            return _answer(manifest, found)
        finally:
            manifest.close()
    except (sqlite3.Error, OSError, ValueError, KeyError):
        return None


def _answer(manifest: Manifest, found: Tree) -> tuple[Counts, Source] | None:
    with manifest.reading():
        stamps = manifest.stamps()
        roots = roots_key(found)
        answer = manifest.answer(roots)
        if answer is None or answer[0] != state_of_tree(found, stamps):
            return None
        grown = [Found(*one) for one in found.files if stamps[one[0]] != stamp_of(one[1:])]
        if len(grown) > GROWN_FILES:
            return None
        known = manifest.known([one.path for one in grown])
        ends = {one.path: manifest.ends(roots, one.path) for one in grown}
    facts = answer[2]
    if grown:
        from measure.store import growth

        if sum(one.size - known[one.path].offset for one in grown) > GROWTH_BYTES:
            return None
        keys = growth.Keys(manifest.folder / "frames" / answer[1] / "keys.bin")
        for one in grown:
            if not growth.add(facts, one, known[one.path], ends[one.path], keys):
                return None
        growth.sort(facts["counts"])
    counts = facts["counts"]
    for name in ("first", "last"):
        counts[name] = time_of(counts[name])
    oldest = horizon(found.roots, time_of(facts["oldest"]))
    skipped = tuple((path, why) for path, why in facts["skipped"])
    return Counts(**counts), Source(facts["files_read"], skipped, facts["records"], oldest.as_dict())


def time_of(text: str | None) -> datetime | None:
    """The instant that was written as ISO text."""
    return datetime.fromisoformat(text) if text else None


def facts(frames: Frames) -> dict[str, Any]:
    """What `overview` needs, as plain JSON values."""
    from measure.reports.overview import count

    counts = asdict(count(frames))
    for name in ("first", "last"):
        counts[name] = counts[name] and counts[name].isoformat()
    oldest = frames.horizon.oldest
    return {
        "counts": json.loads(json.dumps(counts)),
        "files_read": int(frames.files["skipped"].is_null().sum()),
        "skipped": [[one["path"], one["reason"]] for one in frames.skipped],
        "records": frames.records,
        "oldest": oldest.isoformat() if oldest else None,
    }
