"""One line a thread: requests, contexts and total input of every agent, and of the main threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.frames.sums import whole
from measure.metrics import usage
from measure.metrics.quantiles import rank
from measure.reports.model import Filters, Report, Show, Table, money
from measure.reports.rows import asked, cut, rest, thread_kind
from measure.reports.words import counted

if TYPE_CHECKING:
    from measure.frames import Frames

SHOW = (
    Show("agent_type", "thread"),
    Show("thread_id", "id"),
    Show("mode"),
    Show("requests", "req"),
    Show("first_context_tokens", "first"),
    Show("peak_context_tokens", "peak"),
    Show("final_context_tokens", "final"),
    Show("total_input_tokens", "input"),
    Show("output_tokens", "output"),
)
BY_TYPE = (
    Show("agent_type", "thread"),
    Show("threads"),
    Show("requests", "req"),
    Show("total_input_tokens", "input"),
    Show("output_tokens", "output"),
    Show("peak_p50_tokens", "peak p50"),
    Show("peak_max_tokens", "peak max"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """The frame `agents` (agent_id null: a main thread), most total input first."""
    return frames.agents.sort(
        "total_input_tokens", "session_id", "agent_id", descending=[True, False, False], nulls_last=True
    )


def by_type(table: pl.DataFrame) -> pl.DataFrame:
    """One row an agent type: threads, sums, and the median (nearest rank) and largest of their peak contexts."""
    return (
        table.group_by(thread_kind())
        .agg(
            pl.len().cast(pl.Int64).alias("threads"),
            *map(whole, ("requests", "total_input_tokens", "output_tokens")),
            rank("peak_context_tokens", 50).alias("peak_p50_tokens"),
            pl.col("peak_context_tokens").max().alias("peak_max_tokens"),
            *usage.money(),
        )
        .sort("total_input_tokens", "agent_type", descending=[True, False])
    )


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `agents`."""
    table = rows(frames, filters) if table is None else table
    totals = usage.totals(frames.requests) | {"threads": len(table), "agents": table["agent_id"].count()}
    own = pl.coalesce("agent_id", "session_id").alias("thread_id")
    shown = cut(table, filters).with_columns(thread_kind(), own)
    types = by_type(table)
    return Report(
        name="agents",
        title="Threads: the main conversations and every agent",
        rows=asked(table, filters),
        tables=[
            Table("By type", types, (*BY_TYPE, *money(types.columns))),
            Table("Each", shown, (*SHOW, *money(table.columns))),
        ],
        totals=totals,
        notes=[
            "Contexts: tokens of one request's prompt. Input: sum over all requests. Id: the agent, or main's session.",
            *_inherited(table),
            *_silent(table),
            *rest(table, filters, "thread"),
        ],
        extra={"by_type": types.to_dicts()},
        empty="No threads found.",
    )


def _inherited(table: pl.DataFrame) -> list[str]:
    forks = table["inherited_tokens"].drop_nulls()
    if not len(forks):
        return []
    return [f"{counted(len(forks), 'fork')} began with {forks.sum():,} tokens of inherited context."]


def _silent(table: pl.DataFrame) -> list[str]:
    silent = table.filter(pl.col("agent_id").is_not_null() & pl.col("returns").is_null()).height
    return [f"No return was seen of {counted(silent, 'agent')}."] if silent else []
