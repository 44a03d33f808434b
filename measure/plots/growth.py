"""How much a context grows from one request to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.plots import spread, style
from measure.reports.rows import thread_kind
from measure.reports.words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Growth of the context per request"


def steps(requests: pl.DataFrame) -> pl.DataFrame:
    """One row a request that follows another of its segment: `thread` (main or the agent type), `growth` (tokens).

    Growth is the context less that of the request before it; compactions are no growth, they start a new segment.
    """
    thread = ["session_id", "agent_id", "segment"]
    return (
        requests.sort("step")
        .with_columns(
            growth=pl.col("context_tokens") - pl.col("context_tokens").shift(1).over(thread),
            thread=thread_kind(),
        )
        .drop_nulls("growth")
        .select("thread", "growth")
    )


def growth(requests: pl.DataFrame) -> Figure:
    """Spread of the growth per request (tokens), one row for the main threads and one an agent type."""
    rows, hidden = spread.groups(steps(requests), "thread", "growth")
    if not rows:
        return style.message(TITLE, "No thread here has two requests in one segment.")
    subtitle = "within a segment · box: middle half, bar: median, line: 5 to 95 %"
    if hidden:
        subtitle += f" · {counted(hidden, 'smaller type')} not shown"
    with style.house():
        fig = style.figure(style.room(len(rows)), TITLE, subtitle)
        ax = fig.add_subplot()
        spread.draw(ax, rows)
        ax.set_xlabel("growth from the request before (tokens)")
    return fig
