"""What the fit reports share: the table of limits, and how a saving is said."""

from __future__ import annotations

import math
from typing import Any

from measure.reports.model import Show, Table
from measure.reports.words import usd
from policy.fit.limit import Limit, interval_text

COLUMNS = (
    Show("limit"),
    Show("in_force", "in force"),
    Show("fitted"),
    Show("range", "95 % interval"),
    Show("n"),
    Show("sessions"),
)


def table(title: str, limits: list[Limit], header: str = "95 % interval") -> Table:
    """One line a limit: today's, the fitted one, its interval and n. A limit that stays shows a dash."""
    rows = [
        limit.row() | {"limit": limit.name.partition(".")[2], "range": interval_text(limit), "n": limit.n}
        for limit in limits
    ]
    show = tuple(Show("range", header) if each.column == "range" else each for each in COLUMNS)
    return Table(title, rows, show)


def kept(limits: list[Limit], shown: int = 12) -> list[str]:
    """Why limits stay, one sentence each."""
    lines = [f"{limit.name}: {limit.why}." for limit in limits if limit.why and limit.value is None]
    return lines[:shown] + ([f"and {len(lines) - shown} more (all with --json)"] if len(lines) > shown else [])


def saving(total: float, low: float, high: float) -> str:
    """A saving in dollars with its interval, unbounded where too few sessions say anything."""
    if not math.isfinite(low):
        return f"${usd(total)} (no interval: one session)"
    return f"${usd(total)} (95 % interval {usd(low)} to {usd(high)})"


def parameters(named: dict[str, tuple[Any, str]]) -> Table:
    """The named parameters of a model with the source of each."""
    rows = [{"parameter": name, "value": value, "source": source} for name, (value, source) in named.items()]
    return Table("Parameters", rows, (Show("parameter"), Show("value"), Show("source")))
