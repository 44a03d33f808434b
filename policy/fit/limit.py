"""One proposed limit with its evidence: what every fit gives back, prints and writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Limit:
    """`key` of the section `feature`, for one `agent_type` or `model` (None: for all).

    `value` is what to set, None where the default stays (`why` says so). `low` and `high` bound `estimate`, the
    unrounded figure: None is an unbounded end where `bounded` is True and no interval at all where it is False.
    `in_force` is what applies today. `n` counts `of` (returns, runs, threads).
    """

    feature: str
    key: str
    unit: str
    in_force: float | str | None
    value: int | str | None
    n: int
    sessions: int
    of: str
    method: str
    agent_type: str | None = None
    model: str | None = None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    bounded: bool = False
    why: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The limit's place in setpoint.json, for people."""
        owner = f"byAgentType.{self.agent_type}." if self.agent_type else f"byModel.{self.model}." if self.model else ""
        return f"{self.feature}.{owner}{self.key}"

    @property
    def interval(self) -> list[float | None] | None:
        """[low, high], null for an unbounded end; None where there is no interval."""
        return [self.low, self.high] if self.bounded else None

    def row(self) -> dict[str, Any]:
        """The row of the report."""
        return {
            "limit": self.name,
            "feature": self.feature,
            "key": self.key,
            "agent_type": self.agent_type,
            "model": self.model,
            "unit": self.unit,
            "in_force": self.in_force,
            "fitted": self.value,
            "estimate": self.estimate,
            "interval": self.interval,
            "n": self.n,
            "of": self.of,
            "sessions": self.sessions,
            "method": self.method,
            "why": self.why,
            **self.extra,
        }

    def evidence(self, date: str, horizon: str | None) -> dict[str, Any]:
        """What stands beside the limit in setpoint.json."""
        return {
            "n": self.n,
            "of": self.of,
            "sessions": self.sessions,
            "estimate": self.estimate,
            "interval": self.interval,
            "method": self.method,
            "date": date,
            "horizon": horizon,
        }


def interval_text(limit: Limit) -> str:
    """The interval for people: an unbounded end is said, not left out."""
    if not limit.bounded:
        return "none"
    low = "unbounded" if limit.low is None else f"{limit.low:,.0f}"
    high = "unbounded" if limit.high is None else f"{limit.high:,.0f}"
    return f"{low} to {high}"
