"""How far two sets of sessions differ, with 95 % intervals that treat the session as the independent unit.

Log-normal amounts per session: Welch's t on their logs. Ratios of sums: a delete-one-session jackknife of the log
ratio with Satterthwaite's degrees of freedom. Simulated coverage (log sigma 1.2) of the first: 95 % at 20 to 200
sessions a side; of the second: 93 to 95 %. A percentile bootstrap of means gives 89 to 94 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy.fit.student import quantile as t_quantile

Floats = NDArray[np.float64]
LEAST = 5
"""Sessions a side below which no interval is given."""


@dataclass(frozen=True, slots=True)
class Change:
    """B as a multiple of A, with its 95 % interval; `low` and `high` are None where `why` says so."""

    ratio: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    estimate: float
    variance: float
    df: int


def change_of_typical(a: Floats, b: Floats) -> Change:
    """Ratio of the geometric means of two samples of positive amounts, by Welch's t on logs."""
    a, b = a[a > 0], b[b > 0]
    if not (len(a) and len(b)):
        return Change(None, why="nothing to compare")
    return _difference(*(_mean_of_logs(np.log(side)) for side in (a, b)), least=min(len(a), len(b)))


def _mean_of_logs(logs: Floats) -> _Side:
    spread = float(np.var(logs, ddof=1)) / len(logs) if len(logs) > 1 else math.nan
    return _Side(float(np.mean(logs)), spread, len(logs) - 1)


def change_of_ratio(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> Change:
    """Change of sum(amount) / sum(base) between two sets; each side is (amount, base), one value a session."""
    sides = [_log_ratio(*side) for side in (a, b)]
    if any(side is None for side in sides):
        return Change(None, why="nothing to compare")
    first, second = (side for side in sides if side is not None)
    return _difference(first, second, least=min(first.df, second.df) + 1)


def _log_ratio(amount: Floats, base: Floats) -> _Side | None:
    used = base > 0
    amount, base = amount[used], base[used]
    total, whole, n = float(amount.sum()), float(base.sum()), len(base)
    if total <= 0 or whole <= 0:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        left_out = np.log((total - amount) / (whole - base))
    known = n > 1 and bool(np.isfinite(left_out).all())
    spread = (n - 1) / n * float(np.sum((left_out - left_out.mean()) ** 2)) if known else math.nan
    return _Side(math.log(total / whole), spread, n - 1)


def _difference(a: _Side, b: _Side, *, least: int) -> Change:
    """The back-transformed difference of two log estimates."""
    shift = b.estimate - a.estimate
    if least < LEAST:
        return Change(math.exp(shift), why=f"fewer than {LEAST} sessions on a side")
    variance = a.variance + b.variance
    if not math.isfinite(variance):
        return Change(math.exp(shift), why="one session holds everything")
    if variance == 0:
        return Change(math.exp(shift), math.exp(shift), math.exp(shift))
    df = variance**2 / sum(side.variance**2 / side.df for side in (a, b))
    reach = t_quantile(0.975, df) * math.sqrt(variance)
    return Change(math.exp(shift), math.exp(shift - reach), math.exp(shift + reach))
