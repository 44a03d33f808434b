"""Token sums over requests: the one set of sums that every report uses, so that they agree by construction."""

from __future__ import annotations

from typing import Any

import polars as pl

from measure.frames.sums import fitting, whole, whole_of

# Sums of columns of `requests`, in the order in which they are told.
SUMS = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "cache_write_unknown_tokens",
    "output_tokens",
)
PROMPT = ("input_tokens", "cache_read_tokens", "cache_write_tokens")


def known_sum(column: str) -> pl.Expr:
    """Sum of what is known; null where there are rows and none is known, 0 of no rows."""
    nothing_known = (pl.len() > 0) & (pl.col(column).count() == 0)
    return pl.when(nothing_known).then(None).otherwise(whole(column)).alias(column)


def sums() -> list[pl.Expr]:
    """Aggregates over `requests`: their number, every token sum, the prompts' total, outputs that are lower bounds."""
    return [
        pl.len().cast(pl.Int64).alias("requests"),
        *(known_sum(column) for column in SUMS),
        whole_of(*PROMPT).alias("total_input_tokens"),
        pl.col("output_is_lower_bound").sum().cast(pl.Int64).alias("output_lower_bound_requests"),
        *money(),
    ]


def money() -> list[pl.Expr]:
    """Sums of the `*_usd` columns, where a policy report has joined some; null where no value is known."""
    dollars = pl.col("^.*_usd$")
    return [pl.when(dollars.count() > 0).then(dollars.sum())]


def by(requests: pl.DataFrame, *keys: str | pl.Expr) -> pl.DataFrame:
    """Sums of `requests` by the keys, in order of first appearance."""
    return requests.group_by(*keys, maintain_order=True).agg(sums())


def totals(requests: pl.DataFrame) -> dict[str, Any]:
    """Sums over all rows, by name."""
    return requests.select(sums()).row(0, named=True)


def partial() -> list[pl.Expr]:
    """Aggregates over some of the `requests` that `merged` adds up: sums as Int128, and how many of each were known."""
    return [
        pl.len().cast(pl.Int64).alias("requests"),
        *(pl.col(column).cast(pl.Int128).sum() for column in SUMS),
        *(pl.col(column).count().cast(pl.Int64).alias(f"{column} known") for column in SUMS),
        pl.col("output_is_lower_bound").sum().cast(pl.Int64).alias("output_lower_bound_requests"),
    ]


def merged(parts: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Rows of `partial` added up: what `by` gives for all their requests, in no order, or `totals` without keys."""
    sums = [
        pl.col("requests").sum(),
        *(_merged(column) for column in SUMS),
        fitting(pl.sum_horizontal(pl.col(PROMPT).sum())).alias("total_input_tokens"),
        pl.col("output_lower_bound_requests").sum(),
    ]
    return parts.group_by(keys).agg(sums) if keys else parts.select(sums)


def _merged(column: str) -> pl.Expr:
    nothing_known = (pl.col("requests").sum() > 0) & (pl.col(f"{column} known").sum() == 0)
    return pl.when(nothing_known).then(None).otherwise(fitting(pl.col(column).sum())).alias(column)
