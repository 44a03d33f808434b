"""Every hook that the transcripts show: how often it ran, failed, and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics.quantiles import rank
from measure.reports.model import Filters, Report, Show, Table
from measure.reports.rows import asked, cut, rest

if TYPE_CHECKING:
    from measure.frames import Frames

SHOW = (
    Show("name", "event"),
    Show("command", "script"),
    Show("runs"),
    Show("failures"),
    Show("blocks"),
    Show("p50_ms", "p50 ms"),
    Show("p95_ms", "p95 ms"),
)
SPREAD = (("p50_ms", 50), ("p95_ms", 95))


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """One row a hook (event, script): runs, failures, blocks, nearest-rank p50 and p95 of the durations in ms.

    Durations are null where the client recorded none; most runs first.
    """
    runs = frames.events.filter(pl.col("kind") == "hook")
    outcome = pl.col("outcome")
    return (
        runs.group_by("name", "command")
        .agg(
            pl.len().cast(pl.Int64).alias("runs"),
            outcome.is_in(["error", "cancelled"]).sum().cast(pl.Int64).alias("failures"),
            (outcome == "blocking").sum().cast(pl.Int64).alias("blocks"),
            *(rank("duration_ms", percent).alias(name) for name, percent in SPREAD),
        )
        .sort("runs", "name", "command", descending=[True, False, False], nulls_last=True)
    )


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `hooks`."""
    table = rows(frames, filters) if table is None else table
    totals = {name: table[name].sum() for name in ("runs", "failures", "blocks")}
    return Report(
        name="hooks",
        title="Hooks seen in the transcripts",
        rows=asked(table, filters),
        tables=[Table("", cut(table, filters), SHOW, {"name": "total"} | totals)],
        totals=totals,
        notes=[
            "A failure: an error, a timeout or a cancelled run. Quantiles: nearest rank.",
            *rest(table, filters, "hook"),
        ],
        empty="No hook runs found.",
    )
