"""The Parquet side of the store: raw tables of many files in one folder, zstd, and the frames resolved from them."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from array import array
from collections.abc import Collection, Sequence
from pathlib import Path

import polars as pl

from measure.transcripts.build import RawFrames, concat
from measure.transcripts.lines import probe
from measure.transcripts.raw import TABLES
from measure.transcripts.totals import merged_spans
from measure.transcripts.values import digest

# Tables that are made anew at every load, from the manifest and the meta files.
MADE = ("files", "metas")
STORED = tuple(table.name for table in TABLES if table.name not in MADE)
COMPACT_AT = 12
PROBE = "hashing"  # file of a segment: how its lines were hashed
_STALE_SECONDS = 900


def write(folder: Path, raw: RawFrames) -> str:
    """Write the raw tables that have rows as a new segment; returns its name. Nobody knows it until it is committed."""
    name = f"{int(time.time())}-{uuid.uuid4().hex[:12]}"
    target = folder / "segments" / name
    target.mkdir(parents=True)
    for table in STORED:
        if table in raw and raw[table].height:
            raw[table].write_parquet(target / f"{table}.parquet", compression="zstd", compression_level=1)
    (target / PROBE).write_text(probe(), encoding="ascii")
    return name


def read(folder: Path, names: Sequence[str], files: Collection[int]) -> RawFrames:
    """The rows of `files` in some segments, oldest first. Raises OSError or polars' errors where one is damaged."""
    wanted = pl.Series("file", list(files), dtype=pl.Int64)
    hashing = probe()
    parts: list[RawFrames] = []
    for name in names:
        place = folder / "segments" / name
        if (place / PROBE).read_text(encoding="ascii") != hashing:
            raise FileNotFoundError(f"{name}: lines hashed by another version of Polars")
        entries = sorted(entry.name for entry in os.scandir(place))
        tables = {entry.removesuffix(".parquet"): place / entry for entry in entries if entry.endswith(".parquet")}
        part = {}
        for table, path in tables.items():
            rows = pl.read_parquet(path)
            alive = rows["file"].is_in(wanted.implode())
            part[table] = rows if alive.all() else rows.filter(alive)
        parts.append(part)
    raw = concat(parts)
    raw["spans"] = merged_spans(raw["spans"])
    return raw


def remove(folder: Path, name: str) -> None:
    """A segment that no transaction names any more."""
    shutil.rmtree(folder / "segments" / name, ignore_errors=True)


def sweep(folder: Path, segments: Collection[str], frames: Collection[str]) -> None:
    """Remove folders that nobody names, after a quarter of an hour: a run may still be writing or reading them."""
    for kind, named in (("segments", segments), ("frames", frames)):
        try:
            entries = list(os.scandir(folder / kind))
        except OSError:
            continue
        for entry in entries:
            if entry.name not in named and time.time() - entry.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(entry.path, ignore_errors=True)


def write_frames(folder: Path, frames: dict[str, pl.DataFrame]) -> str:
    """Write resolved frames; returns the folder's name."""
    name = f"{int(time.time())}-{uuid.uuid4().hex[:12]}"
    target = folder / "frames" / name
    target.mkdir(parents=True)
    for frame, rows in frames.items():
        rows.write_parquet(target / f"{frame}.parquet", compression="zstd", compression_level=1)
    (target / "keys.bin").write_bytes(keys_of(frames["requests"]["message_id"].drop_nulls().unique().to_list()))
    return name


def keys_of(message_ids: Sequence[str]) -> bytes:
    """Sorted digests of response ids, 8 bytes each."""
    return array("q", sorted({digest(one) for one in message_ids})).tobytes()
