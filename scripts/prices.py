"""Write data/prices.json from the package genai-prices: `just prices`.

The package prices one call in 0.6 ms and needs pydantic, so it is a source at build time only: its conditional and
tiered prices become plain rows that Polars joins. What it does not know stands in data/prices_gaps.json, by hand.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

from genai_prices.data import providers
from genai_prices.types import ModelInfo, ModelPrice, StartDateConstraint, TieredPrices

from policy.model_ids import normalise

TARGET = Path(__file__).resolve().parents[1] / "data" / "prices.json"
NOTICE = (
    "Generated from genai-prices, https://github.com/pydantic/genai-prices, MIT License, "
    "Copyright (c) Pydantic Services Inc. 2025 to present. Do not edit: `just prices` rewrites it."
)
RATES = {
    "input": "input_mtok",
    "write_5m": "cache_write_mtok",
    "write_1h": "cache_write_1h_mtok",
    "read": "cache_read_mtok",
    "output": "output_mtok",
}


def start_dates(model: ModelInfo) -> list[dt.date | None]:
    """Every day from which one of the model's prices holds, the beginning of time (None) first."""
    conditions = [] if isinstance(model.prices, ModelPrice) else list(model.prices)
    constraints = [c.constraint for c in conditions] + [v.constraint for v in model.price_variants or ()]
    days: set[dt.date] = set()
    for constraint in constraints:
        if isinstance(constraint, StartDateConstraint):
            days.add(constraint.start_date)
        elif constraint is not None:
            raise SystemExit(f"{model.id}: a price by time of day, which the table cannot hold")
    return [None, *sorted(days)]


def at_tier(price: Any, start: int) -> float | None:
    """The price that holds for prompts just above `start` tokens, dollars per million."""
    if isinstance(price, TieredPrices):
        return float([price.base, *(t.price for t in price.tiers if t.start <= start)][-1] if start else price.base)
    return None if price is None else float(price)


def five_rates(prices: ModelPrice, start: int) -> dict[str, float]:
    """The five rates. A missing cache rate falls back as the source does it: 1h to 5m, cache to plain input."""
    found = {name: at_tier(getattr(prices, key), start) for name, key in RATES.items()}
    found["write_5m"] = found["input"] if found["write_5m"] is None else found["write_5m"]
    found["write_1h"] = found["write_5m"] if found["write_1h"] is None else found["write_1h"]
    found["read"] = found["input"] if found["read"] is None else found["read"]
    return {name: rate for name, rate in found.items() if rate is not None}


def factor(model: ModelInfo, when: dt.datetime, start: int, context: dict[str, str]) -> float | None:
    """By how much `context` multiplies all five rates; None where the source knows no such price."""
    if not any(
        all(context.get(k) == v for k, v in variant.when.items())
        and (variant.constraint is None or variant.constraint.active(when))
        for variant in model.price_variants or ()
    ):
        return None
    standard = five_rates(model.get_prices(when), start)
    changed = five_rates(model.get_prices(when, context), start)
    factors = {round(changed[name] / standard[name], 12) for name in RATES}
    if len(factors) != 1:
        raise SystemExit(f"{model.id}: {context} is no common factor: {sorted(factors)}")
    return factors.pop()


def model_rows(model: ModelInfo) -> list[dict[str, Any]]:
    """One row per (valid from, tier start); a period that changes nothing is left out."""
    rows: list[dict[str, Any]] = []
    last: list[dict[str, Any]] = []
    for day in start_dates(model):
        when = dt.datetime.combine(day or dt.date(1970, 1, 1), dt.time(), dt.UTC)
        prices = model.get_prices(when)
        tiers = {t.start for p in vars(prices).values() if isinstance(p, TieredPrices) for t in p.tiers}
        period = [
            {
                "tier_start": start,
                **five_rates(prices, start),
                "web_search": at_tier(prices.web_searches_kcount, start),
                "fast_factor": factor(model, when, start, {"speed": "fast"}),
                "batch_factor": factor(model, when, start, {"processing": "batch"}),
            }
            for start in (0, *sorted(tiers))
        ]
        if period != last:
            rows += [
                {"model": model.id.removesuffix("-latest"), "valid_from": day and str(day), **row} for row in period
            ]
        last = period
    return rows


def aliases(model: ModelInfo) -> list[str]:
    """The normalised ids under which the source finds the model."""
    clauses = getattr(model.match, "or_", [model.match])
    tests = ("starts_with", "equals", "contains")
    values = {getattr(c, test) for c in clauses for test in tests if hasattr(c, test)}
    names = {normalise(str(value).rstrip("@")) for value in values} | {normalise(model.id)}
    return sorted(name for name in names if not name.endswith("-2025"))  # the beginning of a release date


def licence() -> str:
    """The source's licence, whose text must go with its figures."""
    files = distribution("genai-prices").files or []
    return next(file for file in files if file.name == "LICENSE").read_text(encoding="utf-8").strip()


def table() -> dict[str, Any]:
    """The whole file but its date."""
    anthropic = next(p for p in providers if p.id == "anthropic")
    return {
        "notice": NOTICE,
        "license": licence(),
        "source": "genai-prices",
        "version": version("genai-prices"),
        "unit": "dollars per million tokens; web_search: dollars per thousand; a tier holds strictly above its start",
        "aliases": {name: m.id.removesuffix("-latest") for m in anthropic.models for name in aliases(m)},
        "rows": [row for model in anthropic.models for row in model_rows(model)],
    }


def render(content: dict[str, Any]) -> str:
    """JSON with one price row a line, so that a change reads well in a diff."""
    rows = ",\n".join("    " + json.dumps(row) for row in content["rows"])
    head = json.dumps({k: v for k, v in content.items() if k != "rows"}, indent=2)
    return f'{head[:-2]},\n  "rows": [\n{rows}\n  ]\n}}\n'


def main() -> None:
    """Write the file; its date moves only when a figure does."""
    fresh = table()
    old = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    same = all(old.get(k) == v for k, v in fresh.items())
    date = old["date"] if same else dt.datetime.now(dt.UTC).date().isoformat()
    TARGET.write_text(render({"date": date, **fresh}), encoding="utf-8")
    sys.stdout.write(f"{TARGET.name}: {len(fresh['rows'])} rows, {'unchanged' if same else 'changed'}, date {date}\n")


if __name__ == "__main__":
    main()
