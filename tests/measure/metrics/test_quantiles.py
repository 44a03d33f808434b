"""Nearest rank, worked out by hand."""

import polars as pl
import pytest

from measure.metrics.quantiles import nearest_rank, rank, spread


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [
        ([15, 20, 35, 40, 50], 0.05, 15),
        ([15, 20, 35, 40, 50], 0.30, 20),
        ([15, 20, 35, 40, 50], 0.40, 20),
        ([15, 20, 35, 40, 50], 0.50, 35),
        ([15, 20, 35, 40, 50], 1.00, 50),
        ([7], 0.1, 7),
        ([], 0.5, None),
    ],
)
def test_nearest_rank_is_a_value_that_occurred(values: list[int], q: float, expected: int | None) -> None:
    assert nearest_rank(values, q) == expected


def test_a_binary_fraction_does_not_push_the_rank_up() -> None:
    # 0.1 * 70 is 7.000000000000001 in floating point: rank 7, not 8.
    assert nearest_rank(list(range(1, 71)), 0.1) == 7


@pytest.mark.parametrize("percent", [5, 10, 50, 78, 90, 95, 100])
@pytest.mark.parametrize("n", [1, 2, 7, 70, 100])
def test_the_expression_equals_the_function(percent: int, n: int) -> None:
    frame = pl.DataFrame({"x": list(range(n, 0, -1))})
    assert frame.select(rank("x", percent)).item() == nearest_rank(list(range(1, n + 1)), percent / 100)


def test_the_expression_works_in_groups_and_knows_nothing_of_nulls() -> None:
    frame = pl.DataFrame({"g": ["a", "a", "a", "b"], "x": [3, None, 1, None]}, schema={"g": pl.String, "x": pl.Int64})
    out = frame.group_by("g", maintain_order=True).agg(rank("x", 50).alias("p50"))
    assert out["p50"].to_list() == [1, None]


def test_spread_by_hand() -> None:
    # Ordered: 100 200 300 400 500 600 700 800 900 1000, one unknown.
    # Above 800: 100 of the 900, 200 of the 1000.
    values = pl.Series([1000, 100, 900, 200, 800, None, 300, 700, 400, 600, 500])
    assert spread(values, 800) == {
        "n": 10,
        "p10": 100,
        "p25": 300,
        "p50": 500,
        "p75": 800,
        "p90": 900,
        "max": 1000,
        "total": 5500,
        "over": 300,
        "over_n": 2,
    }


def test_spread_of_nothing_is_unknown_not_zero() -> None:
    out = spread(pl.Series([], dtype=pl.Int64), 800)
    assert out["n"] == 0
    assert out["p50"] is None
    assert out["max"] is None
