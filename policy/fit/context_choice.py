"""Context bounds from past runs: per model and agent type, with what each bound would have stopped and saved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from measure.reports.words import counted, usd
from policy.fit import context as rule
from policy.fit.folds import Choice, by_session, choose
from policy.fit.limit import Limit
from policy.fit.quantiles import Floats, encode, nearest_rank, readable
from policy.fit.runs import MAIN, Thread
from policy.fit.survival import mean_remaining, mean_remaining_each, quantile, wilson

MIN_RUNS, MIN_SESSIONS, GROUP_RUNS, GROUP_SESSIONS = 30, 10, 10, 3
PRODUCTIVE_AFTER, BRIEF, LAG = 10, 800, 2
SPARE_TURNS, TURNS_SHARE = 1, 0.95
NEVER = math.inf


@dataclass(frozen=True, slots=True)
class Caller:
    """What a report of one agent type meets: medians over the type's own returns, in tokens and dollars per token."""

    context: float = 100_000.0
    report: float = 1_500.0
    carry: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True)
class Assumed:
    """Share of agents that obey the note, and the requests they take until they have reported."""

    obey: float = 1.0
    lag: int = LAG
    rework: float = 0.0


@dataclass(frozen=True, slots=True)
class ContextFit:
    """One group's bound: the limit, its restart cost, the choice over bounds, and who would have been stopped."""

    limit: Limit
    restart: rule.Restart | None = None
    choice: Choice | None = None
    bounds: list[float] = field(default_factory=list)
    saved: Floats = field(default_factory=lambda: np.zeros(0))
    facts: dict[str, Any] = field(default_factory=dict)


def restart_of(runs: list[Thread], caller: Caller) -> rule.Restart:
    """Restart cost of a group from its own medians; the brief's size and the ten requests of settling in are priors."""

    def middle(values: list[float]) -> float:
        return float(np.median(values)) if values else 0.0

    own = [r for r in runs if r.fork_first is None] or runs
    start = middle([float(r.context[0]) for r in own])
    settled = middle([float(r.context[PRODUCTIVE_AFTER]) for r in own if len(r.context) > PRODUCTIVE_AFTER]) or start
    read = middle([r.rate for r in runs])
    write, output = middle([r.write for r in runs]), middle([r.output for r in runs])
    rho = middle([r.rho for r in runs])
    return rule.Restart(
        rho_a=rho,
        write_a=write,
        output_a=output,
        rho_k=read,
        output_k=output,
        carry=write if caller.carry is None else caller.carry,
        caller_context=caller.context,
        brief=BRIEF,
        report=caller.report,
        start=middle([r.first_write for r in own]),
        productive=max(settled, start),
        reread=max(0.0, settled - start),
        rereads=PRODUCTIVE_AFTER,
    )


def extended(runs: list[Thread]) -> list[rule.Run]:
    """Runs for the replay: one that was stopped goes on as long as its like did (Kaplan-Meier), growing as before."""
    lengths = np.array([len(r.context) for r in runs], dtype=np.float64)
    done = np.array([r.done for r in runs])
    out = []
    for run, rest in zip(runs, mean_remaining_each(lengths, done, lengths), strict=True):
        more = 0 if run.done else round(rest or 0)
        own = run.fork_first or 0
        if not more:
            out.append(rule.Run(run.context - own, run.price, run.surcharge, run.step - own))
            continue
        tail = run.context[-1] + float(np.median(run.growth[1:])) * np.arange(1, more + 1)
        out.append(
            rule.Run(
                context=np.concatenate((run.context, tail)) - own,
                read=np.concatenate((run.price, np.full(more, run.read[-1]))),
                surcharge=np.concatenate((run.surcharge, np.zeros(more))),
                step=run.step - own,
            )
        )
    return out


def grid(runs: list[rule.Run], restart: rule.Restart, today: float) -> list[float]:
    """Bounds to try: from just above a settled agent to the largest context seen, today's, and none at all."""
    top = max(float(r.context.max()) for r in runs)
    low = restart.productive + 5_000
    values = np.geomspace(low, max(top, low + 1), 24) if top > low else np.zeros(0)
    tried = {float(readable(v)) for v in values if readable(v) > restart.productive} | {today}
    return [*sorted(tried), NEVER]


def fit_group(
    runs: list[Thread], today: float, caller: Caller, assumed: Assumed, limit: Limit, least: tuple[int, int]
) -> ContextFit:
    """The bound of one group. `limit` names it; its value, interval and reasons are filled in here."""
    sessions = sorted({r.session for r in runs})
    limit = replace(limit, n=len(runs), sessions=len(sessions), of="runs", method="replay of past runs")
    if len(runs) < least[0] or len(sessions) < least[1]:
        why = (
            f"kept: {counted(len(runs), 'run')} in {counted(len(sessions), 'session')}, "
            f"{least[0]} in {least[1]} are needed"
        )
        return ContextFit(replace(limit, why=why))
    restart, long = restart_of(runs, caller), extended(runs)
    bounds = grid(long, restart, today)
    made = [rule.replay_each(r, bounds, restart, assumed.lag, assumed.obey) for r in long]
    table = np.array([saved for saved, _, _ in made])
    if assumed.rework:
        table = table - assumed.obey * assumed.rework * np.array([stops for _, stops, _ in made])
    choice = choose(by_session(table, encode([r.session for r in runs]), len(sessions)), near=0.05)
    best = bounds[choice.best]
    facts = stopped(runs, best if best < NEVER else today) | economics(runs, restart, best if best < NEVER else today)
    facts |= {"saved_usd": choice.validated, "saved_low": choice.low, "saved_high": choice.high}
    limit = bounded_by_step(chosen(limit, bounds, choice), runs)
    return ContextFit(replace(limit, extra=limit.extra | facts), restart, choice, bounds, table.sum(axis=0), facts)


