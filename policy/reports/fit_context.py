"""`setpoint fit context`: from which context on a subagent should report, per model and agent type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from measure.reports.model import Report, Show, Table
from measure.reports.words import counted, usd
from policy.fit import context_choice as rule
from policy.fit.inputs import Priced, valued
from policy.fit.limit import Limit
from policy.fit.options import Fitted, Options
from policy.fit.runs import UNKNOWN, Thread, threads
from policy.reports.fitted import as_rows, kept, saving, table

ECONOMY = (
    Show("who"),
    Show("n"),
    Show("would_stop_share", "stopped"),
    Show("would_stop_range", "95 %"),
    Show("restart_usd", "restart $"),
    Show("break_even_requests", "breaks even"),
    Show("remaining_requests", "remaining"),
    Show("closed_form", "closed form", "short"),
)


def build(data: Priced, options: Options) -> Fitted:
    """Bounds overall, per model and per agent type; maxTurns per type (said, not written: it stands in agent files)."""
    runs = rule.agents_only(threads(data, options.prices))
    found = groups(runs, data, options)
    limits = [fit.limit for fit in found]
    turns = [
        rule.turns(part, Limit("context", "maxTurns", "turns", None, None, 0, 0, "runs", "", agent_type=name))
        for name, part in by(runs, lambda r: r.party)
        if name != UNKNOWN
    ]
    report = Report(
        name="fit",
        title="Fitted context bounds of subagents, tokens",
        rows=as_rows((*limits, *turns)),
        tables=[
            table("Bounds", limits, "range within 5 %"),
            Table("What a stop at that bound means", economy(found), ECONOMY),
            turn_table(turns),
        ],
        totals={"runs": len(runs), "sessions": len({r.session for r in runs})},
        lead=[verdict(found[0])] if found else [],
        notes=[
            *kept(limits),
            *steps(limits),
            f"Assumed: a share of {options.obey:g} obeys, {counted(options.lag, 'request')} after the note.",
            f"A stop costs ${usd(options.rework_usd)} of rework; the next brief takes {rule.BRIEF} tokens (prior).",
            f"b1 and re-reading: the agents' own context after {rule.PRODUCTIVE_AFTER} requests.",
            "Stopped runs are continued by Kaplan-Meier. Dollars: an estimate, cross-validated over sessions.",
        ],
        extra={
            "feature": "context",
            "assumed": {"obey": options.obey, "lag": options.lag, "rework_usd": options.rework_usd},
            "curve": curve(found[0]) if found else [],
        },
        empty="No subagent runs found.",
    )
    return Fitted(report, limits)


def by(runs: list[Thread], key: Callable[[Thread], str]) -> list[tuple[str, list[Thread]]]:
    """Runs by a key, in its order."""
    names = sorted({key(run) for run in runs})
    return [(name, [run for run in runs if key(run) == name]) for name in names]


def groups(runs: list[Thread], data: Priced, options: Options) -> list[rule.ContextFit]:
    """All runs, then each model (where there are several, or a price step), then each agent type."""
    if not runs:
        return []
    callers = callers_of(data)
    assumed = rule.Assumed(options.obey, options.lag, options.rework_usd)

    def one(part: list[Thread], least: tuple[int, int], model: str | None, kind: str | None) -> rule.ContextFit:
        today = options.force.context(model, kind)
        limit = Limit("context", "maxTokens", "tokens", today, None, 0, 0, "runs", "", agent_type=kind, model=model)
        return rule.fit_group(part, float(today), callers(kind), assumed, limit, least)

    small = (rule.GROUP_RUNS, rule.GROUP_SESSIONS)
    models = by(runs, lambda r: r.model)
    stepped = [(name, part) for name, part in models if len(models) > 1 or part[0].step < np.inf]
    return [
        one(runs, (rule.MIN_RUNS, rule.MIN_SESSIONS), None, None),
        *(one(part, small, name, None) for name, part in stepped),
        *(one(part, small, None, name) for name, part in by(runs, lambda r: r.party) if name != UNKNOWN),
    ]


def callers_of(data: Priced) -> Callable[[str | None], rule.Caller]:
    """Medians of what a report of each agent type met at its caller; all types' where a type has none."""
    rows = valued(data) if len(data.frames.returns) else None
    if rows is None or not len(rows):
        return lambda _: rule.Caller()

    def one(kind: str | None) -> rule.Caller:
        part = rows.filter(rows["agent_type"] == kind) if kind else rows
        part = part if len(part) else rows
        return rule.Caller(
            context=float(np.median(part["k_context"].to_numpy())),
            report=float(np.median((part["first_chars"] / part["a_cpt"]).to_numpy())),
            carry=float(part["carry"].to_numpy().mean()),
            n=len(part),
        )

    return one


def verdict(overall: rule.ContextFit) -> str:
    """The first line: what the bound in force, or the fitted one, would have saved."""
    limit = overall.limit
    if overall.choice is None:
        return f"Too few runs for a bound: {limit.why}."
    if limit.value is None:
        return (
            "No bound would have saved money for all types together "
            f"(n = {counted(limit.n, 'run')} in {counted(limit.sessions, 'session')})."
        )
    worth = saving(overall.choice.validated, overall.choice.low, overall.choice.high)
    return f"A bound of {int(limit.value):,} would have saved {worth}, cross-validated, n = {counted(limit.n, 'run')}."


def economy(found: list[rule.ContextFit]) -> list[dict[str, Any]]:
    """One row a group with enough runs."""
    rows = []
    for fit in found:
        if fit.restart is None:
            continue
        facts = fit.facts
        low, high = 100 * facts["would_stop_low"], 100 * facts["would_stop_high"]
        who = fit.limit.agent_type or fit.limit.model or "all"
        rows.append({"who": who, "n": fit.limit.n, "would_stop_range": f"{low:.0f}-{high:.0f} %"} | facts)
    return rows


def steps(limits: list[Limit]) -> list[str]:
    """A sentence for each model with a price step."""
    lines = []
    for limit in limits:
        if limit.model and "price_step" in limit.extra:
            facts = limit.extra
            found = f"; largest bound that keeps below it: {facts['step_bound']:,}" if facts["step_bound"] else ""
            lines.append(
                f"{limit.model}: its price jumps above {facts['price_step']:,} prompt tokens{found} "
                f"({facts['step_rule']}, n = {counted(facts['crossings'], 'crossing')})."
            )
    return lines


def turn_table(turns: list[Limit]) -> Table:
    """maxTurns by type: requests that 95 % of runs needed, and the spare turn."""
    rows = [
        limit.row()
        | {
            "share": f"{100 * limit.extra['would_stop_low']:.0f}-{100 * limit.extra['would_stop_high']:.0f} %"
            if limit.value
            else limit.why
        }
        for limit in turns
    ]
    show = (
        Show("agent_type", "type"),
        Show("fitted", "maxTurns"),
        Show("n"),
        Show("sessions"),
        Show("share", "stopped, 95 %"),
    )
    return Table("maxTurns (p95 of requests used, one spare turn)", rows, show)


def curve(fit: rule.ContextFit) -> list[dict[str, Any]]:
    """Dollars saved over bounds, all runs together."""
    near = set(fit.choice.plateau) if fit.choice else set()
    return [
        {"bound": None if b == rule.NEVER else b, "saved_usd": float(s), "near_best": i in near}
        for i, (b, s) in enumerate(zip(fit.bounds, fit.saved, strict=True))
    ]
