"""What stands on the page is what the reports say."""

from datetime import timedelta
from types import SimpleNamespace

import polars as pl
import pytest
from made_frames import START, frame, made, nothing

from policy.cost import cost
from policy.page import figures, over_time
from policy.prices import load
from policy.spend import total


def test_figures_are_the_totals_of_the_cost_report() -> None:
    frames = made(2, 3, 10)
    costs = cost(frames["requests"], load())
    shown = dict(figures(SimpleNamespace(**frames), costs))
    assert shown["Cost (USD)"] == f"{total(costs)['usd']:,.2f}"
    assert shown["Requests"] == f"{frames['requests'].height:,}"
    assert shown["Agents"] == "6"


def test_without_a_price_no_amount_is_shown() -> None:
    frames = made(1, 0, 3)
    frames["requests"] = frames["requests"].with_columns(pl.lit("nobody-prices-this").alias("model"))
    costs = cost(frames["requests"], load())
    shown = dict(figures(SimpleNamespace(**frames), costs))
    assert (shown["Cost (USD)"], shown["Requests without a price"]) == ("no price", "3")
    assert over_time(costs, "UTC") is None


def test_days_of_rest_are_gaps_and_the_sum_is_the_total() -> None:
    base = made(1, 0, 1)["requests"]
    later = base.with_columns(pl.col("ts") + timedelta(days=3))
    costs = cost(pl.concat([base, later]), load())
    days = over_time(costs, "UTC")
    assert days is not None
    assert days["days"] == ["2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05"]
    assert sum(sum(kind["usd"]) for kind in days["kinds"]) == pytest.approx(total(costs)["usd"], rel=1e-5)
    assert [kind["usd"][1] for kind in days["kinds"]] == [0.0] * len(days["kinds"])


def test_empty_frames_make_a_page_without_numbers() -> None:
    frames = nothing()
    costs = cost(frames["requests"], load())
    assert dict(figures(SimpleNamespace(**frames), costs))["Requests"] == "0"
    assert over_time(costs, "UTC") is None


def test_requests_without_a_time_are_in_no_day() -> None:
    rows = frame("requests", [{"session_id": "s", "model": "claude-opus-5-5", "ts": None, "input_tokens": 5}])
    assert over_time(cost(rows, load()), "UTC") is None
    assert START.tzinfo is not None
