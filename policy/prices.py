"""The price table: what a token cost, by model, day and size of the prompt.

`data/prices.json` is generated from genai-prices (`just prices`), `data/prices_gaps.json` holds what it lacks, and a
user's TOML file overrides both. No ratio between prices is assumed anywhere: each rate stands in a row.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl

from measure.sample import data
from policy.model_ids import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable

BEGINNING = dt.date(1970, 1, 1)
RATES = ("input", "read", "write_5m", "write_1h", "output")
SCHEMA = pl.Schema(
    {
        "model": pl.String(),
        "valid_from": pl.Date(),
        "tier_start": pl.Int64(),
        **{rate: pl.Float64() for rate in RATES},
        "web_search": pl.Float64(),
        "fast_factor": pl.Float64(),
        "batch_factor": pl.Float64(),
        "source": pl.String(),
    }
)
LONGEST = 500  # characters of a model id; the longest real one is a resource name of about 150
MILLION = 1_000_000.0


@dataclass(frozen=True, slots=True)
class Rates:
    """What one request paid: dollars per token, `web_search` dollars per search. Tier and factors are already in."""

    model: str
    input: float
    read: float
    write_5m: float
    write_1h: float
    output: float
    web_search: float
    valid_from: dt.date | None
    tier_start: int

    def write(self, ttl: str | None = "5m") -> float:
        """Write price for a cache life of "5m" or "1h"; an unknown life counts as 5 minutes."""
        return self.write_1h if ttl == "1h" else self.write_5m


@dataclass(frozen=True, slots=True)
class Prices:
    """A price table in force: `rows` as in SCHEMA (dollars per million tokens), one per model, start day and tier."""

    rows: pl.DataFrame
    aliases: dict[str, str]
    source: str
    version: str
    date: str
    geo: dict[str, float]
    overrides: tuple[str, ...] = ()

    def canonical(self, model: str | None) -> str | None:
        """The table's name for a model as written in a record; None where the table does not hold it."""
        return None if model is None or len(model) > LONGEST else self.aliases.get(normalise(model))

    def at(
        self,
        model: str | None,
        when: dt.datetime | None,
        prompt_tokens: int,
        *,
        speed: str | None = None,
        service_tier: str | None = None,
        inference_geo: str | None = None,
    ) -> Rates | None:
        """Rates of one request; None where it has no price (`policy.cost.cost` says why).

        `prompt_tokens` is the whole prompt: input + cache read + cache write. A tier holds strictly above its start,
        for the whole request. Without a `when`, a model whose price changed has none.
        """
        frame = pl.DataFrame(
            {
                "model": [model],
                "ts": [when],
                "prompt_tokens": [prompt_tokens],
                "speed": [speed],
                "service_tier": [service_tier],
                "inference_geo": [inference_geo],
            },
            schema={**REQUEST_KEYS, "prompt_tokens": pl.Int64()},
        )
        row = self.join(frame).row(0, named=True)
        if row["unpriced_reason"] is not None:
            return None
        return Rates(
            model=row["price_model"],
            **{rate: row[f"rate_{rate}"] for rate in (*RATES, "web_search")},
            valid_from=row["price_valid_from"],
            tier_start=row["price_tier_start"],
        )

    def join(self, requests: pl.DataFrame) -> pl.DataFrame:
        """`requests` with its rates: see `policy.price_join.join`."""
        from policy.price_join import join

        return join(requests, self)


REQUEST_KEYS: dict[str, pl.DataType] = {
    "model": pl.String(),
    "ts": pl.Datetime("us", "UTC"),
    "speed": pl.String(),
    "service_tier": pl.String(),
    "inference_geo": pl.String(),
}


def table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    """Price rows as a frame in the fixed schema; days as ISO text or dates."""
    plain = [
        {**row, "valid_from": dt.date.fromisoformat(day) if isinstance(day := row.get("valid_from"), str) else day}
        for row in rows
    ]
    return pl.DataFrame(plain, schema=SCHEMA).sort("model", "valid_from", "tier_start", nulls_last=False)


@cache
def load() -> Prices:
    """The bundled table with its gaps filled."""
    base = json.loads(data("prices.json").read_text(encoding="utf-8"))
    gaps = json.loads(data("prices_gaps.json").read_text(encoding="utf-8"))
    name = f"{base['source']} {base['version']}"
    rows = table([{"source": name, **row} for row in base["rows"]] + gaps["rows"])
    for entry in gaps["fast_factor"]:
        missing = (pl.col("model") == entry["model"]) & pl.col("fast_factor").is_null()
        rows = rows.with_columns(fast_factor=pl.when(missing).then(entry["factor"]).otherwise("fast_factor"))
    rows = rows.with_columns(
        batch_factor=pl.col("batch_factor").fill_null(gaps["batch_factor"]["factor"]),
        web_search=pl.col("web_search").fill_null(gaps["web_search"]["usd_per_thousand"]),
    )
    return Prices(
        rows=drop_unchanged(rows),
        aliases=base["aliases"] | {row["model"]: row["model"] for row in gaps["rows"]},
        source=base["source"],
        version=base["version"],
        date=base["date"],
        geo={entry["geo"]: entry["factor"] for entry in gaps["inference_geo"]},
    )


def drop_unchanged(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out the periods of a model that only repeat the figures of the one before."""
    keep: list[pl.DataFrame] = []
    last: tuple[str, pl.DataFrame] | None = None
    for (model, _), period in rows.group_by("model", "valid_from", maintain_order=True):
        figures = period.drop("valid_from", "source")
        if last is None or last[0] != model or not last[1].equals(figures):
            keep.append(period)
            last = (str(model), figures)
    return pl.concat(keep) if keep else rows
