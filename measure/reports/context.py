"""How the context of each thread grew, by the segments between its compactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.reports.model import Filters, Report, Show, Table
from measure.reports.rows import asked, cut, rest, thread_kind

if TYPE_CHECKING:
    from measure.frames import Frames

SHOW = (
    Show("agent_type", "thread"),
    Show("session_id", "session"),
    Show("agent_id", "agent"),
    Show("segment", "seg"),
    Show("requests", "req"),
    Show("first_context_tokens", "first"),
    Show("peak_context_tokens", "peak"),
    Show("final_context_tokens", "final"),
    Show("growth_tokens", "growth"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """One row a segment of a thread, largest peak first.

    `growth_tokens`: mean growth of the context from one request to the next, (final - first) / (requests - 1);
    null for a single request. Requests without a context (none recorded, replayed, all zero) are left out.
    """
    curve = frames.requests.filter(pl.col("context_tokens").is_not_null()).sort("step", nulls_last=True)
    context = pl.col("context_tokens")
    first, final = context.first(), context.last()
    return (
        curve.group_by("session_id", "agent_id", "segment", maintain_order=True)
        .agg(
            pl.col("agent_type").first(),
            pl.col("model").last(),
            pl.len().cast(pl.Int64).alias("requests"),
            first.alias("first_context_tokens"),
            context.max().alias("peak_context_tokens"),
            final.alias("final_context_tokens"),
            pl.when(pl.len() > 1).then((final - first) / (pl.len() - 1)).alias("growth_tokens"),
            pl.col("project").first(),
        )
        .sort(
            "peak_context_tokens",
            "session_id",
            "agent_id",
            "segment",
            descending=[True, False, False, False],
            nulls_last=True,
        )
    )


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `context`."""
    table = rows(frames, filters) if table is None else table
    totals = {
        "threads": table.select("session_id", "agent_id").n_unique() if len(table) else 0,
        "segments": len(table),
        "requests": table["requests"].sum(),
        "peak_context_tokens": table["peak_context_tokens"].max(),
    }
    return Report(
        name="context",
        title="Context of each thread, by segment between compactions",
        rows=asked(table, filters),
        tables=[Table("", cut(table, filters).with_columns(thread_kind()), SHOW)],
        totals=totals,
        notes=["Growth: mean tokens from one request to the next.", *rest(table, filters, "segment")],
        empty="No requests found.",
    )
