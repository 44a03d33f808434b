"""`setpoint fit returns`: passTokens and fileTokens, by percentile or by what they would have saved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hooks.runtime.returns import MODES
from measure.reports.model import Report, Show, Table
from measure.reports.words import counted, short, usd
from policy.fit import returns as by_percentile
from policy.fit import returns_choice as by_cost
from policy.fit.inputs import Priced, Returns, arrays, sizes, valued
from policy.fit.limit import Limit
from policy.fit.options import Fitted, Options
from policy.fit.returns_cost import PRIORS
from policy.reports import replay_modes
from policy.reports.fitted import as_rows, kept, parameters, saving, table

METHOD = "replay of every past return; range within 5 % of the best saving"


def build(data: Priced, options: Options) -> Fitted:
    """The limits asked for, and in either case what blocking would have cost and saved."""
    rows = sizes(data.frames.returns)
    worth = valued(data) if len(rows) else None
    left_out = len(rows) - (0 if worth is None else len(worth))
    assumed = by_cost.assumptions(data.steps)
    costed = arrays(worth) if worth is not None and len(worth) else None
    limits = by_percentile.percentile(rows, options.force.returns)
    found = by_cost.fit(costed, today(options), assumed) if costed and costed.sessions >= 2 else None
    lead = [verdict(found, costed)]
    if options.method == "cost":
        limits = cost_limits(limits, found, costed, options)
        if options.objective == "context" and costed:
            limits, line = context_limits(limits, costed, rows, options, assumed)
            lead.append(line)
    report = Report(
        name="fit",
        title=f"Fitted return limits ({options.method}), est. tokens of the first answer",
        rows=as_rows(limits),
        tables=[table("Limits", limits, "95 % interval" if options.method == "percentile" else "range within 5 %")],
        totals={"returns": len(rows), "sessions": rows["session_id"].n_unique(), "valued": len(rows) - left_out},
        lead=lead,
        notes=[*kept(limits), *too_narrow(limits), *notes(found, costed, assumed, left_out, today(options)[0])],
        extra={"feature": "returns", "method": options.method, "objective": options.objective},
        empty="No returns found.",
    )
    if costed:
        report.tables.append(actions(costed, options, assumed))
        report.extra["by_size"] = by_cost.by_size(costed, options.force.returns("passTokens", None), assumed)
        advise(report, data, options)
    if found and costed:
        report.extra["cost"] = cost_facts(found) | shadow_facts(found, costed, assumed)
        report.notes += shadow_note(report.extra["cost"])
    named = {name: (getattr(assumed, name, prior.value), prior.source) for name, prior in PRIORS.items()}
    report.extra["parameters"] = {name: {"value": value, "source": source} for name, (value, source) in named.items()}
    if options.method == "cost":
        report.tables.append(parameters(named))
    return Fitted(report, limits)


def today(options: Options) -> tuple[int, int]:
    """Both limits in force over all types."""
    return options.force.returns("passTokens", None), options.force.returns("fileTokens", None)


def verdict(found: by_cost.CostFit | None, data: Returns | None) -> str:
    """The first line: whether blocking pays in dollars for this user."""
    if found is None or data is None:
        return "Whether blocking pays in dollars cannot be said: no priced return in two closed sessions."
    n = f"n = {counted(len(data.est), 'return')} in {counted(data.sessions, 'session')}"
    if found.best.trigger == by_cost.NEVER or found.choice.validated <= 0:
        return (
            f"Blocking long returns would not have paid in dollars ({n}; a caller makes a median of "
            f"{np.median(data.later):,.0f} later requests). To keep contexts small all the same: --objective context."
        )
    worth = saving(found.choice.validated, found.choice.low, found.choice.high)
    best = found.best
    return (
        f"Limits chosen for dollars (--method cost: announce {best.target:,}, block above {best.trigger:,}) would have "
        f"saved {worth}, cross-validated, {n}."
    )


def cost_limits(
    limits: list[Limit], found: by_cost.CostFit | None, data: Returns | None, options: Options
) -> list[Limit]:
    """The overall limits by dollars; types keep them, for a type's own returns are too few to choose by."""
    overall = [limit for limit in limits if limit.agent_type is None]
    if found is None or data is None:
        return [
            replace(x, value=None, bounded=False, why="kept: no priced return in two closed sessions") for x in overall
        ]
    n, sessions = len(data.est), data.sessions
    why = by_percentile.few(n, sessions)
    if not why and (found.best.trigger == by_cost.NEVER or found.choice.validated <= 0):
        why = "kept: blocking would not have paid in dollars"
    picks = {"passTokens": found.best.target, "fileTokens": found.best.file, "slackTokens": found.best.slack}
    spans = {
        "passTokens": [c.target for c in found.plateau],
        "fileTokens": [c.file for c in found.plateau],
        "slackTokens": [c.slack for c in found.plateau],
    }
    top = int(data.est.max())
    out = []
    for key, pick in picks.items():
        never = pick >= by_cost.NEVER // 2
        low, high = (None if end(spans[key]) >= by_cost.NEVER // 2 else float(end(spans[key])) for end in (min, max))
        out.append(
            Limit(
                "returns",
                key,
                "est. tokens",
                options.force.returns(key, None),
                None if why or (key == "slackTokens" and never) else top + 1 if never else pick,
                n,
                sessions,
                "returns",
                METHOD,
                estimate=None if never else float(pick),
                low=float(top) if low is None else low,
                high=high,
                bounded=not why,
                why=why or (f"no file tier would have paid: set above the largest of {n}" if never else ""),
            )
        )
    return out


def context_limits(
    limits: list[Limit], data: Returns, rows: Any, options: Options, assumed: by_cost.Assumed
) -> tuple[list[Limit], str]:
    """Limits that keep the callers' contexts small while at most `max_blocked` of the returns are stopped."""
    share = options.max_blocked
    limits = [
        limit
        for limit in by_percentile.percentile(rows, options.force.returns, 1 - share, 1 - 0.44 * share)
        if limit.agent_type is None
    ]
    values = [int(x.value or x.extra.get("would_be") or x.in_force or 0) for x in limits]
    made = by_cost.context_objective(data, by_cost.Candidate(values[0], values[0], values[1]), assumed)
    kept_out = f"{made.saved_tokens:,.0f} tokens (95 % interval {made.low:,.0f} to {made.high:,.0f})"
    return limits, (
        f"At most {100 * share:.0f} % blocked: {made.blocked} of {counted(len(data.est), 'return')}, "
        f"{kept_out} kept out of the callers' contexts, for a net {saving(made.net_usd, made.net_low, made.net_high)}."
    )


def too_narrow(limits: list[Limit]) -> list[str]:
    """What the interval would be if returns were independent, said to be too narrow."""
    lines = []
    for limit in limits:
        low, high = limit.extra.get("independent_interval", (None, None))
        if limit.agent_type is None and low is not None and high is not None:
            estimate = f"estimate {limit.estimate:,.0f}" if limit.estimate else "no estimate"
            lines.append(
                f"{limit.key}: {estimate}, n = {limit.n}; if returns of one session were independent its interval "
                f"would be {low:,.0f} to {high:,.0f}: too narrow, they are not."
            )
    return lines


def notes(
    found: by_cost.CostFit | None, data: Returns | None, assumed: by_cost.Assumed, left_out: int, target: int
) -> list[str]:
    """Break-even and what the band below it loses; returns that the dollars leave out."""
    lines = [
        "Quantiles: nearest rank. Dollars: an estimate; parameters with their sources in --json.",
        "A target is taken at its word: how far agents really shorten is a prior (n = 1).",
    ]
    if left_out:
        lines.append(
            f"Dollars leave out {counted(left_out, 'return')}: open session (a record in the last 24 h) or no price."
        )
    if found is None or data is None:
        return lines
    pays = found.best.trigger < by_cost.NEVER and found.choice.validated > 0
    announced = found.best.target if pays else target
    edge, between, lost = by_cost.band(data, announced, assumed)
    if edge is None:
        return [*lines, f"With {announced:,} announced no size pays for its block on average."]
    return [
        *lines,
        f"With {announced:,} announced a block pays from {edge:,.0f} est. tokens on, on average; blocking the "
        f"{counted(between, 'return')} between would have {'lost' if lost > 0 else 'saved'} ${usd(abs(lost))}"
        + (": slackTokens spares them." if lost > 0 else "."),
    ]


def size_name(low: float, high: float | None) -> str:
    """A class of sizes in few characters."""
    return f"> {short(low)}" if high is None else f"{short(low)}-{short(high)}"


def actions(data: Returns, options: Options, assumed: by_cost.Assumed) -> Table:
    """What each action would have saved net, by size."""
    rows = [
        row | {"size": size_name(row["above"], row["to"])}
        for row in by_cost.by_size(data, options.force.returns("passTokens", None), assumed)
    ]
    show = (
        Show("size"),
        Show("n"),
        Show("later_requests", "later"),
        Show("carry_usd", "carried"),
        *(Show(f"{name}_usd", name) for name in by_cost.ACTIONS),
        Show("best"),
    )
    return Table("Net dollars had every return of that size been treated so (estimate)", rows, show)


def advise(report: Report, data: Priced, options: Options) -> None:
    """Add what announcing, blocking and shortening at the limits in force would have done, and the mode to take."""
    found = replay_modes.rows(data, options.force.sections.get("returns", {}), options.force.environment, MODES)
    mode, why = replay_modes.recommend(found)
    report.tables.append(Table("Each mode at the limits in force (estimate)", found, replay_modes.COLUMNS))
    report.notes.append(f"Mode to take: {mode} ({why}).")
    report.extra |= {"modes": found, "recommended": mode, "why": why}


def cost_facts(found: by_cost.CostFit) -> dict[str, Any]:
    """The choice by dollars, for programs."""
    return {
        "validated_usd": found.choice.validated,
        "interval": [found.choice.low, found.choice.high],
        "in_sample_usd": found.choice.total,
        "sessions": found.choice.sessions,
        "blocks": found.n_blocked,
        "pass_tokens": found.best.target,
        "slack_tokens": None if found.best.trigger == by_cost.NEVER else found.best.slack,
        "file_tokens": None if found.best.file == by_cost.NEVER else found.best.file,
        "break_even_tokens": found.break_even,
        "lost_below_usd": found.lost_below,
        "n_below": found.n_below,
        "plateau": [
            {
                "pass_tokens": c.target,
                "trigger": None if c.trigger == by_cost.NEVER else c.trigger,
                "file_tokens": None if c.file == by_cost.NEVER else c.file,
            }
            for c in found.plateau[:200]
        ],
        "plateau_size": len(found.plateau),
    }


def shadow_facts(found: by_cost.CostFit, data: Returns, assumed: by_cost.Assumed) -> dict[str, Any]:
    """The chosen limits at the shadow price of a token, where an automatic compaction ended the caller's segment."""
    ended = ~np.isnan(data.shadow)
    if not ended.any():
        return {"in_compacted_segments": 0, "in_sample_shadow_usd": None}
    priced_so = replace(data, carry=np.where(ended, data.shadow, data.carry))
    total = float(by_cost.saved_by(priced_so, [found.best], assumed).sum())
    return {"in_compacted_segments": int(ended.sum()), "in_sample_shadow_usd": total}


def shadow_note(facts: dict[str, Any]) -> list[str]:
    """Both prices side by side."""
    n, total = facts["in_compacted_segments"], facts["in_sample_shadow_usd"]
    if not n or total is None:
        return []
    line = (
        f"{counted(n, 'return')} stood in a segment that an automatic compaction ended: at the shadow price of their "
        f"tokens the same limits save ${usd(total)} instead of ${usd(facts['in_sample_usd'])} (in sample)."
    )
    return [line]
