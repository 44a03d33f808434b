"""One line a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.reports.model import Filters, Report, Show, Table, money
from measure.reports.rows import asked, cut, rest
from measure.reports.words import counted

if TYPE_CHECKING:
    from measure.frames import Frames

SHOW = (
    Show("started", kind="day"),
    Show("session_id", "session"),
    Show("project"),
    Show("requests", "req"),
    Show("agents"),
    Show("input_tokens", "input"),
    Show("cache_read_tokens", "read"),
    Show("cache_write_tokens", "write"),
    Show("output_tokens", "output"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """The frame `sessions`, newest first."""
    return frames.sessions.sort("started", "session_id", descending=[True, False], nulls_last=True)


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `sessions`."""
    table = rows(frames, filters) if table is None else table
    totals = usage.totals(frames.requests) | {"sessions": len(table), "agents": table["agents"].sum()}
    paid = money(table.columns)
    last = {"started": "total"} | totals | {show.column: table[show.column].sum() for show in paid}
    return Report(
        name="sessions",
        title="Sessions",
        rows=asked(table, filters),
        tables=[Table("", cut(table, filters), (*SHOW, *paid), last)],
        totals=totals,
        notes=[*_forks(table), *untracked(table), *rest(table, filters, "session")],
        empty="No sessions found.",
    )


def _forks(table: pl.DataFrame) -> list[str]:
    forks = table["forked_from"].count()
    if not forks:
        return []
    return [f"{forks:,} of them began as a copy of another (fork): what they inherited counts once, for the original."]


def untracked(sessions: pl.DataFrame) -> list[str]:
    """The cross-check: what the client's own totals hold beyond the requests found."""
    known = sessions.filter(pl.col("untracked_output_tokens").is_not_null())
    if not len(known):
        return []
    kinds = ("input", "cache_read", "cache_write", "output")
    parts = [f"{known[f'untracked_{kind}_tokens'].sum():,} {kind.replace('_', ' ')}" for kind in kinds]
    return [
        "Not in transcripts (compactions, side requests), by the client's own totals of "
        f"{counted(len(known), 'session')}: " + ", ".join(parts) + " tokens."
    ]
