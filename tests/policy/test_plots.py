"""Pictures of money: the figures behind them by hand, and their layout with 40 agents, one point and none."""

from datetime import date, timedelta

import polars as pl
import pytest
from look import objections
from made_frames import START, frame, made, nothing

from policy.cost import KINDS, cost
from policy.plots import cost_agents, cost_days, periods, shares
from policy.prices import load

NOBODY = "some-model-nobody-prices"


def priced(rows: list[dict[str, object]]) -> pl.DataFrame:
    """A cost frame with these dollars; `rows` name `usd`, and the kinds they want."""
    base = frame("requests", [{k: v for k, v in row.items() if not k.endswith("usd")} for row in rows])
    return base.with_columns(
        *(pl.Series(name, [row.get(name) for row in rows], pl.Float64) for name in ("usd", *KINDS.values())),
        unpriced_reason=pl.Series([None if row["usd"] else "unknown model" for row in rows], dtype=pl.String),
    )


COSTS = priced(
    [
        {"ts": START, "agent_id": None, "usd": 3.0, "output_usd": 3.0},
        {"ts": START, "agent_id": "a", "agent_type": "Plan", "usd": 1.0, "output_usd": 0.25, "input_usd": 0.75},
        {
            "ts": START + timedelta(hours=15, minutes=30),
            "agent_id": "b",
            "agent_type": None,
            "usd": 4.0,
            "output_usd": 4.0,
        },
        {"ts": START, "agent_id": "c", "usd": None},
    ]
)


def test_days_are_those_of_the_zone() -> None:
    rows, length = periods(COSTS, "Europe/Berlin")
    assert length == 1
    assert rows.select("day", "output_usd", "input_usd").rows() == [
        (date(2026, 11, 2), 3.25, 0.75),
        (date(2026, 11, 3), 4.0, 0.0),
    ]


def test_long_spans_are_drawn_in_weeks() -> None:
    far = priced([{"ts": START + timedelta(days=n), "usd": 1.0, "output_usd": 1.0} for n in (0, 6, 7, 200)])
    rows, length = periods(far)
    assert length == 7
    assert rows.select("day", "output_usd").rows() == [
        (date(2026, 11, 2), 2.0), (date(2026, 11, 9), 1.0), (date(2027, 5, 17), 1.0),
    ]  # fmt: skip


def test_shares_add_up_to_one_over_priced_requests() -> None:
    assert shares(COSTS).rows() == [
        ("(unknown)", 4.0, 1, 0.5),
        ("main", 3.0, 1, 0.375),
        ("Plan", 1.0, 1, 0.125),
    ]


@pytest.mark.parametrize("draw", [cost_days, cost_agents])
def test_unpriced_requests_are_named_not_counted_as_free(draw: object) -> None:
    assert "1 request without a price left out" in draw(COSTS).get_suptitle()  # type: ignore[operator]


@pytest.mark.parametrize("case", ["40 types", "one point", "a year", "none", "no price"])
@pytest.mark.parametrize("draw", [cost_days, cost_agents])
def test_no_text_is_cut_or_covered(draw: object, case: str) -> None:
    frames = {
        "40 types": made(1, 40, 9),
        "one point": made(1, 0, 1),
        "a year": made(250, 1, 2),
        "none": nothing(),
        "no price": made(1, 0, 1),
    }[case]["requests"]
    if case == "40 types":
        frames = frames.with_columns(
            pl.concat_str(pl.lit("a-type-with-a-rather-long-name-"), "agent_id").alias("agent_type")
        )
    if case == "no price":
        frames = frames.with_columns(pl.lit(NOBODY).alias("model"))
    fig = draw(cost(frames, load()))  # type: ignore[operator]
    assert objections(fig) == []
