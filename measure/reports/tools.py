"""Result sizes of each tool: what the tools put into the contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.metrics.quantiles import rank
from measure.reports.model import Filters, Report, Show, Table, money
from measure.reports.rows import asked, cut, rest, share_of

if TYPE_CHECKING:
    from measure.frames import Frames

SHOW = (
    Show("tool"),
    Show("calls"),
    Show("errors"),
    Show("denied"),
    Show("result_est_tokens", "total"),
    Show("main_result_est_tokens", "in main"),
    Show("result_share", "share"),
    Show("p50", "p50", "short"),
    Show("p90", "p90", "short"),
    Show("max", "max", "short"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """One row a tool: calls, errors, denials; result sizes in est. tokens (sum, in main threads, quantiles)."""
    return by_tool(frames.tool_calls)


def by_tool(calls: pl.DataFrame) -> pl.DataFrame:
    """The table of `rows`, from a frame `tool_calls` (with more columns, where a policy report joined some)."""
    size = pl.col("result_est_tokens")
    return (
        calls.group_by("tool")
        .agg(
            pl.len().cast(pl.Int64).alias("calls"),
            *(pl.col(flag).sum().cast(pl.Int64).alias(name) for flag, name in FLAGS),
            pl.col("result_chars").sum(),
            size.sum(),
            size.filter(pl.col("agent_id").is_null()).sum().alias("main_result_est_tokens"),
            *(rank("result_est_tokens", percent).alias(name) for name, percent in SPREAD),
            *usage.money(),
        )
        .with_columns(share_of("result_est_tokens", "result_share"))
        .sort("result_est_tokens", "calls", "tool", descending=[True, True, False])
    )


FLAGS = (("is_error", "errors"), ("denied", "denied"), ("persisted", "persisted"))
SPREAD = (("p50", 50), ("p90", 90), ("max", 100))


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `tools`."""
    table = rows(frames, filters) if table is None else table
    sums = ("calls", "errors", "denied", "persisted", "result_chars", "result_est_tokens", "main_result_est_tokens")
    totals = {name: table[name].sum() for name in sums}
    last = {"tool": "total"} | totals
    return Report(
        name="tools",
        title="Tool results, in est. tokens (UTF-16 length / 4)",
        rows=asked(table, filters),
        tables=[Table("", cut(table, filters), (*SHOW, *money(table.columns)), last)],
        totals=totals,
        notes=["In main: what the main threads received. Quantiles: nearest rank.", *rest(table, filters, "tool")],
        empty="No tool calls found.",
    )
