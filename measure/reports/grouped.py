"""Reports with one line a model, day or project: the same sums, another key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.reports.model import Filters, Report, Show, Table, money
from measure.reports.rows import asked, cut, rest

if TYPE_CHECKING:
    from measure.frames import Frames

USAGE = (
    Show("requests"),
    Show("input_tokens", "input"),
    Show("cache_read_tokens", "cache read"),
    Show("cache_write_tokens", "cache write"),
    Show("output_tokens", "output"),
)


def grouped(name: str, title: str, key: Show, table: pl.DataFrame, frames: Frames, filters: Filters) -> Report:
    """A report of `table` (one row a value of `key`), with the totals of `frames.requests` at its end.

    Money columns of `table` are summed for the last line.
    """
    totals = usage.totals(frames.requests)
    paid = money(table.columns)
    last = {key.column: "total"} | totals | {show.column: table[show.column].sum() for show in paid}
    return Report(
        name=name,
        title=title,
        rows=asked(table, filters),
        tables=[Table("", cut(table, filters), (key, *USAGE, *paid), last)],
        totals=totals,
        notes=rest(table, filters, name.removesuffix("s")),
        empty="No requests found.",
    )
