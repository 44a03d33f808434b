"""How large the returns of each agent type are, and where the limits lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.plots import spread, style
from measure.plots.marks import Mark
from measure.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Size of returns by agent type"
UNKNOWN = "(unknown)"


def no_limits(_agent_type: str | None) -> Sequence[Mark]:
    return ()


def returns(frame: pl.DataFrame, limits: Callable[[str | None], Sequence[Mark]] = no_limits) -> Figure:
    """Delivered returns (est. tokens) by agent type; `limits(agent_type)` gives the limits in force for a type."""
    named = frame.with_columns(pl.col("agent_type").fill_null(UNKNOWN))
    rows, hidden = spread.groups(named, "agent_type", "est_tokens")
    if not rows:
        return style.message(TITLE, "No return here.")
    total = sum(len(row.values) for row in rows)
    subtitle = f"{counted(total, 'return')} · box: middle half, bar: median, line: 5 to 95 %"
    if hidden:
        subtitle += f" · {counted(hidden, 'smaller type')} not shown"
    with style.house():
        fig = style.figure(style.room(len(rows), around=2.0), TITLE, subtitle)
        ax = fig.add_subplot()
        spread.draw(ax, rows)
        ax.set_xlabel("size of a return (est. tokens: UTF-16 length / 4)")
        style.legend(fig, _limits(ax, [limits(None if row.name == UNKNOWN else row.name) for row in rows]))
    return fig


def _limits(ax: Axes, of_rows: Sequence[Sequence[Mark]]) -> list[Artist]:
    """Draw the limits of each row, and return one legend entry a kind of limit."""
    from matplotlib.lines import Line2D

    values: dict[tuple[str, int], set[int]] = {}
    for place, marks in enumerate(of_rows):
        for mark in marks:
            ax.plot(
                [mark.tokens] * 2, [place - 0.48, place + 0.48],
                color=style.COLOURS[2], linewidth=1.8, linestyle=style.LINES[mark.line],
            )  # fmt: skip
            values.setdefault((mark.label, mark.line), set()).add(mark.tokens)
    return [
        Line2D([], [], color=style.COLOURS[2], linestyle=style.LINES[line], label=f"{label}: {_range(tokens)}")
        for (label, line), tokens in values.items()
    ]


def _range(tokens: set[int]) -> str:
    low, high = style.thousands(min(tokens)), style.thousands(max(tokens))
    return low if low == high else f"{low} to {high}, by type"
