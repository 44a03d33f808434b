"""Runs that were stopped before they were done: Kaplan and Meier's estimate, and Wilson's interval of a share.

A run ended by a bound, by maxTurns or still going says only that it needed MORE requests. Counting it as finished
halves the remaining work (37 requests instead of a true 77 in the simulation of the notes; 75 by Kaplan-Meier).
"""

from __future__ import annotations

import math

import numpy as np

from policy.fit.quantiles import Floats


def kaplan_meier(lengths: Floats, done: np.ndarray) -> tuple[Floats, Floats]:
    """(ascending distinct lengths of finished runs, share of runs longer than each).

    `lengths` are requests used; `done` is False where the run was stopped (censored) at that length.
    """
    order = np.argsort(lengths, kind="stable")
    ordered, finished = lengths[order], done[order].astype(bool)
    times = np.unique(ordered[finished])
    at_risk = len(ordered) - np.searchsorted(ordered, times, side="left")
    deaths = np.searchsorted(ordered[finished], times, side="right") - np.searchsorted(
        ordered[finished], times, side="left"
    )
    return times, np.cumprod(1 - deaths / at_risk, dtype=np.float64)


def mean_remaining(lengths: Floats, done: np.ndarray, after: float) -> float | None:
    """Expected further requests of a run that has used `after`; None where no run got that far.

    Area under the survival curve beyond `after`, up to the longest run seen (a lower bound if that run was stopped).
    """
    (found,) = mean_remaining_each(lengths, done, np.array([after]))
    return found


def mean_remaining_each(lengths: Floats, done: np.ndarray, afters: Floats) -> list[float | None]:
    """`mean_remaining` for several lengths, from one survival curve."""
    if not len(lengths):
        return [None] * len(afters)
    times, share = kaplan_meier(lengths, done)
    edges = np.concatenate(([0.0], times, [float(lengths.max())]))
    heights = np.concatenate(([1.0], share))
    area = np.concatenate((np.cumsum((np.diff(edges) * heights)[::-1])[::-1], [0.0]))  # beyond each edge
    place = np.searchsorted(times, afters, side="right")  # steps taken by then
    rest = area[place] - (afters - edges[place]) * heights[place]
    longest = float(lengths.max())
    return [
        float(r / heights[p]) if after < longest and heights[p] > 0 else None
        for r, p, after in zip(rest, place, afters, strict=True)
    ]


def quantile(lengths: Floats, done: np.ndarray, p: float) -> float | None:
    """Smallest length by which a share `p` of runs is finished; None where stopped runs hide it."""
    times, share = kaplan_meier(lengths, done)
    reached = np.flatnonzero(1 - share >= p - 1e-9)
    return float(times[reached[0]]) if len(reached) else None


def wilson(hits: int, n: int) -> tuple[float, float]:
    """95 % interval of a share of `hits` in `n` (Wilson); (0, 1) for n = 0."""
    if n == 0:
        return 0.0, 1.0
    z = 1.959964
    share, scale = hits / n, 1 + z * z / n
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    centre = (share + z * z / (2 * n)) / scale
    return max(0.0, centre - half), min(1.0, centre + half)