def chosen(limit: Limit, bounds: list[float], choice: Choice) -> Limit:
    """The limit with the bound that saved most, and the range of bounds within 5 % of it."""
    best = bounds[choice.best]
    if best == NEVER or choice.validated <= 0:
        worth = f"cross-validated ${usd(choice.validated)} over {counted(choice.sessions, 'session')}"
        return replace(limit, why=f"kept: no bound would have saved money ({worth})")
    near = [bounds[i] for i in choice.plateau]
    return replace(
        limit,
        value=readable(best, min(near), max(near)),
        estimate=best,
        low=min(near),
        high=None if max(near) == NEVER else max(near),
        bounded=True,
        method="replay of past runs; range within 5 % of the best saving",
    )


def bounded_by_step(limit: Limit, runs: list[Thread]) -> Limit:
    """A model whose price jumps above a prompt size never gets a bound that lets runs pass that step."""
    steps = {r.step for r in runs}
    if limit.model is None or len(steps) != 1 or steps == {math.inf}:
        return limit
    step = int(steps.pop())
    found = rule.step_bound([r.context for r in runs], step)
    extra = {"price_step": step, "step_bound": found.bound, "crossings": found.crossings, "step_rule": found.rule}
    if found.bound is None or (limit.value is not None and found.bound >= int(limit.value)):
        return replace(limit, extra=extra)
    return replace(
        limit,
        value=found.bound,
        estimate=float(found.bound),
        low=None,
        high=float(found.bound),
        bounded=True,
        why="",
        method=f"price step at {step:,}: {found.rule}, n = {counted(found.crossings, 'crossing')}",
        extra=extra,
    )


def stopped(runs: list[Thread], bound: float) -> dict[str, Any]:
    """Share of past runs that reached `bound` with work left, with Wilson's interval."""
    hit = sum(bool((r.context[:-1] - (r.fork_first or 0) >= bound).any()) for r in runs)
    low, high = wilson(hit, len(runs))
    return {"would_stop": hit, "would_stop_share": hit / len(runs), "would_stop_low": low, "would_stop_high": high}


def economics(runs: list[Thread], restart: rule.Restart, bound: float) -> dict[str, Any]:
    """K(B), break-even and expected remaining requests, and the closed form's bound, as a check on the replay."""
    lengths, done, reached = [], [], []
    for r in runs:
        over = r.context >= bound + (r.fork_first or 0)
        at = int(over.argmax())
        if over[at]:
            lengths.append(float(len(r.context) - at - 1))
            done.append(r.done)
            reached.append(r)
    growth = float(np.median(np.concatenate([r.growth[1:] for r in runs])))
    even = restart.break_even(bound)
    return {
        "restart_usd": restart.cost(bound),
        "break_even_requests": even if even < math.inf else None,
        "remaining_requests": mean_remaining(np.array(lengths), np.array(done), 0.0) if lengths else None,
        "reached": len(reached),
        "censored": sum(not d for d in done),
        "closed_form": restart.best(growth) if growth > 0 and restart.rho_a > 0 else None,
    }


def turns(runs: list[Thread], limit: Limit) -> Limit:
    """maxTurns: what 95 % of the runs needed (runs that were stopped count as longer), and one spare turn to report."""
    sessions = len({r.session for r in runs})
    lengths = np.array([float(len(r.context)) for r in runs])
    done = np.array([r.done for r in runs])
    limit = replace(limit, n=len(runs), sessions=sessions, of="runs", method="p95 of requests (Kaplan-Meier) + 1 spare")
    if len(runs) < GROUP_RUNS or sessions < GROUP_SESSIONS:
        return replace(limit, why=f"{counted(len(runs), 'run')} in {counted(sessions, 'session')}, 10 in 3 needed")
    needed = quantile(lengths, done, TURNS_SHARE)
    if needed is None:
        return replace(limit, why=f"stopped early: {int((~done).sum())} of {counted(len(runs), 'run')}")
    value = int(needed) + SPARE_TURNS
    hit = int((lengths > value).sum())
    low, high = wilson(hit, len(runs))
    facts = {"would_stop": hit, "would_stop_share": hit / len(runs), "would_stop_low": low, "would_stop_high": high}
    return replace(limit, value=value, estimate=needed, why="", extra=facts | {"spare_turns": SPARE_TURNS})


def agents_only(threads: list[Thread]) -> list[Thread]:
    """Subagents' threads: the main chat gets no bound."""
    return [t for t in threads if t.party != MAIN]


def percentile(values: list[float], p: float) -> float:
    """Nearest-rank quantile of a few figures; 0 of none."""
    return nearest_rank(np.sort(np.array(values)), p) if values else 0.0
