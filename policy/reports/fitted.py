"""What the fit reports share: the table of limits, and how a saving is said."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from measure.reports.model import Show, Table
from measure.reports.words import counted, usd
from policy.fit.limit import Limit, interval_text

COLUMNS = (
    Show("key", "limit"),
    Show("who", "for"),
    Show("in_force", "in force"),
    Show("fitted"),
    Show("range", "95 % interval"),
    Show("n"),
    Show("sessions", "sess."),
)


def as_rows(limits: Iterable[Limit]) -> list[dict[str, Any]]:
    """The rows of the report, all with the same keys: null where a limit has no such fact."""
    each = [limit.row() for limit in limits]
    keys = dict.fromkeys(key for row in each for key in row)
    return [{key: row.get(key) for key in keys} for row in each]


def table(title: str, limits: list[Limit], header: str = "95 % interval") -> Table:
    """The limits over all, and those of a type or model that got a value; `kept` names the others with their n."""
    rows = [
        limit.row() | {"who": who(limit), "range": interval_text(limit)}
        for limit in limits
        if limit.value is not None or not (limit.agent_type or limit.model)
    ]
    show = tuple(Show("range", header) if each.column == "range" else each for each in COLUMNS)
    return Table(title, rows, show)


def kept(limits: list[Limit]) -> list[str]:
    """Why limits stay: a sentence for each over all, one for all types and models that share a key."""
    lines = [f"{limit.name}: {limit.why}." for limit in limits if _stays(limit) and not _own(limit)]
    keys = dict.fromkeys(limit.key for limit in limits if _stays(limit) and _own(limit))
    for key in keys:
        own = [limit for limit in limits if limit.key == key and _stays(limit) and _own(limit)]
        names = ", ".join(f"{_own(x)} (n = {x.n} in {counted(x.sessions, 'session')})" for x in own)
        lines.append(f"{key} stays (too few, or nothing gained; reasons with --json) for {names}.")
    return lines


def who(limit: Limit) -> str:
    """Whom a limit holds for."""
    everyone = "main" if limit.feature == "compaction" else "all"
    return limit.agent_type or limit.model or everyone


def _stays(limit: Limit) -> bool:
    return bool(limit.why) and limit.value is None


def _own(limit: Limit) -> str | None:
    return limit.agent_type or limit.model


def saving(total: float, low: float, high: float) -> str:
    """A saving in dollars with its interval, unbounded where too few sessions say anything."""
    if not math.isfinite(low):
        return f"${usd(total)} (no interval: one session)"
    doubt = ", not beyond doubt" if low <= 0 < total else ""
    return f"${usd(total)} (95 % interval {usd(low)} to {usd(high)}{doubt})"


def parameters(named: dict[str, tuple[Any, str]]) -> Table:
    """The named parameters of a model with the source of each."""
    rows = [{"parameter": name, "value": f"{value:g}", "source": source} for name, (value, source) in named.items()]
    return Table("Parameters", rows, (Show("parameter"), Show("value"), Show("source")))
