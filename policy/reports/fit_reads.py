"""`setpoint fit reads`: what denying or noting Bash prints would have saved on this user's own sessions."""

from __future__ import annotations

from typing import Any

from measure.reports.model import Report, Show, Table
from measure.reports.words import usd
from policy.fit import reads as rule
from policy.fit.inputs import Priced
from policy.fit.options import Fitted, Options
from policy.fit.returns_cost import PRIORS

COLUMNS = (
    Show("mode"),
    Show("repeat_only", "repeatOnly"),
    Show("n", "prints"),
    Show("chars"),
    Show("saved_usd"),
    Show("range", "95 % interval"),
    Show("sessions"),
)


def build(data: Priced, options: Options) -> Fitted:  # noqa: ARG001 - the signature of every fit
    """The settings of the reads guard against none: nothing is written for them."""
    paid = rule.priced_prints(data)
    found = rule.modes(paid)
    advice = rule.advice(found)
    rows = [row(mode) for mode in found]
    prior = PRIORS["read_back_share"]
    report = Report(
        name="fit",
        title="What the reads guard would have saved on Bash commands that only print files (estimate)",
        rows=rows,
        tables=[Table("Against no guard", rows, COLUMNS)],
        totals=totals(rule.prints(data.frames), paid),
        lead=[f"reads: {advice}."],
        notes=[
            "Negative: it would have cost more. A deny costs a step of the whole context.",
            "A note sends words of its own, and what it changes afterwards is not known.",
            f"Read all the same after a deny: {100 * prior.value:.0f} % ({prior.source}).",
        ],
        extra={"feature": "reads", "advice": advice},
        empty="No Bash command that only prints a file, in a closed session with prices.",
    )
    return Fitted(report)


def add(report: Report, data: Priced) -> None:
    """Add to the report `reads` what the guard would have done with the Bash prints that it counts (a replay)."""
    rows = [row(mode) for mode in rule.modes(rule.priced_prints(data))]
    report.extra["guard"] = rows
    if rows:
        report.tables.insert(2, Table("What the reads guard would have saved on Bash prints (estimate)", rows, COLUMNS))


def totals(every: Any, paid: Any) -> dict[str, Any]:
    """Bash prints, those of lines already held, their characters, and what those with prices cost to carry."""
    return {
        "prints": every.height,
        "held": int(every["held"].sum()),
        "chars": int(every["chars"].sum()),
        "valued": paid.height,
        "carry_usd": float(paid["carry_usd"].sum()) if paid.height else None,
    }


def row(mode: rule.Mode) -> dict[str, Any]:
    """One setting as a row."""
    finite = mode.sessions > 1 and mode.acted > 0
    return {
        "mode": mode.mode,
        "repeat_only": mode.repeat_only,
        "n": mode.acted,
        "of": "prints",
        "chars": mode.chars,
        "saved_usd": mode.saved_usd,
        "interval": [mode.low, mode.high] if finite else None,
        "range": f"{usd(mode.low)} to {usd(mode.high)}" if finite else "none",
        "sessions": mode.sessions,
    }
