"""forceAt, nudgeFrom and nudgeEvery of each party, from the replay of its threads' own steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hooks.runtime import compaction as runtime
from measure.reports.words import counted
from policy.fit import compaction as rule
from policy.fit.folds import Choice, by_session, choose
from policy.fit.limit import Limit
from policy.fit.quantiles import Floats, encode, readable
from policy.fit.runs import Thread

BASE_PRIOR, PREFIX_PRIOR, SUMMARY_PRIOR, PROMPT_PRIOR = 20_000, 13_000, 2_000, 1_500
REREAD_PRIOR, REREADS_PRIOR, REQUEST_OUTPUT = 5_000, 3, 300
MIN_THREADS, MIN_SESSIONS, MIN_BASES = 5, 3, 3
NEAR, NUDGE_NEAR, NUDGE_STEPS = 0.02, 0.05, 5


@dataclass(frozen=True, slots=True)
class After:
    """What follows a compaction of one party, in tokens and requests; `sources` says what was measured."""

    base: float = BASE_PRIOR
    prefix: float = PREFIX_PRIOR
    summary: float = SUMMARY_PRIOR
    prompt: float = PROMPT_PRIOR
    reread: float = REREAD_PRIOR
    rereads: float = REREADS_PRIOR
    sources: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompactionFit:
    """One party: its limits, the curve of costs over points, today's place on it, and the closed form beside it."""

    limits: list[Limit]
    facts: dict[str, Any]
    points: list[float] = field(default_factory=list)
    usd: Floats = field(default_factory=lambda: np.zeros(0))
    choice: Choice | None = None


def base_of(threads: list[Thread], everyone: list[Thread]) -> tuple[float, str]:
    """Context right after a compaction: the party's own median, else everyone's, else the published one."""
    for group, whose in ((threads, "this party's"), (everyone, "all parties'")):
        seen = [float(b) for t in group if len(t.bases) for b in t.bases]
        if len(seen) >= MIN_BASES:
            return float(np.median(seen)), f"median of {whose} compactions, n = {len(seen)}"
    start = float(np.median([t.context[0] for t in threads])) + 5_000
    if start > BASE_PRIOR:
        return start, "median first context + 5,000 for the summary: no compaction seen"
    return BASE_PRIOR, "prior: published median after 170 automatic compactions"


def cycle_of(threads: list[Thread], after: After) -> rule.Cycle:
    """The closed form's figures: medians over threads, growth as the mean step."""
    growth = float(np.concatenate([t.growth[1:] for t in threads]).mean())
    read = float(np.median([t.rate for t in threads]))
    rho = float(np.median([t.rho for t in threads]))
    return rule.Cycle(base=after.base, growth=max(growth, 1.0), rho=rho, rho_c=read, k0=fixed(threads, after, rho))


def fixed(threads: list[Thread], after: After, rho: float) -> float:
    """K0 of a party in dollars."""
    return rule.fixed_cost(
        after.summary,
        after.prompt,
        after.base,
        min(after.prefix, after.base),
        after.reread,
        after.rereads,
        read=float(np.median([t.rate for t in threads])),
        write=float(np.median([t.write for t in threads])),
        output=float(np.median([t.output for t in threads])),
        rho=rho,
        request_output=REQUEST_OUTPUT,
    )


