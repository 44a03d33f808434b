"""Quantiles of sizes that come in sessions, with intervals that keep their promise.

Returns of one session resemble each other, so n returns say less than n independent ones. The interval
inverts a score test on session sums, with the outer of Student's and the bootstrap-t critical values. Measured over
2,000 repetitions of four designs it covers 93-98 % from 10 sessions on, where the interval for
independent returns covers 45-66 % and the percentile bootstrap over sessions 79-91 %
(`tests/policy/fit/test_quantiles_coverage.py` shows all three).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy.fit.student import quantile as t_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS, SEED = 999, 20_261_130
BOUND = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """One quantile: `low` and `high` are None where that end is unbounded; `independent` is too narrow by design."""

    p: float
    value: float
    n: int
    sessions: int
    low: float | None
    high: float | None
    independent: BOUND
    method: str = "score test over sessions, t and bootstrap-t"


def nearest_rank(ordered: NDArray[Any], p: float) -> float:
    """The value of rank ceil(p n) of an ascending array (n >= 1): always a value that occurred."""
    return float(ordered[max(0, math.ceil(p * len(ordered) - 1e-9) - 1)])


@lru_cache(maxsize=4)
def resamples(sessions: int, rounds: int = ROUNDS, seed: int = SEED) -> Floats:
    """How often each session is drawn in each of `rounds` seeded bootstrap samples: rounds x sessions."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(sessions, np.full(sessions, 1.0 / sessions), size=rounds).astype(np.float64)


def bootstrap_t(y: Floats) -> tuple[float, float]:
    """2.5 % and 97.5 % points of the studentised mean of `y` (one value a session)."""
    count = len(y)
    weights = resamples(count)
    mean = weights @ y / count
    variance = np.maximum(weights @ (y * y) - count * mean * mean, 0.0) / (count - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (mean - y.mean()) / np.sqrt(variance / count)
    # A resample of one repeated value has no spread: it is as far out as its sign says.
    t = np.sort(np.nan_to_num(t, nan=0.0, posinf=np.inf, neginf=-np.inf))
    edge = max(1, round(0.025 * (len(t) + 1)))
    return float(t[edge - 1]), float(t[-edge])


def _steps(values: Floats, codes: Ints, p: float) -> tuple[Floats, Floats, Floats, Ints]:
    """Sorted distinct values; sum and sum of squares of y_s(q) below the first and at each; session sizes.

    y_s(q) = #{x in s <= q} - p m_s. Adding one return of session s moves y_s by one, so the sum of squares
    grows by 2 y_s + 1: one sort and two cumulative sums.
    """
    order = np.argsort(values, kind="stable")
    ordered, session = values[order], codes[order]
    sizes = np.bincount(codes)
    by_session = np.argsort(session, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    rank = np.empty(len(values), dtype=np.int64)
    rank[by_session] = np.arange(len(values)) - np.repeat(starts, sizes)
    before = rank - p * sizes[session]
    first = -p * sizes
    total = np.concatenate(([first.sum()], first.sum() + np.arange(1, len(values) + 1)))
    squares = np.concatenate(([(first * first).sum()], (first * first).sum() + np.cumsum(2.0 * before + 1.0)))
    last = np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))  # after each block of ties, and before all
    return ordered[np.concatenate((last[1:-1], [True]))], total[last], squares[last], sizes


def session_sums(values: Floats, codes: Ints, p: float, at: float) -> Floats:
    """y_s(at) = #{x in s <= at} - p m_s, one value a session."""
    inside = (values <= at).astype(np.float64) - p
    sums: Floats = np.bincount(codes, weights=inside).astype(np.float64)
    return sums


def score_interval(values: Floats, codes: Ints, p: float) -> BOUND:
    """95 % interval of the `p` quantile of `values` in sessions `codes` (0..S-1, each present, S >= 2).

    T(q) = sum y / sqrt(S/(S-1) sum (y - ybar)^2); the interval holds every q with lo <= T(q) <= hi, where
    [lo, hi] are the bootstrap-t points at the estimate, widened to at least -t(S-1), +t(S-1). An end is
    None where the test rejects nothing on that side (few sessions of very unequal size).
    """
    distinct, total, squares, sizes = _steps(values, codes, p)
    count = len(sizes)
    if count < 2:
        return None, None
    spread = np.maximum(squares - total * total / count, 1e-12)
    score = total / np.sqrt(spread * count / (count - 1))
    low, high = bootstrap_t(session_sums(values, codes, p, nearest_rank(np.sort(values), p)))
    edge = t_quantile(0.975, count - 1)
    inside = np.flatnonzero((score >= min(low, -edge)) & (score <= max(high, edge)))
    if not len(inside):
        return None, None
    # Index i stands for every q from distinct[i - 1] up to, but without, distinct[i].
    first, last = int(inside[0]), int(inside[-1])
    return (
        None if first == 0 else float(distinct[first - 1]),
        None if last >= len(distinct) else float(distinct[last]),
    )


def independent_interval(ordered: Floats, p: float) -> BOUND:
    """95 % order-statistic interval as if all values were independent: shown, never used as a limit's interval."""
    n = len(ordered)
    k = np.arange(n + 1)
    factorials = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
    log_pmf = factorials[n] - factorials - factorials[::-1] + k * math.log(p) + (n - k) * math.log1p(-p)
    below = np.cumsum(np.exp(log_pmf))
    low = int(np.searchsorted(below, 0.025, side="right"))  # largest l with P(X < l) <= 2.5 %
    high = int(np.searchsorted(below, 0.975, side="left")) + 1
    return (float(ordered[low - 1]) if low >= 1 else None, float(ordered[high - 1]) if high <= n else None)


def encode(sessions: list[str] | NDArray[Any]) -> Ints:
    """Session names as 0..S-1."""
    return np.unique(np.asarray(sessions), return_inverse=True)[1].astype(np.int64)


def estimate(values: Floats, codes: Ints, p: float) -> Estimate:
    """The `p` quantile of `values` with its interval; `codes` as in `score_interval`."""
    ordered = np.sort(values)
    low, high = score_interval(values, codes, p)
    return Estimate(
        p=p,
        value=nearest_rank(ordered, p),
        n=len(values),
        sessions=int(codes.max()) + 1,
        low=low,
        high=high,
        independent=independent_interval(ordered, p),
    )


def readable(value: float, low: float | None = None, high: float | None = None) -> int:
    """`value` to two significant digits, to more where two would leave the interval."""
    for digits in range(2, 8):
        step = int(10 ** max(0, math.floor(math.log10(max(value, 1.0))) + 1 - digits))
        rounded: int = max(1, round(value / step) * step)
        if (low is None or rounded >= low) and (high is None or rounded <= high):
            return rounded
    return max(1, round(value))
