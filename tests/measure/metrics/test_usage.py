"""Sums over requests: unknown stays unknown, and every grouping has the same totals."""

import polars as pl

from measure.columns import schema
from measure.metrics import usage


def requests(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema("requests"))


def test_sums_by_hand() -> None:
    frame = requests(
        {"model": "a", "input_tokens": 3, "cache_read_tokens": 100, "cache_write_tokens": 7, "output_tokens": 5},
        {"model": "a", "input_tokens": 2, "cache_read_tokens": None, "cache_write_tokens": 1, "output_tokens": 6},
        {"model": "b", "input_tokens": 1, "output_is_lower_bound": True},
    )
    by = {row["model"]: row for row in usage.by(frame, "model").to_dicts()}
    assert by["a"]["requests"] == 2
    assert by["a"]["cache_read_tokens"] == 100
    assert by["a"]["total_input_tokens"] == 3 + 100 + 7 + 2 + 1
    assert by["b"]["output_lower_bound_requests"] == 1
    assert by["b"]["output_tokens"] is None, "nothing known is unknown, not 0"
    assert usage.totals(frame)["output_tokens"] == 11


def test_no_requests_used_nothing() -> None:
    totals = usage.totals(requests())
    assert totals["requests"] == 0
    assert totals["input_tokens"] == 0


def test_money_that_a_policy_joined_is_summed_too() -> None:
    frame = requests({"model": "a"}, {"model": "a"}).with_columns(pl.Series("cost_usd", [0.25, 0.5]))
    assert usage.by(frame, "model")["cost_usd"].to_list() == [0.75]
