"""What agents hand back: sizes in est. tokens, by agent type and route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from measure.metrics import usage
from measure.metrics.cuts import cut_returns, summed
from measure.metrics.quantiles import spread
from measure.reports.model import Filters, Report, Show, Table, money
from measure.reports.rows import asked, cut, rest

if TYPE_CHECKING:
    from measure.frames import Frames

UNKNOWN = "(unknown)"
FIGURES = ("n", "p10", "p25", "p50", "p75", "p90", "max", "total", "over")
EACH = (
    Show("agent_type", "type"),
    Show("agent_id", "agent"),
    Show("route"),
    Show("ts", "delivered"),
    Show("est_tokens", "est. tokens", "count"),
    Show("caller_chars", "caller chars", "count"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """The frame `returns`, largest first."""
    return frames.returns.sort(
        "est_tokens", "session_id", "agent_id", "delivery", descending=[True, False, False, False], nulls_last=True
    )


def quantiles(returns: pl.DataFrame, over: int) -> dict[str, Any]:
    """Nearest-rank quantiles of `est_tokens`: {overall, by_type}; an unknown type is "(unknown)"."""
    types = returns.with_columns(pl.col("agent_type").fill_null(UNKNOWN)).partition_by("agent_type", as_dict=True)
    return {
        "overall": spread(returns["est_tokens"], over),
        "by_type": {str(key[0]): spread(part["est_tokens"], over) for key, part in sorted(types.items())},
    }


def shortened(frames: Frames) -> list[Table]:
    """What was cut at delivery, where anything was."""
    found = summed(cut_returns(frames.returns, frames.reads))
    show = (
        Show("agent_type", "type"),
        Show("cut", "returns"),
        Show("first_est_tokens", "written", "count"),
        Show("est_tokens", "delivered", "count"),
        Show("read_back", "read back"),
        Show("read_back_chars", "chars read", "count"),
    )
    return [Table("Cut at delivery by a hook or the client, est. tokens", found, show)] if len(found) else []


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `returns`: `quantiles` stands in the JSON object beside the rows."""
    table = rows(frames, filters) if table is None else table
    figures = quantiles(table, filters.over)
    overall, line = figures["overall"], filters.over
    beyond = overall["over_n"]
    lines = [{"agent_type": kind} | values for kind, values in figures["by_type"].items()]
    lines.sort(key=lambda each: -each["total"])
    show = (Show("agent_type", "type"), *(Show(n, f"> {line}" if n == "over" else n, "count") for n in FIGURES))
    routes = table.group_by("route").agg(
        pl.len().cast(pl.Int64).alias("returns"), pl.col("chars", "caller_chars").sum(), *usage.money()
    )
    routes = routes.sort("returns", "route", descending=[True, False])
    paid = money(table.columns)
    return Report(
        name="returns",
        title="Returns of agents, in est. tokens (UTF-16 length / 4)",
        rows=asked(table, filters),
        tables=[
            Table("Sizes by agent type", lines, show, {"agent_type": "all"} | overall),
            Table(
                "By route",
                routes,
                (
                    Show("route"),
                    Show("returns"),
                    Show("chars", "", "count"),
                    Show("caller_chars", "caller received", "count"),
                    *money(routes.columns),
                ),
            ),
            *shortened(frames),
            Table("Largest", cut(table, filters, 5), (*EACH, *paid)),
        ],
        totals={"returns": len(table)} | overall,
        notes=[
            f"Quantiles: nearest rank. > {line}: est. tokens above that line, summed ({beyond:,} of {overall['n']:,}).",
            *rest(table, filters, "return", 5),
        ],
        extra={"quantiles": figures},
        empty="No returns found.",
    )
