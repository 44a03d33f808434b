"""The report `compare A B`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from measure.reports.model import Filters, Report, Show, Table
from measure.reports.words import clean, counted, duration, short, tail, usd
from policy.compare import SUM, by_session
from policy.compare import compare as lines
from policy.reports.money import costed, extra, notes, warnings

if TYPE_CHECKING:
    from measure.frames import Frames

TITLES = {
    "cost_usd": "cost",
    "typical_session_usd": "  of a typical session",
    "request_usd": "  per request",
    "cache_read_usd": "cache reads",
    "cache_read_request_usd": "  per request",
    "cache_write_usd": "cache writes",
    "cache_write_request_usd": "  per request",
    "requests": "requests",
    "typical_session_requests": "  of a typical session",
    "mean_context_tokens": "mean context per request",
    "compactions": "compactions",
    "compactions_per_100_requests": "  per 100 requests",
    "wall_seconds": "wall time",
    "typical_session_wall_seconds": "  of a typical session",
}
SCHEMA = {
    "measure": pl.String(),
    **dict.fromkeys(("a", "b", "difference", "change", "low", "high"), pl.Float64()),
    "why": pl.String(),
}


def build(frames: Sequence[Frames], filters: Filters) -> Report:
    """The report `compare` of exactly two reads: one row a measure."""
    sides = [costed(each, filters) for each in frames]
    sets = [by_session(costs, each.compactions, each.sessions) for (costs, _), each in zip(sides, frames, strict=True)]
    rows = lines(sets[0], sets[1])
    table = pl.DataFrame(rows, schema=SCHEMA)
    counts = [each.height for each in sets]
    return Report(
        name="compare",
        title="Two sets of sessions side by side",
        rows=table if all(counts) else table.clear(),
        tables=[Table("", [_shown(row) for row in rows], SHOW)],
        totals={"a_sessions": counts[0], "b_sessions": counts[1]},
        lead=[_named(letter, each, n) for letter, each, n in zip("AB", frames, counts, strict=True)],
        notes=[*_meanings(rows), *_said(sides)],
        extra={
            letter: extra(costs, prices) | {"roots": each.roots}
            for letter, (costs, prices), each in zip("ab", sides, frames, strict=True)
        },
        empty=f"Nothing to compare: A holds {counted(counts[0], 'session')} with requests, B {counts[1]:,}.",
    )


def _named(letter: str, frames: Frames, sessions: int) -> str:
    return f"{letter}: {counted(sessions, 'session')} in {tail(clean(', '.join(frames.roots)), 60)}"


SHOW = (Show("measure"), Show("a", "A"), Show("b", "B"), Show("change", "change"), Show("interval", "95 % interval"))


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    name = row["measure"]
    return {
        "measure": TITLES[name],
        "a": _amount(name, row["a"]),
        "b": _amount(name, row["b"]),
        "change": "-" if row["change"] is None else f"{row['change']:+.1%}",
        "interval": "-" if row["low"] is None else f"{row['low']:+.1%} to {row['high']:+.1%}",
    }


def _amount(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if name.endswith("_usd"):
        return f"${usd(value)}"
    return duration(value) if name.endswith("_seconds") else short(value)


def _meanings(rows: list[dict[str, Any]]) -> list[str]:
    whys = sorted({row["why"] for row in rows if row["low"] is None and row["why"] != SUM})
    typical = "A typical session is the geometric mean over sessions."
    return [
        f"Change: B against A. {typical} Sums have no interval: they grow with the number of sessions.",
        "Intervals: Welch's t on logs for typical sessions, a jackknife over sessions for ratios.",
        *(f"No interval: {why}." for why in whys if why),
    ]


def _said(sides: list[tuple[pl.DataFrame, Any]]) -> list[str]:
    said = [f"{letter}: {line}" for letter, (costs, _) in zip("AB", sides, strict=True) for line in warnings(costs)]
    return [*said, *notes(*sides[0])[:1]]
