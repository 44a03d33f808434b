"""The frame `files`: one row a file that was looked at, every line of it accounted for, and why it was skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.columns import schema

if TYPE_CHECKING:
    from measure.transcripts.build import RawFrames

COUNTS = ("records", "used", "bookkeeping", "unknown", "damaged")


def files(raw: RawFrames) -> pl.DataFrame:
    """One row a file, in the order of their paths; `records = used + bookkeeping + unknown + damaged` in each."""
    rows = raw["files"].drop("file").rename({"path": "file"}).sort("file")
    return rows.select(pl.col(name).cast(dtype) for name, dtype in schema("files").items())


def records(files: pl.DataFrame) -> dict[str, int]:
    """Sums over all files: read = used + bookkeeping + unknown + damaged."""
    sums = files.select(pl.col(COUNTS).sum()).row(0, named=True)
    return {"read": sums.pop("records"), **sums}
