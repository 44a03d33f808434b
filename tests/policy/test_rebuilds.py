import pytest

from policy.cost import cost
from policy.prices import load
from policy.rebuilds import by_reason, other_ttl, rebuilds, steps
from policy.spend import labelled

# claude-sonnet-5: input 2, read 0.2, write 5m 2.5, write 1h 4, output 10 dollars per million


def found(frame):
    return {row["step"]: row for row in rebuilds(steps(cost(frame, load()))).iter_rows(named=True)}


def test_each_reason_is_told_apart(requests_of) -> None:
    rows = found(
        requests_of(
            {"w5": 20_000},
            {"r": 20_000, "w5": 3_000},  # growth: no rebuild
            {"r": 0, "w5": 24_000, "model": "claude-opus-5"},
            {"r": 24_000, "w5": 1_000, "model": "claude-opus-5"},
            {"w5": 26_000, "model": "claude-opus-5", "at": 180 + 301},
            {"r": 5_000, "w5": 3_000, "segment": 1, "model": "claude-opus-5", "at": 500},
            {"r": 4_000, "w5": 6_000, "segment": 1, "model": "claude-opus-5", "at": 510},
            {"r": 4_000, "w5": 8_000, "segment": 1, "model": "claude-opus-5", "at": 520},
        )
    )
    assert {step: row["reason"] for step, row in rows.items()} == {
        0: "first request",
        2: "model switch",
        4: "idle past the TTL",
        5: "after a compaction",
        6: "unknown",
        7: "frozen prefix",
    }
    assert [rows[step]["rebuilt_tokens"] for step in (0, 2, 4, 5, 6, 7)] == [
        20_000,
        23_000,
        25_000,
        3_000,
        4_000,
        6_000,
    ]


def test_a_rebuild_costs_its_writes_and_extra_what_a_read_would_not_have_cost(requests_of) -> None:
    row = found(requests_of({"w5": 100_000}, {"w5": 60_000, "w1h": 60_000}))[1]
    assert row["rebuilt_tokens"] == 100_000
    assert row["write_usd"] == pytest.approx(100_000 * 3.25e-6)
    assert row["extra_usd"] == pytest.approx(100_000 * (3.25e-6 - 0.2e-6))


def test_a_one_hour_cache_is_not_idle_after_ten_minutes(requests_of) -> None:
    rows = found(requests_of({"w1h": 50_000}, {"w1h": 51_000, "at": 600}, {"w1h": 52_000, "at": 600 + 3601}))
    assert [rows[step]["reason"] for step in (1, 2)] == ["unknown", "idle past the TTL"]


def test_small_rewrites_and_uncached_prompts_are_no_rebuild(requests_of) -> None:
    assert set(found(requests_of({"w5": 100_000}, {"r": 98_500, "w5": 1_500}, {"i": 101_000}))) == {0}


def test_threads_do_not_touch_each_other(requests_of) -> None:
    rows = found(
        requests_of(
            {"w5": 50_000},
            {"w5": 30_000, "agent_id": "a", "agent_type": "Explore", "step": 0},
            {"r": 50_000, "w5": 100, "step": 1},
            {"r": 30_000, "w5": 100, "agent_id": "a", "agent_type": "Explore", "step": 1},
        )
    )
    assert [row["reason"] for row in rows.values()] == ["first request"]


def test_reasons_are_summed_in_a_fixed_order(requests_of) -> None:
    frame = requests_of({"w5": 20_000}, {"w5": 21_000, "at": 60}, {"w5": 22_000, "at": 500})
    table = by_reason(rebuilds(steps(cost(frame, load()))))
    assert table["reason"].to_list() == ["first request", "idle past the TTL", "unknown"]
    assert table["rebuilt_tokens"].to_list() == [20_000, 21_000, 20_000]


def test_unpriced_rebuilds_have_no_dollars(requests_of) -> None:
    table = by_reason(rebuilds(steps(cost(requests_of({"w5": 20_000, "model": "mystery"}), load()))))
    assert table.to_dicts() == [
        {"reason": "first request", "requests": 1, "rebuilt_tokens": 20_000, "write_usd": None, "extra_usd": None}
    ]


def test_the_other_ttl_by_hand(requests_of) -> None:
    short = requests_of({"w5": 100_000}, {"w5": 101_000, "at": 600}, {"r": 101_000, "w5": 1_000, "at": 660})
    row = other_ttl(steps(labelled(cost(short, load()), "UTC"))).row(0, named=True)
    assert row["thread_kind"] == "main"
    assert row["usd"] == pytest.approx(202_000 * 2.5e-6 + 101_000 * 0.2e-6)
    assert row["usd_5m"] == pytest.approx(row["usd"])
    assert row["usd_1h"] == pytest.approx(102_000 * 4e-6 + 201_000 * 0.2e-6)

    long = requests_of({"w1h": 100_000}, {"r": 100_000, "w1h": 1_000, "at": 600}, {"w1h": 102_000, "at": 9000})
    row = other_ttl(steps(labelled(cost(long, load()), "UTC"))).row(0, named=True)
    assert row["usd"] == pytest.approx(203_000 * 4e-6 + 100_000 * 0.2e-6)
    assert row["usd_1h"] == pytest.approx(row["usd"])
    assert row["usd_5m"] == pytest.approx(303_000 * 2.5e-6)
