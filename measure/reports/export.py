"""Every frame as a file of its own."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from measure.columns import FRAMES
from measure.errors import SetpointError
from measure.reports.foot import head
from measure.reports.machine import jsonable
from measure.reports.read import keep_out, read

if TYPE_CHECKING:
    import polars as pl

Format = Literal["parquet", "csv", "jsonl"]


def export(paths: Sequence[Path], to: Path, form: Format) -> None:
    """Write DIR/<frame>.<form> for every frame and say so. Raises SetpointError where the folder cannot be written."""
    check(to)
    frames, source = read(paths)
    keep_out(to, frames, "--to")
    if not source.files_read:
        sys.stderr.write("setpoint: " + " ".join(head(source)[:1]) + " The frames are empty.\n")
    try:
        to.mkdir(parents=True, exist_ok=True)
        for name in FRAMES:
            _write(frames.frame(name), to / f"{name}.{form}", form)
    except OSError as error:
        raise SetpointError(f"cannot write to {to}: {(error.strerror or str(error)).lower()}.") from error
    sys.stdout.write(f"Wrote {len(FRAMES)} frames to {to}: {', '.join(f'{name}.{form}' for name in FRAMES)}\n")


def check(to: Path) -> None:
    """Raise SetpointError where `to` cannot become a folder with files: before minutes of reading, not after."""
    try:
        there = next(place for place in (to.absolute(), *to.absolute().parents) if place.exists() or place.is_symlink())
        if not there.is_dir():
            raise SetpointError(f"cannot write to {to}: {'it' if there == to.absolute() else there} is no folder.")
    except OSError as error:
        raise SetpointError(f"cannot write to {to}: {(error.strerror or str(error)).lower()}.") from error
    if not os.access(there, os.W_OK | os.X_OK):
        raise SetpointError(f"cannot write to {to}: permission denied.")


def _write(frame: pl.DataFrame, path: Path, form: Format) -> None:
    """Write beside the target and rename: a reader never sees half a file."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if form == "parquet":
            frame.write_parquet(part, compression="zstd")
        elif form == "csv":
            frame.write_csv(part, datetime_format="%Y-%m-%dT%H:%M:%S%.3fZ")
        else:
            with part.open("w", encoding="utf-8", newline="\n") as out:
                for row in frame.iter_rows(named=True):
                    out.write(json.dumps(jsonable(row), ensure_ascii=False) + "\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
