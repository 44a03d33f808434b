"""What every report with money says alike: the costed requests, what has no price, and whose prices these are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from measure.reports.model import Show, Table
from measure.reports.words import clean, counted, short, usd
from policy.cost import cost
from policy.price_file import in_force
from policy.prices import Prices
from policy.spend import flagged, labelled, unpriced

if TYPE_CHECKING:
    from measure.frames import Frames
    from measure.reports.model import Filters

USD = Show("usd", "$", "usd")


def costed(frames: Frames, filters: Filters) -> tuple[pl.DataFrame, Prices]:
    """The costed requests with their calendar and thread kind, and the prices in force."""
    prices = in_force(filters.prices)
    return labelled(cost(frames.requests, prices), filters.timezone), prices


def extra(costs: pl.DataFrame, prices: Prices) -> dict[str, Any]:
    """The keys that every money report adds to its JSON object. `total_usd` is null when nothing could be priced."""
    return {
        "total_usd": costs["usd"].sum() if costs["usd"].count() else None,
        "unpriced": unpriced(costs),
        "flagged": flagged(costs),
        "prices": {
            "source": prices.source,
            "version": prices.version,
            "date": prices.date,
            "overrides": list(prices.overrides),
        },
    }


def warnings(costs: pl.DataFrame) -> list[str]:
    """Sentences about tokens without a price and about writes of unknown life: what the total does not say."""
    lines = []
    for row in unpriced(costs):
        name = "no model name" if row["model"] is None else clean(row["model"])
        lines.append(
            f"No price: {counted(row['requests'], 'request')} with "
            f"{short(row['tokens'])} tokens of {name} ({row['reason']})."
        )
    found = flagged(costs)
    if found["requests"] and found["usd"] is not None:
        size = f"{short(found['tokens'])} tokens in {counted(found['requests'], 'request')}"
        lines.append(
            f"Cache writes of unknown life: {size}, priced as 5-minute writes at ${usd(found['usd'])}; "
            f"as 1-hour writes they are ${usd(found['upper_bound_usd'])}."
        )
    return lines


def notes(costs: pl.DataFrame, prices: Prices) -> list[str]:
    """Sentences on how the money is meant."""
    lines = [f"Prices: {prices.source} {prices.version}, table of {prices.date}; list prices in US dollars."]
    if prices.overrides:
        lines.append("Your own prices are in force for: " + ", ".join(map(clean, prices.overrides)) + ".")
    priority = costs.filter(pl.col("service_tier") == "priority").height
    if priority:
        lines.append(f"At list prices, for what was agreed is not public: {counted(priority, 'priority request')}.")
    low = int(costs["output_is_lower_bound"].sum())
    if low:
        lines.append(
            f"The output of {counted(low, 'request')} was never written in full: its dollars are a lower bound."
        )
    return lines


def money_table(title: str, rows: pl.DataFrame, *show: Show, whole: float | None = None) -> Table:
    """A table whose rows are shown with their dollars and their share of `whole`."""
    share = pl.col("usd") / whole if whole else pl.lit(None, pl.Float64)
    return Table(title, rows.with_columns(usd_share=share), (*show, USD, Show("usd_share", "share")))
