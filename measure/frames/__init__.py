"""The tidy frames; `load` is the door."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from measure.columns import FRAMES, empty
from measure.frames import files as _files
from measure.horizon import Horizon, horizon
from measure.store import place
from measure.transcripts.find import Listing, listing

if TYPE_CHECKING:
    from measure.transcripts.build import RawFrames

__all__ = ["Frames", "Horizon", "load", "resolve"]


@dataclass
class Frames:
    """All frames of one read, with the schemas of `measure.columns` also when empty, and what was read of what.

    `records`: {read, used, bookkeeping, unknown, damaged}. `skipped`: [{path, reason}]. `bad_roots` likewise.
    """

    requests: pl.DataFrame = field(default_factory=lambda: empty("requests"))
    agents: pl.DataFrame = field(default_factory=lambda: empty("agents"))
    returns: pl.DataFrame = field(default_factory=lambda: empty("returns"))
    tool_calls: pl.DataFrame = field(default_factory=lambda: empty("tool_calls"))
    reads: pl.DataFrame = field(default_factory=lambda: empty("reads"))
    compactions: pl.DataFrame = field(default_factory=lambda: empty("compactions"))
    events: pl.DataFrame = field(default_factory=lambda: empty("events"))
    sessions: pl.DataFrame = field(default_factory=lambda: empty("sessions"))
    files: pl.DataFrame = field(default_factory=lambda: empty("files"))
    roots: list[str] = field(default_factory=list)
    bad_roots: list[dict[str, str]] = field(default_factory=list)
    horizon: Horizon = field(default_factory=lambda: horizon((), None))
    unfiltered: Frames | None = None
    """What these frames were selected from; null where nothing was left out. A text's cost depends on requests
    that a filter may have dropped."""

    notes: list[str] = field(default_factory=list)
    """Sentences about the reading itself, for the foot of a report."""
    stored: Path | None = None
    """Folder of Parquet files that frames which are no attribute yet are read from."""

    def __getattr__(self, name: str) -> pl.DataFrame:
        """A frame that lies in the store: read when it is asked for."""
        if name in FRAMES and self.__dict__.get("stored") is not None:
            frame = pl.read_parquet(self.__dict__["stored"] / f"{name}.parquet")
            setattr(self, name, frame)
            return frame
        raise AttributeError(name)

    @property
    def records(self) -> dict[str, int]:
        """Lines read, by what became of them."""
        return _files.records(self.files)

    @property
    def skipped(self) -> list[dict[str, str]]:
        """Files that were looked at and not read, each with the reason."""
        rows = self.files.filter(pl.col("skipped").is_not_null())
        return [{"path": path, "reason": why} for path, why in rows.select("file", "skipped").iter_rows()]

    def frame(self, name: str) -> pl.DataFrame:
        """The frame called `name`. Raises KeyError for an unknown name."""
        if name not in FRAMES:
            raise KeyError(name)
        found: pl.DataFrame = getattr(self, name)
        return found


def load(
    paths: Sequence[str | os.PathLike[str]] | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    looked: Callable[[int], None] | None = None,
    store: bool | None = None,
) -> Frames:
    """Read transcripts below `paths` (else the client's config folders) into frames. Nothing found is no error.

    `looked(files found so far)` is called while looking, `progress(bytes read, bytes in all)` while reading. `store`:
    read only what was written since the last time and keep the rest in the user's cache folder; None: not unless the
    command line switched it on.
    """
    found = listing(paths, looked=looked)
    if store if store is not None else place.is_on():
        from measure.store import update

        try:
            return update.load(found, progress)
        except (OSError, sqlite3.Error, UnicodeEncodeError) as error:  # a path that is no UTF-8 cannot be kept
            from measure.transcripts.scan import scan

            frames = resolve(scan(found, progress), found)
            frames.notes.append(f"The store could not be used ({type(error).__name__}): everything was read.")
            return frames
    from measure.transcripts.scan import scan

    return resolve(scan(found, progress), found)


def of_cache(folder: Path, oldest: datetime | None, found: Listing) -> Frames:
    """Frames that were written to `folder` for exactly these files."""
    frames = Frames()
    for name in FRAMES:
        delattr(frames, name)
    frames.stored, frames.roots = folder, found.roots
    frames.bad_roots = [{"path": path, "reason": why} for path, why in found.bad_roots]
    frames.horizon = horizon(found.roots, oldest)
    return frames


def resolve(raw: RawFrames, found: Listing) -> Frames:
    """Frames from raw tables, which are used up: `resolved.resolve`, imported when it is needed."""
    from measure.frames import resolved

    return resolved.resolve(raw, found)
