"""Sums of counters that stay counters: one clamped to int64 would turn any sum negative."""

from __future__ import annotations

import polars as pl

from measure.transcripts.values import INT64_MAX

ROOM = 1 << 56  # sums of a hundred such counters fit into an Int64


def whole(column: str | pl.Expr) -> pl.Expr:
    """Sum of a column of counters (Int64), at most the largest Int64; 0 of no rows."""
    column = pl.col(column) if isinstance(column, str) else column
    return fitting(column.cast(pl.Int128).sum())


def whole_of(*columns: str) -> pl.Expr:
    """Sum of several columns of counters over all rows, at most the largest Int64."""
    return fitting(pl.sum_horizontal(pl.col(column).cast(pl.Int128).sum() for column in columns))


def fitting(total: pl.Expr) -> pl.Expr:
    """An Int128 as Int64, clamped."""
    return total.clip(-INT64_MAX, INT64_MAX).cast(pl.Int64)


def roomy(rows: pl.DataFrame, *columns: str) -> pl.DataType:
    """The type to add up some of these columns in: Int128 only where a counter is so large that Int64 could not."""
    largest = rows.select(pl.max_horizontal(pl.col(columns).max(), -pl.col(columns).min())).item()
    return pl.Int64() if (largest or 0) < ROOM else pl.Int128()
