"""What stands on the HTML page: finished reports, the curves of the same requests, and the few numbers at its head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from measure.html.curves import curves
from measure.html.page import Page
from measure.html.tables import head_lines, section, source_lines
from measure.reports.words import short, usd
from policy.cost import KINDS, cost
from policy.plots import WORDS, periods
from policy.spend import hit_ratio, total, unpriced

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from measure.plots.marks import Marks
    from measure.reports.model import Report, Source
    from policy.prices import Prices


def page(
    frames: Any,
    reports: Sequence[Report],
    source: Source,
    prices: Prices,
    marks: Marks,
    *,
    zone: str,
    now: datetime,
) -> Page:
    """The page of `frames`; `reports` are of the same frames, so every table on it is one of theirs."""
    costs = cost(frames.requests, prices)
    sessions, left_out = curves(costs, frames.compactions, marks)
    note = f"Curves of the newest sessions; {left_out:,} older ones are in the tables only." if left_out else ""
    return Page(
        title="setpoint report",
        made=now,
        zone=zone,
        lead=head_lines(source),
        figures=figures(frames, costs),
        sections=[section(report, zone) for report in reports],
        curves=sessions,
        curves_note=note,
        days=over_time(costs, zone),
        source=source_lines(source),
    )


def figures(frames: Any, costs: pl.DataFrame) -> list[tuple[str, str]]:
    """Name and value of the numbers at the head of the page; unknown is said, never 0."""
    sums = total(costs)
    hits = hit_ratio(sums)
    missing = sum(row["requests"] for row in unpriced(costs))
    return [
        ("Cost (USD)", usd(sums["usd"]) if sums["usd"] is not None else "no price"),
        *([("Requests without a price", f"{missing:,}")] if missing else []),
        ("Requests", f"{sums['requests']:,}"),
        ("Sessions", f"{frames.sessions.height:,}"),
        ("Agents", f"{frames.agents['agent_id'].count():,}"),
        ("Cache read tokens", short(sums["cache_read_tokens"])),
        ("Cache write tokens", short(sums["cache_write_tokens"])),
        ("Output tokens", short(sums["output_tokens"])),
        ("Cache hits", "-" if hits is None else f"{100 * hits:.1f}%"),
        ("Compactions", f"{frames.compactions.height:,}"),
    ]


def over_time(costs: pl.DataFrame, zone: str) -> dict[str, Any] | None:
    """Dollars per period and kind for the page's chart, empty periods included; None where nothing has a price."""
    rows, length = periods(costs, zone)
    kinds = [kind for kind in WORDS if rows[KINDS[kind]].sum() > 0]
    if not kinds:
        return None
    first, last = rows["day"][0], rows["day"][-1]
    every = pl.date_range(first, last, f"{length}d", eager=True).alias("day").to_frame()
    rows = every.join(rows, on="day", how="left", maintain_order="left").fill_null(0.0)  # a day of rest is a gap
    return {
        "period": "day" if length == 1 else "week",
        "days": [day.isoformat() for day in rows["day"]],
        "kinds": [{"name": WORDS[kind], "usd": [float(f"{v:.6g}") for v in rows[KINDS[kind]]]} for kind in kinds],
    }
