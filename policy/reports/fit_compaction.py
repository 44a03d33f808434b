"""`setpoint fit compaction`: when each party should compact, from the replay of its threads' own steps."""

from __future__ import annotations

from typing import Any

import polars as pl

from hooks.runtime import compaction as runtime
from measure.reports.model import Report, Show, Table
from measure.reports.words import counted
from policy.fit import compaction_choice as rule
from policy.fit.inputs import Priced
from policy.fit.options import Fitted, Options
from policy.fit.runs import MAIN, UNKNOWN, Thread, threads
from policy.rebuilds import THREAD
from policy.reports.fitted import as_rows, kept, saving, table

COLUMNS = (
    Show("party"),
    Show("n"),
    Show("base", "base", "short"),
    Show("growth", "a request", "count"),
    Show("k_base_usd", "K(b) $"),
    Show("closed_form_requests", "n*", "count"),
    Show("closed_form_point", "closed form", "short"),
    Show("today", "today", "short"),
    Show("today_usd", "today $"),
    Show("best_usd", "best $"),
)


def build(data: Priced, options: Options) -> Fitted:
    """Limits for main and for each agent type."""
    everyone = threads(data, options.prices)
    again = reread(data)
    found = []
    for party in sorted({t.party for t in everyone} - {UNKNOWN}, key=lambda name: (name != MAIN, name)):
        own = [t for t in everyone if t.party == party]
        kind = None if party == MAIN else party
        window = window_of(own, options)
        base, source = rule.base_of(own, everyone)
        after = rule.After(base=base, sources={"base": source} | again["sources"], **again["values"])
        force = options.force.compaction(kind, window)
        found.append(rule.fit_party(party, own, after, window, force.__getitem__, kind))
    limits = [limit for fit in found for limit in fit.limits]
    report = Report(
        name="fit",
        title="Fitted compaction points, tokens",
        rows=as_rows(limits),
        tables=[
            table("Limits", limits, "range within 2 %"),
            Table("The closed form beside the replay (estimate)", [fit.facts for fit in found], COLUMNS),
        ],
        totals={"threads": len(everyone), "sessions": len({t.session for t in everyone})},
        lead=[line for fit in found for line in verdict(fit)],
        notes=[*kept(limits), *sources(found, again)],
        extra={
            "feature": "compaction",
            "parties": [fit.facts for fit in found],
            "curves": {fit.facts["party"]: rule.shown(fit) for fit in found if fit.points},
            "parameters": again["sources"],
        },
        empty="No threads found.",
    )
    return Fitted(report, limits)


def window_of(own: list[Thread], options: Options) -> int:
    """Window of a party's usual model; a context above 200,000 proves the large one."""
    models = [t.model for t in own]
    usual = max(set(models), key=models.count)
    section = options.force.sections.get("compaction", {})
    size, source = runtime.window(usual, section.get("windows"), None)
    seen = max(float(t.context.max()) for t in own)
    return runtime.LARGE if seen > size and source != "setpoint.json" else size


def reread(data: Priced) -> dict[str, Any]:
    """Tokens and requests spent on reading again, after a compaction, what the thread had read before it."""
    compacted = len(data.frames.compactions)
    reads = data.frames.reads
    if compacted < rule.MIN_THREADS:
        prior = f"prior, no data: {counted(compacted, 'compaction')} seen"
        return {"values": {}, "sources": {"reread": prior, "summary": prior}}
    first = reads.group_by(*THREAD, "path").agg(pl.col("segment").min().alias("_first"))
    again = reads.join(first, on=[*THREAD, "path"], nulls_equal=True).filter(pl.col("segment") > pl.col("_first"))
    tokens = float(again["chars"].sum()) / 4 / compacted
    values = {"reread": tokens, "rereads": again.height / compacted}
    note = f"reads of files read before, per compaction, n = {compacted}"
    return {"values": values, "sources": {"reread": note, "summary": "prior, n = 1"}}


def verdict(fit: rule.CompactionFit) -> list[str]:
    """One line a party that has limits."""
    if fit.choice is None:
        return []
    facts = fit.facts
    low, high = facts["range"]
    worth = saving(facts["saved_usd"], facts["saved_low"], facts["saved_high"])
    line = (
        f"{facts['party']}: anywhere from {low:,.0f} to {high:,.0f} costs within 2 % of the least; against today's "
        f"{facts['today']:,.0f} that saves {worth}, cross-validated, n = {counted(facts['n'], 'thread')}."
    )
    return [line]


def sources(found: list[rule.CompactionFit], again: dict[str, Any]) -> list[str]:
    """Where the figures come from that the transcripts do not give directly."""
    lines = [
        f"Reading again after a compaction: {again['sources']['reread']}.",
        f"Summary: {rule.SUMMARY_PRIOR:,} tokens, prior.",
        "Never closer to the base than p99 of three successive steps, nor beyond the client's own ask point.",
    ]
    past = [f"{f.facts['overshoot']:,.0f} ({f.facts['party']})" for f in found if "overshoot" in f.facts]
    if past:
        lines.append(f"Tokens by which a trigger is overshot on average (the replay holds them): {', '.join(past)}.")
    return lines
