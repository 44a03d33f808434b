"""The price table as a report: what `setpoint prices` lists."""

from __future__ import annotations

import datetime as dt

import polars as pl

from measure.reports.model import Report, Show, Table
from measure.reports.words import clean
from policy.prices import BEGINNING, Prices

FIGURES = {
    "input": "input",
    "write_5m": "w 5m",
    "write_1h": "w 1h",
    "read": "read",
    "output": "output",
    "fast_factor": "fast x",
}


def shown(rows: pl.DataFrame, *, dated: bool) -> Table:
    """The table for people: prices with all their digits, which rounding to cents would cut."""
    figures = [
        {name: "-" if row[name] is None else _plain(row[name]) for name in FIGURES}
        | {"model": row["model"], "valid_from": row["valid_from"], "above": row["tier_start"] or None}
        for row in rows.iter_rows(named=True)
    ]
    for name, header in FIGURES.items():
        width = max((len(row[name]) for row in figures), default=0)
        for row in figures:
            row[name] = row[name].rjust(max(width, len(header)))
    days = (Show("valid_from", "from", "day"),) if dated else ()
    columns = tuple(Show(name, header) for name, header in FIGURES.items())
    return Table("", figures, (Show("model"), *days, Show("above", "above", "short"), *columns))


def _plain(price: float) -> str:
    """All digits of a price, never as a power of ten."""
    return f"{price:.12f}".rstrip("0").rstrip(".")


def build(
    prices: Prices, models: tuple[str, ...] = (), *, former: bool = False, today: dt.date | None = None
) -> Report:
    """One row a model, start day and tier; `former` keeps the prices that no longer hold."""
    today = today or dt.datetime.now(dt.UTC).date()
    rows = prices.rows
    if models:
        rows = rows.filter(pl.any_horizontal(pl.col("model").str.contains(m.lower(), literal=True) for m in models))
    if not former:
        start = pl.col("valid_from").fill_null(BEGINNING)
        current = pl.when(start <= today).then(start).max().over("model")
        rows = rows.filter(start >= current.fill_null(start))
    tiers = int((rows["tier_start"] > 0).sum())
    notes = [
        f"Source: {prices.source} {prices.version}, table of {prices.date}. Dollars per million tokens.",
        "w 5m, w 1h: cache writes by their life. fast x: factor of fast mode; without it such requests have no price.",
    ]
    if tiers:
        notes.append(
            "Above: a row with a size holds for the whole request when its prompt is strictly above that size."
        )
    geo = ", ".join(f"{name} x {factor:g}" for name, factor in prices.geo.items())
    notes.append(f"Batch requests take batch_factor (see --json); inference region: {geo}.")
    if prices.overrides:
        notes.append("From your file: " + ", ".join(map(clean, prices.overrides)) + ".")
    return Report(
        name="prices",
        title="Prices in force" if not former else "Prices, now and before",
        rows=rows,
        tables=[shown(rows, dated=former)],
        totals={"rows": rows.height, "models": rows["model"].n_unique()},
        notes=notes,
        extra={
            "prices": {"source": prices.source, "version": prices.version, "date": prices.date},
            "overrides": list(prices.overrides),
            "inference_geo": prices.geo,
        },
        empty="No price matches: see setpoint prices without --model.",
    )
