"""Bring the store up to date with the files that were found, and give the frames."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from measure.columns import FRAMES
from measure.frames import Frames, of_cache, resolve
from measure.store import quick
from measure.store.manifest import DAMAGED, HEAD, Known, Manifest, head, roots_key, state_of
from measure.store.place import folder
from measure.transcripts.find import Found, Listing

if TYPE_CHECKING:
    from measure.transcripts.build import RawFrames
    from measure.transcripts.scan import Job, Outcome, Progress

# What reads transcripts is imported where something is to be read: mostly nothing has changed.

REBUILT = ": it was built anew from the transcripts."


def load(found: Listing, progress: Progress | None = None) -> Frames:
    """Frames of the files found; only what was written since the last time is read.

    Raises OSError or sqlite3.Error where the store cannot be used at all: then the transcripts are read without it.
    """
    manifest = Manifest(folder())
    try:
        try:
            frames = _load(manifest, found, progress)
        except (pl.exceptions.PolarsError, FileNotFoundError, EOFError):
            # A segment is damaged, or another process compacted it away under us: begin again, from the files.
            with manifest.writing():
                manifest.empty()
            manifest.rebuilt = DAMAGED
            frames = _load(manifest, found, progress)
        if manifest.rebuilt:
            frames.notes.append(manifest.rebuilt + REBUILT)
        return frames
    finally:
        manifest.close()


def _load(manifest: Manifest, found: Listing, progress: Progress | None) -> Frames:
    with manifest.reading():
        known, names = manifest.files(), manifest.segments()
        answer = manifest.answer(roots_key(found))
    gone = _gone(found, known)
    same = all(one.path in known and known[one.path].is_same(one) for one in found.files)
    if same and not gone and answer and answer[0] == state_of(found, known):
        return of_cache(_existing(manifest.folder / "frames" / answer[1]), quick.time_of(answer[2]["oldest"]), found)
    from measure.store import segments
    from measure.transcripts import scan

    try:
        outcome = scan.run(jobs(found, known), progress)
    except scan.Stopped as stopped:
        stopped.kept = bool(stopped.outcome.seen) and _take(manifest, stopped.outcome, known, [])[0]
        raise
    kept, segment = _take(manifest, outcome, known, gone)
    names = [*names, segment] if segment else names
    present = {one.path for one in found.files}
    live = {path: entry for path, entry in known.items() if path in present}
    raw = segments.read(manifest.folder, names, {entry.file for entry in live.values()})
    if segment and not kept:
        segments.remove(manifest.folder, segment)
    raw, live = with_rests(raw, live, found)
    accounts = {path: (entry.file, entry, entry.sums) for path, entry in live.items()}
    raw = scan.finished(raw, accounts, found)
    written = {name: raw[name] for name in ("files", "spans", "usage")} if kept else {}
    frames = resolve(raw, found)
    if kept:
        _remember(manifest, found, known, frames, written)
        _compact(manifest, known)
    return frames


def _take(manifest: Manifest, outcome: Outcome, known: dict[str, Known], gone: list[str]) -> tuple[bool, str | None]:
    """Write what was read, and bring `known` up to date; whether it was kept, and the segment's name."""
    from measure.store import segments

    fresh = {one.path: entry for one, entry in entries(outcome, known)}
    before = {path: known.get(path) for path in fresh}
    known |= fresh
    for path in gone:
        known.pop(path, None)
    segment = segments.write(manifest.folder, outcome.raw) if outcome.raw else None
    outcome.raw = {}  # read again with all others: not twice in memory
    return _commit(manifest, fresh, before, gone, segment), segment


def _existing(place: Path) -> Path:
    """`place`, if every frame is in it. Raises FileNotFoundError else."""
    for name in FRAMES:
        (place / f"{name}.parquet").stat()
    return place


def jobs(found: Listing, known: dict[str, Known]) -> list[Job]:
    """What has to be read: whole files that are new or were replaced, and the tails of grown ones."""
    from measure.transcripts.scan import Job

    out = []
    for one in found.files:
        entry = known.get(one.path)
        if entry is not None and entry.is_same(one):
            continue
        if entry is not None and entry.why is None and entry.has_grown(one):
            out.append(Job(one, entry.file, entry.offset, entry.next_line, known=entry.lines > 0))
        else:
            out.append(Job(one, _new_id()))
    return out


def _new_id() -> int:
    # Random, so that two processes that read at once need not agree on anything.
    return int.from_bytes(os.urandom(8), "big") >> 2


