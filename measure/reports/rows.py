"""What reports share when they turn a table into something to read: order, cut, share."""

from __future__ import annotations

import polars as pl

from measure.reports.model import Filters
from measure.reports.words import counted

SHOWN = 20


def cut(table: pl.DataFrame, filters: Filters, default: int = SHOWN) -> pl.DataFrame:
    """The first rows that a person sees: --top, else `default`; --top 0 is all."""
    limit = default if filters.top is None else filters.top
    return table.head(min(limit, len(table))) if limit else table


def asked(table: pl.DataFrame, filters: Filters) -> pl.DataFrame:
    """The rows a program gets: all of them, unless --top was given."""
    return table.head(min(filters.top, len(table))) if filters.top else table


def rest(table: pl.DataFrame, filters: Filters, what: str, default: int = SHOWN) -> list[str]:
    """A sentence about the rows that `cut` left out; `what` is one of them."""
    hidden = len(table) - len(cut(table, filters, default))
    return [f"{counted(hidden, f'more {what}')} not shown: --top 0 shows all."] if hidden else []


def share_of(column: str, name: str) -> pl.Expr:
    """Share of a column's sum, 0 to 1; null where the sum is 0."""
    total = pl.col(column).sum()
    return pl.when(total != 0).then(pl.col(column) / total).alias(name)


def thread_kind() -> pl.Expr:
    """Agent type for people and groups: main for the main thread, (unknown) where none is recorded."""
    return (
        pl.when(pl.col("agent_id").is_null())
        .then(pl.lit("main"))
        .otherwise(pl.col("agent_type").fill_null("(unknown)"))
        .alias("agent_type")
    )
