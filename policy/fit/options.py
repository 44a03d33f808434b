"""What a fit is asked for, already checked, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from policy.fit.limit import Limit

if TYPE_CHECKING:
    from measure.reports.model import Report
    from policy.limits import InForce
    from policy.prices import Prices

Method = Literal["percentile", "cost"]
Objective = Literal["usd", "context"]


@dataclass(frozen=True, slots=True)
class Options:
    """`now` ends the day in which a session counts as open; `obey`, `lag` and `rework_usd` describe a stopped agent."""

    prices: Prices
    force: InForce
    now: datetime
    method: Method = "percentile"
    objective: Objective = "usd"
    max_blocked: float = 0.2
    obey: float = 1.0
    lag: int = 2
    rework_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A finished fit: the report, and the limits that --write and --drift take from it."""

    report: Report
    limits: list[Limit] = field(default_factory=list)
