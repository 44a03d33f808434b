"""What each request cost, in dollars: the one table behind every sum of money."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from policy.prices import Prices

KINDS = {
    "input": "input_usd",
    "cache_read": "cache_read_usd",
    "cache_write_5m": "cache_write_5m_usd",
    "cache_write_1h": "cache_write_1h_usd",
    "cache_write_unknown": "cache_write_unknown_usd",
    "output": "output_usd",
    "web_search": "web_search_usd",
}
"""Kinds of cost and their columns; they add up to `usd`."""

_TOKENS = {
    "input_usd": ("input_tokens", "rate_input"),
    "cache_read_usd": ("cache_read_tokens", "rate_read"),
    "cache_write_5m_usd": ("cache_write_5m_tokens", "rate_write_5m"),
    "cache_write_1h_usd": ("cache_write_1h_tokens", "rate_write_1h"),
    "cache_write_unknown_usd": ("cache_write_unknown_tokens", "rate_write_5m"),
    "output_usd": ("output_tokens", "rate_output"),
    "web_search_usd": ("web_searches", "rate_web_search"),
}


def cost(requests: pl.DataFrame, prices: Prices) -> pl.DataFrame:
    """One row a request, in the order it came: its columns, the rates of `Prices.join`, and dollars.

    `usd` is the sum of the seven kinds, not rounded, null where `unpriced_reason` says why; a counter that the record
    lacks leaves its kind null and adds nothing. Writes of unknown life are priced as 5-minute writes;
    `usd_upper_bound` prices them as 1-hour writes instead. Priority requests are priced at the list rates.
    """
    dollars = [(pl.col(tokens) * pl.col(rate)).alias(name) for name, (tokens, rate) in _TOKENS.items()]
    dearer = pl.max_horizontal("rate_write_1h", "rate_write_5m") - pl.col("rate_write_5m")
    return (
        prices.join(requests)
        .with_columns(dollars)
        .with_columns(usd=pl.when(pl.col("unpriced_reason").is_null()).then(pl.sum_horizontal(KINDS.values())))
        .with_columns(usd_upper_bound=pl.col("usd") + (pl.col("cache_write_unknown_tokens") * dearer).fill_null(0.0))
    )
