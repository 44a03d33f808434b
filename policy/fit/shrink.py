"""Per-type quantiles, shrunk to what the types have in common.

A type with twelve returns says little by itself. On the scale of logarithms each type's quantile is drawn to the
precision-weighted mean of all types, the more the less it knows. The variance pools ONE density and ONE
correlation within sessions over all types: with each type's own variance the intervals covered only 83-91 %.
Between types: Paule and Mandel's moment equation; correction for the estimated variance: Morris (1983).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from policy.fit.quantiles import Floats, Ints, nearest_rank
from policy.fit.student import quantile as t_quantile

MIN_RETURNS, MIN_SESSIONS, MIN_TYPES = 10, 3, 4


@dataclass(frozen=True, slots=True)
class TypeSample:
    """Sizes (> 0) of one type's returns and the code of each one's session (codes shared by all types)."""

    name: str
    values: Floats
    codes: Ints


@dataclass(frozen=True, slots=True)
class Shrunk:
    """One type's quantile: `raw` as it stands, `value` shrunk, its interval, and the weight of the common mean."""

    name: str
    n: int
    sessions: int
    raw: float
    value: float
    low: float
    high: float
    weight: float


def enough(sample: TypeSample) -> bool:
    """At least 10 returns in 3 sessions: below that a type keeps the overall limit."""
    return len(sample.values) >= MIN_RETURNS and len(np.unique(sample.codes)) >= MIN_SESSIONS


def density(residuals: Floats, p: float) -> float:
    """Density of the pooled residuals at their `p` quantile (0), by spacing with Hall and Sheather's width."""
    ordered = np.sort(residuals)
    n = len(ordered)
    z = t_quantile(p, 1e6)
    normal = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    width = n ** (-1 / 3) * 1.96 ** (2 / 3) * (1.5 * normal**2 / (2 * z * z + 1)) ** (1 / 3)
    width = min(width, 0.9 * p, 0.9 * (1 - p))
    gap = nearest_rank(ordered, p + width) - nearest_rank(ordered, p - width)
    return float(2 * width / max(gap, 1e-6))


def correlation(below: Floats, groups: Ints, p: float) -> float:
    """Correlation of two returns of one type in one session, as to whether they lie at or below the quantile (>= 0)."""
    centred = below - p
    sums = np.bincount(groups, weights=centred)
    counts = np.bincount(groups)
    pairs = float((counts * (counts - 1)).sum())
    cross = float((sums * sums).sum() - (centred * centred).sum())
    return min(1.0, max(0.0, cross / (p * (1 - p) * pairs))) if pairs else 0.0


def between(theta: Floats, variance: Floats) -> float:
    """Variance between types by Paule and Mandel: the tau^2 at which the weighted squares equal K - 1."""

    def excess(tau2: float) -> float:
        weight = 1 / (variance + tau2)
        mean = (weight * theta).sum() / weight.sum()
        return float((weight * (theta - mean) ** 2).sum()) - (len(theta) - 1)

    if excess(0.0) <= 0:
        return 0.0
    low, high = 0.0, float(theta.var() + variance.max()) + 1e-9
    while excess(high) > 0:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return (low + high) / 2


def shrink(samples: list[TypeSample], p: float) -> list[Shrunk]:
    """The `p` quantile of each type of `samples` (each `enough`, at least 4 of them), with 95 % intervals.

    v_k = p(1-p)/f^2 [(1-rho) + rho sum_s m_sk^2/n_k]/n_k;  s_k = v_k/(v_k+tau^2) (K-3)/(K-1);
    est = (1-s_k) theta_k + s_k mu;  var = (1-s_k) v_k + s_k^2 Vcl(mu) + 2/(K-1) s_k^2 (theta_k-mu)^2.
    """
    if len(samples) < MIN_TYPES:
        raise ValueError("shrinkage needs at least four types")
    logs = [np.log(s.values) for s in samples]
    theta = np.array([nearest_rank(np.sort(x), p) for x in logs])
    sizes = np.array([len(x) for x in logs])
    residual = np.concatenate([x - t for x, t in zip(logs, theta, strict=True)])
    below = (residual <= 0).astype(np.float64)
    kind = np.repeat(np.arange(len(samples)), sizes)
    session = np.unique(np.concatenate([s.codes for s in samples]), return_inverse=True)[1]
    groups = np.unique(kind * (session.max() + 1) + session, return_inverse=True)[1]
    f, rho = density(residual, p), correlation(below, groups, p)
    clumps = np.array([float((np.bincount(s.codes) ** 2).sum()) for s in samples]) / sizes
    variance = p * (1 - p) / f**2 * ((1 - rho) + rho * clumps) / sizes
    tau2 = between(theta, variance)
    weight = 1 / (variance + tau2)
    mean = float((weight * theta).sum() / weight.sum())
    influence = np.bincount(session, weights=-(weight / weight.sum() / sizes)[kind] * (below - p) / f)
    count = len(influence)
    of_mean = float((influence**2).sum()) * count / (count - 1)
    k = len(samples)
    s = variance / (variance + tau2) * (k - 3) / (k - 1)
    centre = (1 - s) * theta + s * mean
    error = np.sqrt((1 - s) * variance + s**2 * of_mean + 2 / (k - 1) * s**2 * (theta - mean) ** 2)
    edge = t_quantile(0.975, min(count - 1, 30)) * error
    table = np.exp(np.stack([theta, centre, centre - edge, centre + edge], axis=1))
    return [
        Shrunk(
            name=sample.name,
            n=int(sizes[i]),
            sessions=len(np.unique(sample.codes)),
            raw=float(table[i, 0]),
            value=float(table[i, 1]),
            low=float(table[i, 2]),
            high=float(table[i, 3]),
            weight=float(s[i]),
        )
        for i, sample in enumerate(samples)
    ]
