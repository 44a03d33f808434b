"""Pictures of money: functions from the frame of `policy.cost.cost` to a matplotlib Figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.plots import style
from measure.reports.words import counted
from policy.cost import KINDS
from policy.spend import by, labelled, over_time

if TYPE_CHECKING:
    from datetime import date

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_TYPES = 30
MOST_DAYS = 120  # beyond, bars are weeks
WORDS = {
    "cache_read": "cache read",
    "cache_write_5m": "cache write, 5 min",
    "cache_write_1h": "cache write, 1 h",
    "cache_write_unknown": "cache write, life unknown",
    "input": "input, not cached",
    "output": "output",
    "web_search": "web searches",
}


def periods(costs: pl.DataFrame, zone: str = "UTC") -> tuple[pl.DataFrame, int]:
    """One row a period that has a priced request: `day` (its first day in `zone`) and the dollars of each kind.

    The second value is the length of a period in days: 1, or 7 where the data spans more than 120 days.
    """
    known = labelled(costs.filter(pl.col("usd").is_not_null() & pl.col("ts").is_not_null()), zone)
    days = known["day"].sort().to_list()
    length = 7 if days and (days[-1] - days[0]).days > MOST_DAYS else 1
    period = "day" if length == 1 else "week"
    return over_time(known, period).select(pl.col(period).alias("day"), pl.col(KINDS.values()).fill_null(0.0)), length


def unpriced(costs: pl.DataFrame) -> str:
    """What a total leaves out, in words; empty where every request has a price."""
    missing = int(costs["usd"].is_null().sum())
    return f"{counted(missing, 'request')} without a price left out" if missing else ""


def cost_days(costs: pl.DataFrame, zone: str = "UTC") -> Figure:
    """Dollars of each day (each week beyond 120 days), stacked by kind of token."""
    rows, length = periods(costs, zone)
    title = f"Cost per {'day' if length == 1 else 'week'} by kind of token"
    if not rows.height:
        return style.message(title, _nothing(costs))
    kinds = [kind for kind in WORDS if rows[KINDS[kind]].sum() > 0]
    total = sum(float(rows[KINDS[kind]].sum()) for kind in kinds)
    notes = [f"{style.dollars(total)} in all", unpriced(costs), f"days in {zone}"]
    with style.house():
        fig = style.figure(4.4, title, " · ".join(note for note in notes if note))
        ax = fig.add_subplot()
        handles = []
        floor = pl.Series([0.0] * rows.height)
        for kind in kinds:
            look = list(WORDS).index(kind) % len(style.COLOURS)
            handles.append(
                ax.bar(
                    rows["day"], rows[KINDS[kind]], bottom=floor, width=0.8 * length, align="center",
                    color=style.COLOURS[look], hatch=style.HATCHES[look], edgecolor=style.INK, linewidth=0.5,
                    label=WORDS[kind],
                )
            )  # fmt: skip
            floor = floor + rows[KINDS[kind]]
        _days(ax, rows["day"].to_list(), length)
        ax.yaxis.set_major_formatter(style.dollars)
        ax.set_ylabel("cost (USD)")
        style.legend(fig, handles)  # type: ignore[arg-type]
    return fig


def _days(ax: Axes, days: list[date], length: int) -> None:
    """A real time axis: empty days stay empty, and a single day does not fill the page."""
    from datetime import timedelta

    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    spare = timedelta(days=max(length, (10 * length - (days[-1] - days[0]).days) // 2))
    ax.set_xlim(days[0] - spare, days[-1] + spare)  # type: ignore[arg-type]
    locator = AutoDateLocator(minticks=3, maxticks=9, interval_multiples=True)  # type: ignore[no-untyped-call]
    locator.intervald[3] = [1, 2, 3, 7, 14]  # never hours: a bar is a day
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    ax.grid(visible=False, axis="x")


def shares(costs: pl.DataFrame) -> pl.DataFrame:
    """One row a thread kind (main, or the agent type) with a priced request: `thread`, `usd`, `requests`, `share`."""
    found = by(labelled(costs.drop_nulls("usd"), "UTC"), "thread_kind")
    share = pl.col("usd") / pl.col("usd").sum()
    return found.select(pl.col("thread_kind").alias("thread"), "usd", "requests", share.alias("share"))


def cost_agents(costs: pl.DataFrame) -> Figure:
    """Share of the dollars of the main thread and of each agent type, the dearest first."""
    title = "Cost by agent type"
    found = shares(costs)
    if not found.height:
        return style.message(title, _nothing(costs))
    rows = [(str(name), float(usd), int(n)) for name, usd, n in found.select("thread", "usd", "requests").iter_rows()]
    total = sum(usd for _, usd, _ in rows)
    if len(rows) > MOST_TYPES:
        rest = rows[MOST_TYPES:]
        others = (counted(len(rest), "smaller type"), sum(usd for _, usd, _ in rest), sum(n for _, _, n in rest))
        rows = [*rows[:MOST_TYPES], others]
    notes = [f"{style.dollars(total)} in all", unpriced(costs)]
    with style.house():
        fig = style.figure(style.room(len(rows)), title, " · ".join(note for note in notes if note))
        ax = fig.add_subplot()
        ax.barh(range(len(rows)), [usd for _, usd, _ in rows], height=0.62, color=style.COLOURS[3], edgecolor=style.INK)
        for place, (_, usd, n) in enumerate(rows):
            words = f"{100 * usd / total if total else 0:.1f} % · {style.dollars(usd)} · {counted(n, 'request')}"
            ax.annotate(words, (usd, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
        style.name_rows(ax, [name for name, _, _ in rows])
        ax.set_xlim(0, 1.45 * max([usd for _, usd, _ in rows]) or 1)
        ax.xaxis.set_major_formatter(style.dollars)
        ax.set_xlabel("cost (USD)")
    return fig


def _nothing(costs: pl.DataFrame) -> str:
    return "No request here has a price." if costs.height else "No request here."
