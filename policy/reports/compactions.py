"""The report `compactions` with its price: the rewrite right after each, and its own request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from measure.reports import compactions as measured
from measure.reports.model import Show
from policy.compaction_cost import BASES, compaction_costs
from policy.cost import cost
from policy.fit.compaction_choice import SUMMARY_PRIOR
from policy.price_file import in_force
from policy.reports.money import extra, notes, warnings
from policy.spend import labelled

if TYPE_CHECKING:
    from measure.frames import Frames
    from measure.reports.model import Filters, Report

SHOW = (
    Show("ts", "when"),
    Show("agent_type", "thread"),
    Show("trigger"),
    Show("pre_tokens", "before"),
    Show("post_tokens", "after"),
    Show("requests_since_last", "req"),
    Show("rewrite_usd", "rewrite $"),
    Show("request_usd", "request $"),
)
MEANS = "Rewrite: what the first request after it wrote to the cache. Request: the compaction's own request."
HOW = {
    BASES[0]: "taken from the client's own totals, side requests included",
    BASES[
        1
    ]: f"an estimate: one read of the whole prompt from a warm cache, {SUMMARY_PRIOR:,.0f} tokens of summary written",
}


def build(frames: Frames, filters: Filters) -> Report:
    """The report `compactions`, priced."""
    whole = frames.unfiltered or frames
    prices = in_force(filters.prices)
    costs = labelled(cost(whole.requests, prices), filters.timezone)
    table = compaction_costs(measured.rows(frames, filters), costs, whole.sessions)
    report = measured.build(frames, filters, table)
    report.tables[0] = replace(report.tables[0], show=SHOW)
    report.totals |= {
        name: table[name].sum() if table[name].count() else None for name in ("rewrite_usd", "request_usd")
    }
    bases = table["request_basis"].value_counts().rows()
    report.notes += [MEANS, *(f"The request of {n:,} of them is {HOW[basis]}." for basis, n in bases if basis)]
    report.notes += [*warnings(costs), *notes(costs, prices)]
    report.extra |= {key: value for key, value in extra(costs, prices).items() if key != "total_usd"}
    return report
