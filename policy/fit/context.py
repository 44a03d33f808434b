"""When a subagent has grown so large that a fresh one would do the rest for less.

Restart cost at bound B: K(B) = [B rho_a + note w_a + H o_a] + [C rho_k + brief o_k + H (w_k + SUM a)] + F w_a +
[q w_a + m (rho_a b1 + o_req)]: the agent reports, its caller reads the report and starts another, which reads
itself in again. Stopping pays where the requests still to come exceed K(B) / ((B - b1) rho_a). In a steady state the
best bound is B* = b1 + sqrt(2 K(b1) g / rho). Too low is far worse than too high; the replay of past runs decides, this
form checks it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from measure.reports.words import counted
from policy.fit.quantiles import Floats

NOTE_TOKENS = 1000
MIN_CROSSINGS, SHOWN_CROSSINGS, RISK = 100, 300, 0.01


@dataclass(frozen=True, slots=True)
class Restart:
    """What a stop at the bound costs. Tokens, requests, and dollars per token (a the agent's, k its caller's).

    `start` tokens a fresh agent writes to begin, `productive` its context when it works again (b1), `reread` tokens
    it reads in again over `rereads` requests, `caller_context`, `brief` and `report` tokens, `carry` dollars per token
    for carrying the report in the caller's thread.
    """

    rho_a: float
    write_a: float
    output_a: float
    rho_k: float
    output_k: float
    carry: float
    caller_context: float
    brief: float
    report: float
    start: float
    productive: float
    reread: float
    rereads: float
    request_output: float = 100.0

    def cost(self, bound: float) -> float:
        """K(B) in dollars."""
        stop = bound * self.rho_a + NOTE_TOKENS * self.write_a + self.report * self.output_a
        caller = self.caller_context * self.rho_k + self.brief * self.output_k + self.report * self.carry
        begin = self.start * self.write_a
        again = self.reread * self.write_a
        working = self.rereads * (self.rho_a * self.productive + self.request_output * self.output_a)
        return stop + caller + begin + again + working

    def break_even(self, bound: float) -> float:
        """Remaining requests from which a stop at `bound` pays; infinite at or below b1."""
        room = bound - self.productive
        return self.cost(bound) / (room * self.rho_a) if room > 0 else math.inf

    def best(self, growth: float) -> float:
        """B* of the steady state, for `growth` tokens a request."""
        return self.productive + math.sqrt(2 * self.cost(self.productive) * growth / self.rho_a)


@dataclass(frozen=True, slots=True)
class Run:
    """One past run: context of each request, the dollars a token of it cost to read, and what a price step added.

    `surcharge` is what each request cost above the price of its model below the step (0 without one), `step` the
    context above which that holds (infinite without one).
    """

    context: Floats
    read: Floats
    surcharge: Floats
    step: float = math.inf


def replay(run: Run, bound: float, restart: Restart, lag: int = 2, obey: float = 1.0) -> tuple[float, int, float]:
    """(dollars saved, stops, tokens not read) had the run been told to report at `bound`, dollars net of restarts.

    It reports `lag` requests after the note, with probability `obey` (the figures are expectations). A run that ends
    before that costs and saves nothing. The rest of its work is done by fresh agents that start at b1 and grow by
    the same steps, each of them bound in turn.
    """
    saved, stops, tokens = replay_each(run, [bound], restart, lag, obey)
    return float(saved[0]), int(stops[0]), float(tokens[0])


def replay_each(
    run: Run, bounds: Sequence[float], restart: Restart, lag: int = 2, obey: float = 1.0
) -> tuple[Floats, Floats, Floats]:
    """`replay` for several bounds: what a run holds is summed once, and bounds that it never reached cost nothing."""
    saved, stops, tokens = np.zeros(len(bounds)), np.zeros(len(bounds)), np.zeros(len(bounds))
    n = len(run.context)
    if n <= lag + 1 or float(run.context[: n - 1 - lag].max()) < min(bounds):
        return saved, stops, tokens
    # A fresh agent's bound lies above all that came before its start, so the running maximum finds each crossing.
    peak = np.maximum.accumulate(run.context).tolist()
    context = run.context.tolist()
    after: list[float] = []
    fixed = restart.cost(0.0)
    for i, bound in enumerate(bounds):
        if peak[n - 2 - lag] < bound:
            continue
        after = after or np.concatenate((np.cumsum(run.read[::-1])[::-1], [0.0])).tolist()
        shift = 0.0
        while True:
            stop = bisect_left(peak, bound + shift) + lag
            if stop >= n - 1:
                break
            stops[i] += 1
            saved[i] -= fixed + restart.rho_a * (context[stop] - shift)
            new = context[stop] - restart.productive
            if new <= shift:
                break  # a fresh agent would be no smaller: the bound cannot help this run
            saved[i] += after[stop + 1] * (new - shift)
            tokens[i] += (new - shift) * (n - stop - 1)
            shift = new
        if stops[i] and run.step < math.inf:
            saved[i] += surcharge_saved(run, bound, restart, lag)
    return obey * saved, stops, obey * tokens


def surcharge_saved(run: Run, bound: float, restart: Restart, lag: int) -> float:
    """Dollars of the price step that the replayed run no longer pays."""
    shift, at, n, saved = 0.0, 0, len(run.context), 0.0
    while at < n:
        over = np.flatnonzero(run.context[at:] - shift >= bound)
        stop = at + int(over[0]) + lag if len(over) else n - 1
        stop = min(stop, n - 1)
        part = slice(at, stop + 1)
        below = run.context[part] - shift <= run.step
        saved += float(run.surcharge[part][below].sum())
        shift, at = float(run.context[stop] - restart.productive), stop + 1
    return saved


@dataclass(frozen=True, slots=True)
class StepBound:
    """Largest bound that keeps runs below a price step; `crossings` at that bound, `over` of them above the step."""

    bound: int | None
    crossings: int
    over: int
    rule: str


def crossings(runs: list[Floats], bounds: Floats, step: float) -> tuple[np.ndarray, np.ndarray]:
    """For each bound: runs that crossed it, and those with a request above `step` at the crossing or within two."""
    count = np.zeros(len(bounds), dtype=np.int64)
    over = np.zeros(len(bounds), dtype=np.int64)
    for context in runs:
        if not len(context):
            continue
        at = np.searchsorted(np.maximum.accumulate(context), bounds, side="left")
        crossed = at < len(context)
        padded = np.concatenate((context, [-np.inf, -np.inf]))
        soon = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
        count += crossed
        over += crossed & (soon[np.minimum(at, len(context) - 1)] > step)
    return count, over


def step_bound(runs: list[Floats], step: int, grain: int = 1000) -> StepBound:
    """The largest bound (a multiple of `grain`) at which at most 1 % of past crossings passed `step`.

    The request that crosses a bound is longer than the average one, so growth quantiles mislead: p99 of growth is
    passed by 3.6-6.6 % of crossings. Under 100 crossings no crossing may have passed (the maximum). Bounds are tried
    from below and the search ends at the first that fails: a lucky gap higher up is not taken. Where no run came past
    the step at all, the data set no bound.
    """
    found = StepBound(None, 0, 0, "no bound keeps below the step")
    bounds = np.arange(grain, step + 1, grain, dtype=np.float64)
    for bound, count, over in zip(bounds, *crossings(runs, bounds, step), strict=True):
        if count == 0:
            return StepBound(None, found.crossings, 0, "no run came past the step")
        if over > (RISK * count if count >= MIN_CROSSINGS else 0):
            break
        rule = "at most 1 % of crossings" if count >= MIN_CROSSINGS else f"maximum of {counted(count, 'crossing')}"
        if MIN_CROSSINGS <= count < SHOWN_CROSSINGS:
            rule += f" ({SHOWN_CROSSINGS} are needed to show 1 % at 95 %)"
        found = StepBound(int(bound), int(count), int(over), rule)
    return found
