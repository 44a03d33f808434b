"""The first request of each thread: the tokens paid before any work, by agent type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.reports.model import Filters, Report, Show, Table
from measure.reports.rows import asked, cut, rest, thread_kind
from measure.reports.words import counted

if TYPE_CHECKING:
    from measure.frames import Frames

KINDS = (
    Show("agent_type", "thread"),
    Show("threads"),
    Show("p50_tokens", "median"),
    Show("p90_tokens", "p90"),
    Show("max_tokens", "largest"),
    Show("above", "above bound"),
)
LARGEST = (
    Show("agent_type", "thread"),
    Show("session_id", "session"),
    Show("agent_id", "agent"),
    Show("model"),
    Show("context_tokens", "first request"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """One row a thread: `context_tokens` of its first request; threads without a recorded one are left out.

    Replayed requests (a fork's copy of its parent's) are no first request of the thread. Largest first.
    """
    own = pl.col("context_tokens").is_not_null() & ~pl.col("is_replay").fill_null(value=False)
    return (
        frames.requests.filter(own)
        .sort("step", nulls_last=True)
        .group_by("session_id", "agent_id", maintain_order=True)
        .agg(pl.col("agent_type", "model", "project", "ts", "context_tokens").first())
        .sort("context_tokens", "session_id", "agent_id", descending=[True, False, False], nulls_last=True)
    )


def by_kind(table: pl.DataFrame, bound: int | None) -> pl.DataFrame:
    """One row an agent type (main first): threads, median, nearest-rank p90 and largest; how many lie above `bound`."""
    tokens = pl.col("context_tokens")
    above = (tokens > bound).sum().cast(pl.Int64) if bound is not None else pl.lit(None, pl.Int64)
    return (
        table.with_columns(thread_kind())
        .group_by("agent_type")
        .agg(
            pl.len().cast(pl.Int64).alias("threads"),
            tokens.quantile(0.5, "nearest").cast(pl.Int64).alias("p50_tokens"),
            tokens.quantile(0.9, "nearest").cast(pl.Int64).alias("p90_tokens"),
            tokens.max().alias("max_tokens"),
            above.alias("above"),
        )
        .sort(pl.col("agent_type") != "main", "agent_type")
    )


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `start`; `totals["above"]` is null without a bound."""
    table = rows(frames, filters) if table is None else table
    kinds = by_kind(table, filters.bound)
    above = int((table["context_tokens"] > filters.bound).sum()) if filters.bound is not None else None
    totals = {"threads": len(table), "context_tokens": table["context_tokens"].sum(), "above": above}
    of = counted(len(table), "thread")
    lead = [] if above is None else [f"Above {filters.bound:,} tokens at the start: {above:,} of {of}."]
    shown = KINDS if filters.bound is not None else KINDS[:-1]
    return Report(
        name="start",
        title="First requests: what is paid before any work",
        rows=asked(table, filters),
        tables=[
            Table("By thread", kinds, shown),
            Table("Largest", cut(table, filters, 5).with_columns(thread_kind()), LARGEST),
        ],
        totals=totals,
        lead=lead,
        notes=[
            "Tokens: input, cache read and cache write of a thread's first request.",
            *rest(table, filters, "thread", 5),
        ],
        extra={"by_kind": kinds.to_dicts()},
        empty="No requests found.",
    )
