"""Rates for a whole frame of requests: as-of on the day, then by tier, then the factors of speed, batch and region."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.frames.sums import fitting
from measure.metrics.usage import PROMPT
from policy.prices import BEGINNING, MILLION, RATES

if TYPE_CHECKING:
    from policy.prices import Prices

NO_MODEL = "no model recorded"
NOT_IN_TABLE = "model not in the price table"
NO_TIME = "no time recorded, and the model's price changed over time"
NO_FAST = "no price known for fast mode"


def join(requests: pl.DataFrame, prices: Prices) -> pl.DataFrame:
    """`requests` plus what a token of each cost, in the order it came.

    New columns: `price_model`, `price_valid_from`, `price_tier_start`; `rate_input`, `rate_read`, `rate_write_5m`,
    `rate_write_1h`, `rate_output` (dollars per token) and `rate_web_search` (dollars per search), null where
    `unpriced_reason` says why. `requests` needs model, ts, speed, service_tier, inference_geo and either
    `prompt_tokens` or the three prompt counters.
    """
    # Only what decides is sorted and joined: the requests are wide.
    frame = requests.select(
        names(requests, prices).alias("price_model"),
        pl.col("ts").dt.date().fill_null(pl.date(9999, 1, 1)).alias("_day"),
        prompt(requests.columns).alias("_prompt"),
    ).with_row_index("_row")
    rows = prices.rows.with_columns(pl.col("valid_from").fill_null(BEGINNING))
    periods = rows.select("model", "valid_from").unique().sort("valid_from")
    frame = frame.sort("_day").join_asof(
        periods.with_columns(_from=pl.col("valid_from")),
        left_on="_day",
        right_on="_from",
        by_left="price_model",
        by_right="model",
        strategy="backward",
        check_sortedness=False,
    )
    # A tier holds strictly above its start, so equal keys must not match; the base must match even an empty prompt.
    tiers = rows.drop("source").with_columns(
        _above=pl.when(pl.col("tier_start") == 0).then(-1).otherwise("tier_start"),
    )
    frame = frame.sort("_prompt").join_asof(
        tiers.sort("_above"),
        left_on="_prompt",
        right_on="_above",
        by_left=["price_model", "valid_from"],
        by_right=["model", "valid_from"],
        strategy="backward",
        allow_exact_matches=False,
        check_sortedness=False,
    )
    found = frame.sort("_row").drop("_row", "_day", "_prompt")
    return finish(requests.hstack(found.get_columns()), prices, requests.columns)


def prompt(columns: list[str]) -> pl.Expr:
    """Tokens of the whole prompt, which decide the tier; an unknown counter adds nothing."""
    if "prompt_tokens" in columns:
        return pl.col("prompt_tokens")
    return fitting(pl.sum_horizontal(pl.col(PROMPT).cast(pl.Int128)))


def names(requests: pl.DataFrame, prices: Prices) -> pl.Expr:
    """The table's name of each model: the ids are few, so they are looked up once each."""
    known = {model: prices.canonical(model) for model in requests["model"].unique().to_list() if model is not None}
    return pl.col("model").replace_strict(known, default=None, return_dtype=pl.String())


def finish(frame: pl.DataFrame, prices: Prices, columns: list[str]) -> pl.DataFrame:
    """Reasons, factors, rates per token; helpers dropped."""
    dated = prices.rows.group_by("model").agg(pl.col("valid_from").n_unique()).filter(pl.col("valid_from") > 1)["model"]
    fast = pl.col("speed").eq_missing("fast")
    factor = (
        pl.when(fast).then("fast_factor").otherwise(1.0)
        * pl.when(pl.col("service_tier").eq_missing("batch")).then("batch_factor").otherwise(1.0)
        * pl.col("inference_geo").replace_strict(prices.geo, default=1.0, return_dtype=pl.Float64())
    )
    reason = (
        pl.when(pl.col("model").is_null())
        .then(pl.lit(NO_MODEL))
        .when(pl.col("input").is_null())
        .then(pl.lit(NOT_IN_TABLE))
        .when(pl.col("ts").is_null() & pl.col("price_model").is_in(dated.implode()))
        .then(pl.lit(NO_TIME))
        .when(fast & pl.col("fast_factor").is_null())
        .then(pl.lit(NO_FAST))
    )
    frame = frame.with_columns(unpriced_reason=reason)
    priced = pl.col("unpriced_reason").is_null()
    return frame.select(
        *columns,
        "price_model",
        pl.when(pl.col("valid_from") != BEGINNING).then("valid_from").alias("price_valid_from"),
        pl.col("tier_start").alias("price_tier_start"),
        *(pl.when(priced).then(pl.col(rate) * factor / MILLION).alias(f"rate_{rate}") for rate in RATES),
        pl.when(priced).then(pl.col("web_search") / 1000).alias("rate_web_search"),
        "unpriced_reason",
    )
