import datetime as dt

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measure.columns import empty
from policy.cost import KINDS, cost
from policy.prices import load
from policy.spend import above, blocks, by, flagged, hit_ratio, labelled, over_time, total, unpriced


def costed(frame: pl.DataFrame, zone: str = "UTC") -> pl.DataFrame:
    return labelled(cost(frame, load()), zone)


def test_the_public_benchmark_of_cache_reads(requests_of) -> None:
    """A subagent renaming across 24 files: 511 requests at a mean of 161k read tokens and $0.20 per million is $16.45;
    508 at 77k is $7.82."""
    for requests, mean, usd in ((511, 161_000, 16.45), (508, 77_000, 7.82)):
        sizes = [mean - 500 + 1000 * index // (requests - 1) for index in range(requests)]
        assert sum(sizes) / requests == pytest.approx(mean, abs=1)
        frame = requests_of(*({"r": size, "agent_id": "a", "agent_type": "general-purpose"} for size in sizes))
        row = by(costed(frame.with_columns(model=pl.lit("claude-opus-5-5"))), "thread_kind").row(0, named=True)
        assert row["thread_kind"] == "general-purpose"
        assert row["requests"] == requests
        assert round(row["cache_read_usd"], 2) == usd
        assert row["usd"] == pytest.approx(row["cache_read_usd"])


def test_groups_by_hand(requests_of) -> None:
    costs = costed(
        requests_of(
            {"i": 10, "r": 90, "o": 5},
            {"i": 100, "o": 5, "agent_id": "a", "agent_type": "Explore"},
            {"i": 7, "model": "mystery", "o": 3},
            {"i": 7, "agent_id": "b", "agent_type": "main"},
            {"i": 7, "agent_id": "c"},
        )
    )
    kinds = by(costs, "thread_kind")
    assert kinds["thread_kind"].to_list() == [
        "Explore",
        "main",
        "(unknown)",
        "main (an agent type)",
    ]
    main = kinds.row(1, named=True)
    assert (main["requests"], main["unpriced_requests"], main["input_tokens"]) == (2, 1, 17)
    assert main["usd"] == pytest.approx(10 * 2e-6 + 90 * 0.2e-6 + 5 * 10e-6)
    assert hit_ratio(main) == pytest.approx(90 / 107)
    models = by(costs, "model")
    assert models["model"].to_list() == ["claude-sonnet-5", "mystery"]
    assert models["usd"].to_list()[1] is None
    assert unpriced(costs) == [
        {"model": "mystery", "reason": "model not in the price table", "requests": 1, "tokens": 10}
    ]


def test_unknown_writes_are_flagged_with_their_upper_bound(requests_of) -> None:
    found = flagged(costed(requests_of({"wu": 1000}, {"w5": 1000}, {"wu": 10, "model": "mystery"})))
    assert (found["requests"], found["tokens"]) == (2, 1010)
    assert found["usd"] == pytest.approx(1000 * 2.5e-6)
    assert found["upper_bound_usd"] == pytest.approx(1000 * 4e-6)
    assert flagged(costed(requests_of({"w5": 1}))) == {"requests": 0, "tokens": 0, "usd": 0.0, "upper_bound_usd": 0.0}


def test_the_share_above_a_size_is_strict(requests_of) -> None:
    costs = costed(requests_of({"r": 150_000}, {"r": 150_001}, {"r": 9, "model": "mystery"}))
    part = above(costs, 150_000)
    assert part["requests"] == 1
    assert part["usd_share"] == pytest.approx(150_001 / 300_001)
    assert above(costs, 10**9)["usd"] == 0
    assert above(costed(empty("requests")), 1)["usd_share"] is None


def test_days_weeks_and_months_are_those_of_the_zone(requests_of) -> None:
    midnight = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
    frame = requests_of({"i": 1, "ts": midnight}, {"i": 1, "ts": midnight - dt.timedelta(seconds=1)}, {"ts": None})
    assert over_time(costed(frame), "day")["day"].to_list() == [dt.date(2026, 11, 30), dt.date(2026, 12, 1), None]
    assert over_time(costed(frame), "week")["week"].to_list() == [dt.date(2026, 11, 30), None]
    west = over_time(costed(frame, "America/New_York"), "month")
    assert west["month"].to_list() == [dt.date(2026, 11, 1), None]
    assert west["requests"].to_list() == [2, 1]


def test_blocks_are_five_hours_from_a_full_hour(requests_of) -> None:
    at = [1_800, 5 * 3600 - 1, 5 * 3600, 40 * 3600]  # from 12:00
    found = blocks(costed(requests_of(*({"i": 1, "at": seconds} for seconds in at))))
    assert found["start"].dt.hour().to_list() == [12, 17, 4]
    assert found["requests"].to_list() == [2, 1, 1]
    assert (found["end"] - found["start"]).to_list() == [dt.timedelta(hours=5)] * 3
    assert blocks(costed(empty("requests"))).height == 0


COUNT = st.integers(0, 300_000)
ROW = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["claude-opus-5", "claude-haiku-5-5", "claude-sonnet-4-6", "mystery", None]),
        "agent_id": st.sampled_from([None, "a", "b"]),
        "agent_type": st.sampled_from([None, "Explore", "main"]),
        "project": st.sampled_from(["/p", "/q", None]),
        "at": st.integers(0, 10**7),
        "i": COUNT,
        "r": COUNT,
        "w5": COUNT,
        "w1h": COUNT,
        "wu": COUNT,
        "o": COUNT,
    }
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROW, min_size=1, max_size=30))
def test_sums_over_kinds_models_days_projects_and_threads_equal_the_total(requests_of, rows) -> None:
    costs = costed(requests_of(*rows))
    whole = total(costs)
    for key in ("thread_kind", "model", "project", "day", "week", "month"):
        part = by(costs, key)
        assert part["requests"].sum() == whole["requests"]
        for column in ("usd", *KINDS.values()):
            assert part[column].sum() == pytest.approx(whole[column] or 0, rel=1e-12)
    assert blocks(costs)["usd"].sum() == pytest.approx(whole["usd"] or 0, rel=1e-12)
    assert sum(whole[column] or 0 for column in KINDS.values()) == pytest.approx(whole["usd"] or 0, rel=1e-12)
