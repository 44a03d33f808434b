"""A user's own prices (`--prices FILE`, TOML): they replace or add models in the bundled table.

[[price]]
model = "my-model"            # as the records write it, or its bare name
input = 1.0                   # dollars per million tokens
output = 5.0
read = 0.1                    # cache read
write_5m = 1.25               # cache writes by their life
write_1h = 2.0
valid_from = 2026-01-31       # optional; so are the following
tier_start = 200000           # this row holds strictly above so many prompt tokens
web_search = 10.0             # dollars per thousand searches
fast_factor = 2.0
batch_factor = 0.5
"""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from measure.errors import SetpointError
from policy.model_ids import normalise
from policy.prices import RATES, SCHEMA, Prices, load, table

OPTIONAL = {"web_search", "fast_factor", "batch_factor"}


def in_force(path: str | None = None) -> Prices:
    """The bundled prices, with those of the TOML file at `path` in their place where it names a model."""
    prices = load()
    return override(prices, Path(path)) if path else prices


def override(prices: Prices, path: Path) -> Prices:
    """`prices` in which every model of the file has only the file's rows. Raises SetpointError."""
    rows = read(path)
    models = {row["model"] for row in rows}
    aliases = {name: target for name, target in prices.aliases.items() if target not in models}
    kept = prices.rows.filter(~pl.col("model").is_in(models))
    old_names = {name: target for name, target in prices.aliases.items() if target in models}
    return replace(
        prices,
        rows=pl.concat([kept, table(rows)]).sort("model", "valid_from", "tier_start", nulls_last=False),
        aliases=aliases | old_names | {model: model for model in models},
        overrides=tuple(sorted(models)),
    )


def read(path: Path) -> list[dict[str, Any]]:
    """The file's rows, checked: ids normalised, the five rates present, no number negative, each row once."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SetpointError(f"prices file {path}: cannot be read ({reason}).") from None
    except tomllib.TOMLDecodeError as error:
        raise SetpointError(f"prices file {path}: not valid TOML ({error}).") from None
    entries = content.get("price")
    if not isinstance(entries, list) or not entries or set(content) != {"price"}:
        raise SetpointError(
            f"prices file {path}: must hold [[price]] entries and nothing else (see `setpoint prices -h`)."
        )
    rows = [_row(entry, f"prices file {path}, entry {number}") for number, entry in enumerate(entries, 1)]
    _check_rows(rows, path)
    return rows


def _row(entry: Any, where: str) -> dict[str, Any]:
    if not isinstance(entry, dict) or not isinstance(entry.get("model"), str) or not normalise(entry["model"]):
        raise SetpointError(f"{where}: needs a model name.")
    if unknown := sorted(set(entry) - set(SCHEMA)) or (["source"] if "source" in entry else []):
        raise SetpointError(f"{where}: does not know {', '.join(unknown)}.")
    if missing := [rate for rate in RATES if rate not in entry]:
        raise SetpointError(f"{where} ({entry['model']}): lacks {', '.join(missing)}.")
    for name in [*RATES, *OPTIONAL & set(entry)]:
        value = entry[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise SetpointError(f"{where} ({entry['model']}): {name} must be a number of dollars, not {value!r}.")
    day, start = entry.get("valid_from"), entry.get("tier_start", 0)
    if isinstance(day, dt.datetime) or not (day is None or isinstance(day, dt.date)):
        raise SetpointError(f"{where} ({entry['model']}): valid_from must be a date without quotes (2026-01-31).")
    if isinstance(start, bool) or not isinstance(start, int) or start < 0:
        raise SetpointError(f"{where} ({entry['model']}): tier_start must be a whole number of tokens.")
    numbers = {name: float(entry[name]) for name in (*RATES, *OPTIONAL) if name in entry}
    canonical = load().canonical(entry["model"]) or normalise(entry["model"])
    return {"model": canonical, "valid_from": day, "tier_start": start, **numbers, "source": "your prices file"}


def _check_rows(rows: list[dict[str, Any]], path: Path) -> None:
    """Each (model, day, tier) once, and every day with a base row: a tier alone would leave small prompts unpriced."""
    keys = [(row["model"], row["valid_from"], row["tier_start"]) for row in rows]
    for key in keys:
        model, day, _ = key
        if keys.count(key) > 1:
            raise SetpointError(f"prices file {path}: {model} has the same valid_from and tier_start twice.")
        if (model, day, 0) not in keys:
            raise SetpointError(f"prices file {path}: {model} has a tier but no row without tier_start beside it.")
