"""Rows of boxes: how a size is spread within each group, whatever the size of the group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from measure.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 40
FEW = 30  # up to so many values every one is drawn as a dot
LINEAR_BELOW = 100  # the axis is linear up to here, logarithmic above: it holds 0 and negative values too


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    values: pl.Series

    @property
    def label(self) -> str:
        return f"{style.shown(self.name, 34)} (n = {len(self.values):,})"


def groups(frame: pl.DataFrame, by: str, value: str) -> tuple[list[Group], int]:
    """Groups of `frame` with a known `value`, the largest first, and how many more there were than fit."""
    known = frame.drop_nulls(value)
    found = [
        Group(str(name), part[value].sort())
        for (name,), part in known.group_by([by], maintain_order=True)
    ]  # fmt: skip
    found.sort(key=lambda group: (-len(group.values), group.name))
    return found[:MOST_ROWS], max(0, len(found) - MOST_ROWS)


def draw(ax: Axes, rows: list[Group]) -> None:
    """One row a group: line from 5 to 95 %, box from 25 to 75 %, bar at the median, dots where they are few."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    for place, row in enumerate(rows):
        low, start, middle, end, high = (
            float(str(row.values.quantile(q, "linear"))) for q in (0.05, 0.25, 0.5, 0.75, 0.95)
        )
        ax.plot([low, high], [place, place], color=style.INK, linewidth=1.0, solid_capstyle="butt", zorder=1)
        if start < end:
            ax.barh(
                place, end - start, left=start, height=0.46, color=style.COLOURS[3], edgecolor=style.INK, linewidth=0.8
            )
        ax.plot([middle, middle], [place - 0.3, place + 0.3], color=style.INK, linewidth=2.2, solid_capstyle="butt")
        if len(row.values) <= FEW:
            ax.plot(row.values, [place] * len(row.values), "o", color=style.INK, markersize=2.6, alpha=0.75)
    style.name_rows(ax, [row.label for row in rows])
    ax.set_xscale("symlog", linthresh=LINEAR_BELOW)
    ax.margins(x=0.03)
    ax.xaxis.set_major_locator(FixedLocator(_ticks(rows)))
    ax.xaxis.set_major_formatter(FuncFormatter(style.thousands))
    ax.xaxis.set_minor_locator(NullLocator())


def _ticks(rows: list[Group]) -> list[float]:
    """1, 2, 5, 10... within the values, fewer a decade where they span many; with 0, and the same below 0."""
    low = min(float(str(row.values[0])) for row in rows)
    high = max(float(str(row.values[-1])) for row in rows)
    spans_many = high > 500 * max(low, LINEAR_BELOW)
    sizes = [k * 10.0**power for power in range(2, 13) for k in ((1, 3) if spans_many else (1, 2, 5))]
    sizes = sizes if spans_many else [LINEAR_BELOW / 2, *sizes]
    around = [0.0, *sizes, *(-size for size in sizes)]
    inside = sorted(tick for tick in around if min(low / 3, low * 3) <= tick <= max(high * 3, LINEAR_BELOW))
    return inside or [low]
