"""Tokens by day of the chosen time zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.reports.grouped import grouped
from measure.reports.model import Filters, Report, Show

if TYPE_CHECKING:
    from measure.frames import Frames


def day(zone: str) -> pl.Expr:
    """Calendar day of `ts` in a time zone, so that an evening belongs to its own day."""
    return pl.col("ts").dt.convert_time_zone(zone).dt.date().alias("day")


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:
    """One row a day with requests, newest first; a null day holds requests without a time."""
    return usage.by(frames.requests, day(filters.timezone)).sort("day", descending=True, nulls_last=True)


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `days`."""
    table = rows(frames, filters) if table is None else table
    return grouped("days", f"Tokens by day ({filters.timezone})", Show("day"), table, frames, filters)