def _gone(found: Listing, known: dict[str, Known]) -> list[str]:
    """Files below the roots that are no longer there."""
    present = {one.path for one in found.files}
    roots = [root.rstrip("/\\") for root in found.roots]
    below = tuple(root + sep for root in roots for sep in ("/", "\\"))
    return [path for path in known if path not in present and path.startswith(below)]


def entries(outcome: Outcome, known: dict[str, Known]) -> Iterable[tuple[Found, Known]]:
    """What the manifest says of each file that was read, its earlier part included."""
    from measure.transcripts import totals

    for job, seen in outcome.seen:
        one = job.found
        before = known.get(one.path) if job.offset else None
        entry = Known(job.file, one.size, one.mtime_ns, one.inode, one.device, "", seen.offset, seen.next_line)
        entry.head = head(one.path, min(seen.offset, HEAD))
        entry.why, entry.lines, entry.damaged = seen.why, seen.lines, seen.damaged
        entry.first_damaged_line = seen.first_damaged_line
        entry.surrogates, entry.clamped, entry.ctime_ns = seen.surrogates, seen.clamped, one.ctime_ns
        entry.sums = totals.added(before.sums if before else None, outcome.sums.get(job.file))
        if before is not None:
            for name in ("lines", "damaged", "surrogates", "clamped"):
                setattr(entry, name, getattr(entry, name) + getattr(before, name))
            entry.first_damaged_line = before.first_damaged_line or entry.first_damaged_line
        yield one, entry


def _commit(
    manifest: Manifest,
    fresh: dict[str, Known],
    before: dict[str, Known | None],
    gone: list[str],
    segment: str | None,
) -> bool:
    """Name the new segment and what was read; False where another process was quicker: then nothing is written."""
    if not fresh and not gone:
        return True
    try:
        with manifest.writing():
            now = manifest.known(before)
            if any(now.get(path) != entry for path, entry in before.items()):
                return False
            manifest.put(fresh)
            manifest.drop(gone)
            if segment:
                manifest.add_segment(segment)
    except sqlite3.OperationalError:
        return False  # another process writes for longer than we wait, or the disk is full or read-only
    return True


def with_rests(raw: RawFrames, live: dict[str, Known], found: Listing) -> tuple[RawFrames, dict[str, Known]]:
    """Add the last lines that have no end yet: they are read every time and never stored."""
    from measure.transcripts import scan, totals
    from measure.transcripts.build import concat
    from measure.transcripts.scan import Job

    rests = []
    for one in found.files:
        entry = live.get(one.path)
        if entry is None:
            rests.append(Job(one, _new_id(), rest=True))
        elif entry.why is None and entry.offset < entry.size:
            rests.append(Job(one, entry.file, entry.offset, entry.next_line, known=entry.lines > 0, rest=True))
    if not rests:
        return raw, live
    outcome = scan.run(rests)
    fresh = {one.path: entry for one, entry in entries(outcome, live)}
    raw = concat([raw, outcome.raw])
    raw["spans"] = totals.merged_spans(raw["spans"])
    return raw, live | fresh


def _remember(manifest: Manifest, found: Listing, known: dict[str, Known], frames: Frames, raw: RawFrames) -> None:
    """Keep the frames and the overview's figures for the next time; failing to is no error."""
    from measure.store import segments
    from measure.store.ends import FILES, ends

    try:
        facts = quick.facts(frames)
        name = segments.write_frames(manifest.folder, {name: frames.frame(name) for name in FRAMES})
        newest = sorted(found.files, key=lambda one: -one.mtime_ns)[:FILES]
        kept = ends(raw, frames.requests, [one.path for one in newest])
        roots, state = roots_key(found), state_of(found, known)
        with manifest.writing():
            manifest.keep(roots, state, name, facts, kept)
    except (OSError, sqlite3.Error):
        return


def _compact(manifest: Manifest, known: dict[str, Known]) -> None:
    """Make many small segments one, and sweep what nobody names."""
    from measure.store import segments

    try:
        names = manifest.segments()
        if len(names) >= segments.COMPACT_AT:
            raw = segments.read(manifest.folder, names, {entry.file for entry in known.values()})
            merged = segments.write(manifest.folder, raw)
            with manifest.writing():
                if manifest.segments() == names:
                    manifest.db.execute("DELETE FROM segments")
                    manifest.add_segment(merged)
                    names = [merged]
        folders = [row[0] for row in manifest.db.execute("SELECT folder FROM answers")]
        segments.sweep(manifest.folder, names, folders)
    except (OSError, sqlite3.Error, pl.exceptions.PolarsError):
        return
