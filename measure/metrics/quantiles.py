"""Quantiles by nearest rank: the smallest value with at least the share q of all values at or below it.

No interpolation: every figure is a value that occurred. Rank ceil(q * n), counted from 1 (Hyndman and Fan, type 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
SPREAD = {f"p{percent}": Fraction(percent, 100) for percent in (10, 25, 50, 75, 90)}


def nearest_rank(ordered: Sequence[T], q: float | Fraction) -> T | None:
    """Value of rank ceil(q * n) of an ascending sequence; None of an empty one. `q` in (0, 1].

    A float is taken as the decimal it prints as: 0.1 of 70 values is rank 7, not 8.
    """
    if not ordered:
        return None
    share = q if isinstance(q, Fraction) else Fraction(repr(q))
    return ordered[max(1, math.ceil(share * len(ordered))) - 1]


def rank(column: str, percent: int) -> pl.Expr:
    """The same for a group of a frame: nearest-rank quantile of the known values of `column`; null where none is."""
    import polars as pl

    ordered = pl.col(column).drop_nulls().sort()
    index = (ordered.len().cast(pl.Int64) * percent + 99) // 100 - 1
    return pl.when(ordered.len() > 0).then(ordered.get(index, null_on_oob=True))


def spread(values: pl.Series, over: int) -> dict[str, Any]:
    """n, p10, p25, p50, p75, p90, max, total and what lies above the line `over`; nulls are left out of n.

    `over` is the sum of max(0, value - line), `over_n` how many lie above it. Quantiles of nothing are null.
    """
    ordered = values.drop_nulls().sort().to_list()
    beyond = [value - over for value in ordered if value > over]
    return {
        "n": len(ordered),
        **{name: nearest_rank(ordered, q) for name, q in SPREAD.items()},
        "max": ordered[-1] if ordered else None,
        "total": sum(ordered),
        "over": sum(beyond),
        "over_n": len(beyond),
    }
