"""Cost over time: weeks, months, and the 5-hour windows of usage limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.reports.model import Filters, Report, Show, Table
from measure.reports.rows import asked, cut, rest
from measure.reports.words import counted
from policy.reports.money import USD, costed, extra, notes, warnings
from policy.spend import TOKENS, over_time, total
from policy.spend import blocks as windows

if TYPE_CHECKING:
    from measure.frames import Frames
    from policy.prices import Prices

COLUMNS = (
    Show("requests"),
    Show("input_tokens", "input"),
    Show("cache_read_tokens", "cache read"),
    Show("cache_write_tokens", "cache write"),
    Show("output_tokens", "output"),
    USD,
)


def weeks(frames: Frames, filters: Filters) -> Report:
    """The report `weeks`: one row a week, named by its Monday, newest first."""
    priced = costed(frames, filters)
    return _report(priced, filters, "weeks", Show("week", "week of", "day"), over_time(priced[0], "week"))


def months(frames: Frames, filters: Filters) -> Report:
    """The report `months`: one row a month, named by its first day, newest first."""
    priced = costed(frames, filters)
    return _report(priced, filters, "months", Show("month", kind="month"), over_time(priced[0], "month"))


def blocks(frames: Frames, filters: Filters) -> Report:
    """The report `blocks`: one row a 5-hour window from a full hour, newest first."""
    priced = costed(frames, filters)
    report = _report(priced, filters, "blocks", Show("start", kind="time"), windows(priced[0]))
    report.notes.insert(0, "A window starts at the full hour (UTC) of the first request that no earlier one holds.")
    untimed = priced[0]["ts"].null_count()
    if untimed:
        report.notes.insert(1, f"In no window, without a time: {counted(untimed, 'request')}.")
    return report


def _report(priced: tuple[pl.DataFrame, Prices], filters: Filters, name: str, key: Show, table: pl.DataFrame) -> Report:
    costs, prices = priced
    table = table.sort(key.column, descending=True, nulls_last=True)
    whole = total(costs)
    last = {key.column: "total", "requests": whole["requests"], "usd": whole["usd"]}
    last |= {name: whole[name] for name in TOKENS}
    return Report(
        name=name,
        title=f"Cost by {name.removesuffix('s')} ({filters.timezone})",
        rows=asked(table, filters),
        tables=[Table("", cut(table, filters), (key, *COLUMNS), last)],
        totals=whole,
        lead=warnings(costs),
        notes=[*notes(costs, prices), *rest(table, filters, name.removesuffix("s"))],
        extra=extra(costs, prices),
        empty="No requests found.",
    )
