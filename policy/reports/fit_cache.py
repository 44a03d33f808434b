"""`setpoint fit cache`: what the client's own settings would have cost or saved on this user's gaps and outputs."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from measure.reports.model import Report, Show, Table
from measure.reports.words import usd
from policy.fit import cache as rule
from policy.fit.inputs import Priced
from policy.fit.options import Fitted, Options
from policy.fit.returns_cost import PRIORS

COLUMNS = (
    Show("setting"),
    Show("value"),
    Show("saved_usd"),
    Show("range", "95 % interval"),
    Show("n"),
    Show("of"),
    Show("sessions"),
)


def build(data: Priced, options: Options) -> Fitted:  # noqa: ARG001 - the signature of every fit
    """The settings `promptCacheTtl`, `subagentPromptCacheTtl`, `bashOutputMaxChars`: nothing is written for them."""
    found = [*rule.ttl(data), *rule.bash(data)]
    advice = {name: rule.advice(list(group)) for name, group in groupby(found, key=lambda o: o.setting)}
    rows = [row(option) | {"advice": advice[option.setting]} for option in found]
    prior = PRIORS["read_back_share"]
    report = Report(
        name="fit",
        title="What cache life and Bash output size would have saved (estimate)",
        rows=rows,
        tables=[Table("Against today", rows, COLUMNS)],
        totals={"requests": len(data.frames.requests), "sessions": len(data.frames.sessions)},
        lead=[f"{name}: {what}." for name, what in advice.items()],
        notes=[
            "Negative: it would have cost more.",
            "Bash outputs that were already replaced by a preview are not counted: their true size is unknown.",
            f"Read back after all: {100 * prior.value:.0f} % of the outputs ({prior.source}).",
        ],
        extra={"feature": "cache", "advice": advice},
        empty="No priced requests found.",
    )
    return Fitted(report)


def row(option: rule.Option) -> dict[str, Any]:
    """One option as a row."""
    finite = option.sessions > 1
    return {
        "setting": option.setting,
        "value": option.value,
        "saved_usd": option.saved_usd,
        "interval": [option.low, option.high] if finite else None,
        "range": f"{usd(option.low)} to {usd(option.high)}" if finite else "none",
        "n": option.n,
        "of": option.of,
        "sessions": option.sessions,
    }
