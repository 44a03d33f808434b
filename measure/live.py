"""Frames of the sessions that run now, kept up to date from the tails of their files. Nothing is stored."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from measure.frames import Frames, resolve
from measure.store.manifest import Known
from measure.store.update import entries, jobs, with_rests
from measure.transcripts import scan, totals
from measure.transcripts.build import RawFrames, concat
from measure.transcripts.find import Found, Listing, listing


class Live:
    """Reads what was written to the sessions below `paths` that were written to in the last `minutes`."""

    def __init__(self, paths: Sequence[Path], minutes: float) -> None:
        self.paths, self.minutes = list(paths) or None, minutes
        self._known: dict[str, Known] = {}
        self._raw: RawFrames = concat([])

    def frames(self, now: float | None = None) -> Frames:
        """The frames of these sessions, whole. Raises OSError only where a root cannot be listed."""
        found = self._recent(listing(self.paths), time.time() if now is None else now)
        outcome = scan.run(jobs(found, self._known))
        if outcome.seen:
            fresh = {one.path: entry for one, entry in entries(outcome, self._known)}
            self._known |= fresh
            self._raw = concat([self._raw, outcome.raw])
            self._raw["spans"] = totals.merged_spans(self._raw["spans"])
        live = {one.path: self._known[one.path] for one in found.files if one.path in self._known}
        raw, live = with_rests(self._only(live), live, found)
        accounts = {path: (entry.file, entry, entry.sums) for path, entry in live.items()}
        return resolve(scan.finished(raw, accounts, found), found)

    def _only(self, live: dict[str, Known]) -> RawFrames:
        """The rows of these files: a session that ended, or a file that was replaced, leaves its rows behind."""
        files = [entry.file for entry in live.values()]
        return {
            name: table.filter(table["file"].is_in(files)) if "file" in table.columns else table
            for name, table in self._raw.items()
        }

    def _recent(self, found: Listing, now: float) -> Listing:
        """Whole sessions one file of which is recent: an agent's caller may have been waiting for an hour."""
        after = (now - self.minutes * 60) * 1e9
        recent = {_session(one) for one in found.files if one.mtime_ns >= after}
        return replace(found, files=[one for one in found.files if _session(one) in recent])


def _session(one: Found) -> str:
    """The session's own folder, which its main file is named after."""
    parts = one.path.replace("\\", "/").split("/")
    if "subagents" in parts:
        return "/".join(parts[: parts.index("subagents")])
    return one.path.replace("\\", "/").removesuffix(".jsonl")