def fit_party(
    party: str, threads: list[Thread], after: After, window: int, in_force: Callable[[str], int], agent_type: str | None
) -> CompactionFit:
    """The three limits of one party. `window` is its model's, `in_force` gives today's limits in tokens."""
    sessions = sorted({t.session for t in threads})

    def limit(key: str, value: int | None, why: str = "", **more: Any) -> Limit:
        return Limit(
            "compaction",
            key,
            "tokens",
            in_force(key),
            value,
            len(threads),
            len(sessions),
            "threads",
            "replay of measured steps; range within 2 % of the least cost",
            agent_type=agent_type,
            why=why,
            **more,
        )

    cycle = cycle_of(threads, after)
    best = rule.best_requests(cycle)
    long = [t for t in threads if len(t.context) >= rule.WORTH_IT * best]
    facts = {
        "party": party,
        "window": window,
        "base": after.base,
        "growth": cycle.growth,
        "rho": cycle.rho,
        "k_base_usd": cycle.at_base,
        "closed_form_requests": best,
        "closed_form_point": after.base + best * cycle.growth,
        "long_enough": len(long),
        "n": len(threads),
        "sessions": len(sessions),
    }
    long_sessions = len({t.session for t in long})
    if len(long) < MIN_THREADS or long_sessions < MIN_SESSIONS:
        enough = rule.WORTH_IT * best
        why = (
            f"none: {len(long)} of {counted(len(threads), 'thread')}, in {long_sessions} of "
            f"{counted(len(sessions), 'session')}, reached {counted(round(enough), 'request')} (1.41 n*), from which a "
            f"compaction pays; {MIN_THREADS} in {MIN_SESSIONS} are needed"
        )
        return CompactionFit([limit("forceAt", None, why)], facts)
    room = rule.room([t.growth[1:] for t in threads]) or 0.0
    low, high = after.base + room, float(runtime.ask_point(window))
    facts["room"] = room
    if low >= high:
        why = f"none: three steps (p99 {room:,.0f}) above the base leave no room below the window"
        return CompactionFit([limit("forceAt", None, why)], facts)
    today = min(max(float(in_force("forceAt")), low), high)
    points = sorted({*(float(readable(p, low, high)) for p in np.geomspace(low, high, 32)), today, high})
    spent = costs(threads, points, after, cycle)
    usd = spent.sum(axis=0)
    per_session = by_session(-spent, encode([t.session for t in threads]), len(sessions))
    per_session = per_session - per_session[:, [points.index(today)]]  # against today's point
    choice = choose(per_session, NEAR, scale=usd)
    near = [points[i] for i in choice.plateau]
    force = points[choice.best]
    facts |= {
        "today": today,
        "today_usd": float(usd[points.index(today)]),
        "best_usd": float(usd[choice.best]),
        "saved_usd": choice.validated,
        "saved_low": choice.low,
        "saved_high": choice.high,
        "overshoot": rule.overshoot(np.concatenate([t.growth[1:] for t in threads])),
        "range": [near[0], near[-1]],
    }
    start = min(
        [p for p, u in zip(points, usd, strict=True) if u <= (1 + NUDGE_NEAR) * usd[choice.best]], default=force
    )
    # A nudge is one line in every request after it: not more often than the thread grows by five mean steps.
    every = max(NUDGE_STEPS * cycle.growth, (force - start) / 3)
    return CompactionFit(
        [
            limit(
                "forceAt",
                readable(force, near[0], near[-1]),
                estimate=force,
                low=near[0],
                high=near[-1],
                bounded=True,
                extra={"saved_usd": choice.validated},
            ),
            limit(
                "nudgeFrom",
                1_000 * math.ceil(start / 1_000),
                estimate=start,
                why="least point within 5 % of the least cost",
            ),
            limit(
                "nudgeEvery",
                readable(every),
                estimate=every,
                why="a third of the way to forceAt, five mean steps at least",
            ),
        ],
        facts,
        points,
        usd,
        choice,
    )


def costs(threads: list[Thread], points: list[float], after: After, cycle: rule.Cycle) -> Floats:
    """Dollars of reading and compacting: threads x points."""
    out = np.zeros((len(threads), len(points)))
    for i, thread in enumerate(threads):
        steps = rule.Steps(thread.growth, thread.price, thread.rate)
        out[i] = rule.replay_each(steps, points, after.base, cycle.k0)[0]
    return out


def shown(fit: CompactionFit) -> list[dict[str, Any]]:
    """The curve as rows: point, dollars, whether within 2 % of the least."""
    near = set(fit.choice.plateau) if fit.choice else set()
    return [
        {"point": p, "usd": float(u), "near_best": i in near}
        for i, (p, u) in enumerate(zip(fit.points, fit.usd, strict=True))
    ]


def with_sources(after: After, **sources: str) -> After:
    """`after` with a note on where figures come from."""
    return replace(after, sources=after.sources | sources)
