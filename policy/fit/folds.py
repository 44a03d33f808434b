"""Choosing one of several limits by what each would have saved, and saying honestly what the choice is worth.

The best of many candidates looks better on the data that chose it than on new data (20 % better at 5 sessions in
the simulation): so the saving shown is measured on sessions that had no say, in five folds of sessions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy.fit.quantiles import SEED, Floats
from policy.fit.student import quantile as t_quantile

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Choice:
    """`best` is the index of the chosen candidate, `plateau` those nearly as good; totals over all sessions."""

    best: int
    plateau: list[int]
    total: float
    validated: float
    low: float
    high: float
    sessions: int


def fold_of(sessions: int, seed: int = SEED) -> np.ndarray:
    """Fold 0..4 of each session: equal parts, shuffled with a seed, so a second run gives the same figure."""
    return np.random.default_rng(seed).permutation(np.arange(sessions) % FOLDS)


def interval(by_session: Floats) -> tuple[float, float]:
    """95 % interval of the total of one figure a session (t over sessions); infinite below two sessions."""
    count = len(by_session)
    if count < 2:
        return float("-inf"), float("inf")
    total = float(by_session.sum())
    half = t_quantile(0.975, count - 1) * float(by_session.std(ddof=1)) * count**0.5
    return total - half, total + half


def choose(saved: Floats, near: float, scale: Floats | None = None) -> Choice:
    """Best column of `saved` (sessions x candidates, what each candidate would have saved in each session).

    The plateau holds every candidate whose total lies within the share `near` of the best total (of `scale`, where
    the loss is to be judged against something else than the saving itself, such as the whole cost).
    """
    totals = saved.sum(axis=0)
    best = int(totals.argmax())
    reference = totals if scale is None else scale
    room = near * abs(float(reference[best]))
    plateau = np.flatnonzero(totals >= totals[best] - room)
    fold = fold_of(len(saved))
    held_out = np.zeros(len(saved))
    for k in range(FOLDS):
        inside = fold == k
        if inside.any():
            pick = int(saved[~inside].sum(axis=0).argmax()) if (~inside).any() else best
            held_out[inside] = saved[inside, pick]
    low, high = interval(held_out)
    return Choice(
        best=best,
        plateau=[int(i) for i in plateau],
        total=float(totals[best]),
        validated=float(held_out.sum()),
        low=low,
        high=high,
        sessions=len(saved),
    )


def by_session(values: Floats, codes: np.ndarray, count: int) -> Floats:
    """Rows of `values` (n x candidates) summed into `count` sessions."""
    out = np.zeros((count, values.shape[1]))
    np.add.at(out, codes, values)
    return out
