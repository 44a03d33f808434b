"""Sums of money: every one is a grouping of the same costed requests, so that they agree by construction."""

from __future__ import annotations

from typing import Any

import polars as pl

from measure.frames.sums import whole, whole_of
from policy.cost import KINDS
from policy.rebuilds import summed

MAIN = "main"
UNTYPED = "(unknown)"
HOUR = 3_600_000_000  # microseconds
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def labelled(costs: pl.DataFrame, timezone: str) -> pl.DataFrame:
    """`costs` plus `thread_kind` ("main", else the agent type) and the calendar columns `day`, `week`, `month`.

    Days are those of `timezone`; a week is named by its Monday; all null where the record has no time.
    """
    agent = pl.col("agent_type").fill_null(UNTYPED)
    named_main = pl.when(agent == MAIN).then(pl.lit("main (an agent type)")).otherwise(agent)
    day = pl.col("ts").dt.convert_time_zone(timezone).dt.date()
    return costs.with_columns(
        thread_kind=pl.when(pl.col("agent_id").is_null()).then(pl.lit(MAIN)).otherwise(named_main),
        day=day,
        week=day.dt.truncate("1w"),
        month=day.dt.truncate("1mo"),
    )


def sums() -> list[pl.Expr]:
    """Requests, tokens, dollars by kind and in all; dollars are null where nothing of the group has a price."""
    return [
        pl.len().cast(pl.Int64).alias("requests"),
        pl.col("unpriced_reason").is_not_null().sum().cast(pl.Int64).alias("unpriced_requests"),
        *map(whole, TOKENS),
        *(summed(column) for column in KINDS.values()),
        summed("usd"),
    ]


def by(costs: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """One row per value of `keys`, the dearest first, with `sums`."""
    return (
        costs.group_by(*keys).agg(sums()).sort("usd", *keys, descending=[True] + [False] * len(keys), nulls_last=True)
    )


def over_time(costs: pl.DataFrame, period: str) -> pl.DataFrame:
    """One row a day, week or month, in order, with `sums`."""
    return costs.group_by(period).agg(sums()).sort(period, nulls_last=True)


def total(costs: pl.DataFrame) -> dict[str, Any]:
    """The one row over all of `costs`."""
    return costs.select(sums()).row(0, named=True)


def hit_ratio(row: dict[str, Any]) -> float | None:
    """Share of prompt tokens that were read from the cache; null for no prompt."""
    prompt = row["input_tokens"] + row["cache_read_tokens"] + row["cache_write_tokens"]
    return row["cache_read_tokens"] / prompt if prompt else None


def unpriced(costs: pl.DataFrame) -> list[dict[str, Any]]:
    """Requests without a price by model and reason: their number and all their tokens."""
    return (
        costs.filter(pl.col("unpriced_reason").is_not_null())
        .group_by("model", pl.col("unpriced_reason").alias("reason"))
        .agg(
            pl.len().cast(pl.Int64).alias("requests"),
            whole_of(*TOKENS).alias("tokens"),
        )
        .sort("tokens", "model", descending=[True, False])
        .to_dicts()
    )


def flagged(costs: pl.DataFrame) -> dict[str, Any]:
    """Cache writes whose life is unknown: priced as 5-minute writes (`usd`), at most `upper_bound_usd`."""
    row = costs.filter(pl.col("cache_write_unknown_tokens") > 0).select(
        pl.len().cast(pl.Int64).alias("requests"),
        whole("cache_write_unknown_tokens").alias("tokens"),
        summed("cache_write_unknown_usd").alias("usd"),
        pl.when(pl.col("usd").count() > 0)
        .then((pl.col("cache_write_unknown_usd") + pl.col("usd_upper_bound") - pl.col("usd")).sum())
        .alias("upper_bound_usd"),
    )
    found = row.row(0, named=True)
    return found if found["requests"] else found | {"usd": 0.0, "upper_bound_usd": 0.0}


def above(costs: pl.DataFrame, context_tokens: int) -> dict[str, Any]:
    """Requests whose context is above a size: their number, dollars, and share of all dollars."""
    part = costs.filter(pl.col("context_tokens") > context_tokens)
    whole = costs.select(summed("usd")).item()
    usd = part.select(summed("usd")).item() if part.height else (0.0 if whole is not None else None)
    share = usd / whole if whole and usd is not None else None
    return {"context_tokens": context_tokens, "requests": part.height, "usd": usd, "usd_share": share}


def blocks(costs: pl.DataFrame, hours: int = 5) -> pl.DataFrame:
    """One row a 5-hour window with `sums`: `start`, `end` (UTC), `first` and `last` request in it.

    A window starts at the full hour of the first request that no window holds, and ends 5 hours later; a pause is no
    window of its own. Requests without a time are in none.
    """
    timed = costs.filter(pl.col("ts").is_not_null()).sort("ts")
    starts = _starts(timed["ts"], hours)
    return (
        timed.with_columns(starts)
        .group_by("start")
        .agg(
            (pl.col("start").first() + pl.duration(hours=hours)).alias("end"),
            pl.col("ts").min().alias("first"),
            pl.col("ts").max().alias("last"),
            *sums(),
        )
        .sort("start")
    )


def _starts(times: pl.Series, hours: int) -> pl.Series:
    """Start of each request's window, from ascending times: in plain integers, as the rule needs a loop."""
    length, out, start = hours * HOUR, [], None
    for ts in times.cast(pl.Int64).to_list():
        if start is None or ts - start >= length:
            start = ts - ts % HOUR
        out.append(start)
    return pl.Series("start", out, pl.Int64).cast(times.dtype)
