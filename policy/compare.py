"""Two runs, or two sets of them, side by side: what changed, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from policy.intervals import Change, change_of_ratio, change_of_typical
from policy.rebuilds import summed

if TYPE_CHECKING:
    from collections.abc import Sequence

SUM = "a sum over each set"
Floats = NDArray[np.float64]
SUMS = ("usd", "cache_read_usd", "cache_write_usd", "requests", "context_tokens", "compactions", "wall_seconds")


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the comparison: a sum, a ratio of two sums, or a sum per session (`per` "session": typical one)."""

    name: str
    of: str
    per: str | None = None
    times: float = 1.0


MEASURES = (
    Measure("cost_usd", "usd"),
    Measure("typical_session_usd", "usd", "session"),
    Measure("request_usd", "usd", "requests"),
    Measure("cache_read_usd", "cache_read_usd"),
    Measure("cache_read_request_usd", "cache_read_usd", "requests"),
    Measure("cache_write_usd", "cache_write_usd"),
    Measure("cache_write_request_usd", "cache_write_usd", "requests"),
    Measure("requests", "requests"),
    Measure("typical_session_requests", "requests", "session"),
    Measure("mean_context_tokens", "context_tokens", "requests"),
    Measure("compactions", "compactions"),
    Measure("compactions_per_100_requests", "compactions", "requests", 100.0),
    Measure("wall_seconds", "wall_seconds"),
    Measure("typical_session_wall_seconds", "wall_seconds", "session"),
)


def by_session(costs: pl.DataFrame, compactions: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """One row a session with requests: the SUMS. Dollars are null where the session has a request without a price.

    `wall_seconds` is the time from the session's first record to its last, pauses included.
    """
    writes = pl.sum_horizontal("cache_write_5m_usd", "cache_write_1h_usd", "cache_write_unknown_usd")
    priced = pl.col("unpriced_reason").is_null()
    dollars = ("usd", "cache_read_usd", "cache_write_usd")
    spent = (
        costs.with_columns(
            pl.when(priced).then(writes).alias("cache_write_usd"),
            pl.when(priced).then(pl.col("cache_read_usd").fill_null(0.0)).alias("cache_read_usd"),
        )
        .group_by("session_id")
        .agg(
            priced.all().alias("_priced"),
            *map(summed, dollars),
            pl.len().cast(pl.Float64).alias("requests"),
            pl.col("context_tokens").sum().cast(pl.Float64),
        )
        .with_columns(pl.when("_priced").then(pl.col(name)).alias(name) for name in dollars)
    )
    folded = compactions.group_by("session_id").agg(pl.len().cast(pl.Float64).alias("compactions"))
    wall = sessions.select(
        "session_id", wall_seconds=(pl.col("ended") - pl.col("started")).dt.total_milliseconds() / 1000
    )
    return (
        spent.join(folded, on="session_id", how="left")
        .join(wall, on="session_id", how="left")
        .with_columns(pl.col("compactions").fill_null(0.0))
        .select("session_id", *SUMS)
        .sort("session_id")
    )


def compare(a: pl.DataFrame, b: pl.DataFrame, measures: Sequence[Measure] = MEASURES) -> list[dict[str, Any]]:
    """One row a measure: `a`, `b`, `difference` b - a, `change` (b / a - 1) with `low` and `high`, `why` none is given.

    Takes `by_session` of both sets. A sum over sets of sessions has no interval: it grows with their number.
    """
    return [_line(measure, a, b) for measure in measures]


def _line(measure: Measure, a: pl.DataFrame, b: pl.DataFrame) -> dict[str, Any]:
    left, right = _value(measure, a), _value(measure, b)
    change = _change(measure, a, b, left, right)
    shift = None if left is None or right is None else right - left
    ends = {"change": change.ratio, "low": change.low, "high": change.high}
    less_one = {name: None if value is None else value - 1 for name, value in ends.items()}
    return {"measure": measure.name, "a": left, "b": right, "difference": shift, **less_one, "why": change.why}


def _value(measure: Measure, sessions: pl.DataFrame) -> float | None:
    amount = _column(sessions, measure.of)
    if not len(amount) or np.isnan(amount).all():
        return None
    if measure.per is None:
        return float(np.nansum(amount))
    if measure.per == "session":
        positive = amount[amount > 0]
        return float(np.exp(np.mean(np.log(positive)))) if len(positive) else 0.0
    amount, base = _pair(sessions, measure)
    return float(amount.sum() / base.sum() * measure.times) if base.sum() > 0 else None


def _change(measure: Measure, a: pl.DataFrame, b: pl.DataFrame, left: float | None, right: float | None) -> Change:
    if left is None or right is None:
        return Change(None, why="nothing to compare")
    if measure.per is None:
        return Change(right / left if left else None, why=SUM)
    if measure.per == "session":
        return change_of_typical(_known(_column(a, measure.of)), _known(_column(b, measure.of)))
    return change_of_ratio(_pair(a, measure), _pair(b, measure))


def _column(sessions: pl.DataFrame, name: str) -> Floats:
    return sessions[name].cast(pl.Float64).to_numpy(allow_copy=True).astype(np.float64)


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _pair(sessions: pl.DataFrame, measure: Measure) -> tuple[Floats, Floats]:
    """Amounts and their base, without the sessions whose amount is unknown."""
    amount, base = _column(sessions, measure.of), _column(sessions, str(measure.per))
    known = ~np.isnan(amount)
    return amount[known], base[known]
