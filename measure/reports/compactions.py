"""Each compaction: the context before and after, and how many requests it had lasted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.reports import decisions
from measure.reports.model import Filters, Report, Show, Table, money, plain
from measure.reports.rows import asked, cut, rest, thread_kind

if TYPE_CHECKING:
    from measure.frames import Frames

SHOW = (
    Show("ts", "when"),
    Show("agent_type", "thread"),
    Show("session_id", "session"),
    Show("trigger"),
    Show("pre_tokens", "before"),
    Show("post_tokens", "after"),
    Show("requests_since_last", "requests"),
    Show("duration_ms", "ms"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """The frame `compactions`, newest first."""
    return frames.compactions.sort("ts", descending=True, nulls_last=True, maintain_order=True)


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `compactions`."""
    table = rows(frames, filters) if table is None else table
    decided, left_out = decisions.table(frames)
    totals = {
        "compactions": len(table),
        "auto": int((table["trigger"] == "auto").sum()),
        "manual": int((table["trigger"] == "manual").sum()),
        "pre_tokens": table["pre_tokens"].sum(),
        "post_tokens": table["post_tokens"].sum(),
    }
    return Report(
        name="compactions",
        title="Compactions",
        rows=asked(table, filters),
        tables=[
            Table("", cut(table, filters).with_columns(thread_kind()), (*SHOW, *money(table.columns))),
            *decided,
        ],
        totals=totals,
        notes=[
            "Before and after: tokens, as the client wrote them. Requests: those since the last compaction.",
            "The requests of a compaction itself leave no usage in transcripts.",
            *left_out,
            *rest(table, filters, "compaction"),
        ],
        extra={"decisions": plain(decided[0].rows) if decided else []},
        empty="No compactions found.",
    )
