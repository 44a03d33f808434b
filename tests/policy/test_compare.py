import datetime as dt
import math

import numpy as np
import polars as pl
import pytest

from policy.compare import by_session, compare
from policy.cost import cost
from policy.intervals import change_of_ratio, change_of_typical
from policy.prices import load


def test_welch_on_logs_by_hand() -> None:
    """Logs 0, 2 and 4 against 3, 5 and 7: means 2 and 5, variance 4 each, standard error sqrt(8/3), 4 degrees."""
    a, b = np.exp([0.0, 2, 4, 0, 2, 4]), np.exp([3.0, 5, 7, 3, 5, 7])
    found = change_of_typical(a, b)
    variance = 2 * (16 / 5) / 6
    assert found.ratio == pytest.approx(math.exp(3))
    assert found.low == pytest.approx(math.exp(3 - 2.2281389 * math.sqrt(variance)), rel=1e-6)  # t of 10 degrees
    assert found.high == pytest.approx(math.exp(3 + 2.2281389 * math.sqrt(variance)), rel=1e-6)


def test_the_jackknife_of_equal_ratios_has_no_width() -> None:
    amount, base = np.array([1.0, 2, 3, 4, 5]), np.array([10.0, 20, 30, 40, 50])
    found = change_of_ratio((amount, base), (2 * amount, base))
    assert (found.ratio, found.low, found.high) == pytest.approx((2, 2, 2))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [([], [1.0] * 9, "nothing to compare"), ([1.0] * 4, [2.0] * 9, "fewer than 5 sessions"), ([0.0], [0.0], "nothing")],
)
def test_too_little_gives_no_interval_and_says_why(a: list[float], b: list[float], why: str) -> None:
    found = change_of_typical(np.array(a), np.array(b))
    assert found.low is found.high is None
    assert why in found.why
    ratio = change_of_ratio((np.array(a), np.ones(len(a))), (np.array(b), np.ones(len(b))))
    assert ratio.low is None
    assert why in ratio.why


def test_one_session_that_holds_everything_gives_no_interval() -> None:
    amount = np.array([5.0, 0, 0, 0, 0, 0])
    found = change_of_ratio((amount, np.ones(6)), (np.ones(6), np.ones(6)))
    assert found.low is None
    assert "one session" in found.why


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50])
def test_the_intervals_keep_their_promise(n: int) -> None:
    """Log-normal dollars a session (log sigma 1.2); dollars a request with 3 to 60 requests a session."""
    rng = np.random.default_rng(7)
    rounds, typical, ratio = 600, 0, 0
    for _ in range(rounds):
        a, b = (rng.lognormal(0, 1.2, n) for _ in range(2))
        one = change_of_typical(a, b)
        typical += one.low is not None and one.high is not None and one.low < 1 < one.high
        sides = []
        for _ in range(2):
            base = np.exp(rng.uniform(math.log(3), math.log(60), n)).round()
            sides.append((base * rng.lognormal(0, 0.5, n), base))
        two = change_of_ratio(*sides)
        ratio += two.low is not None and two.high is not None and two.low < 1 < two.high
    assert 0.92 <= typical / rounds <= 0.98
    assert 0.91 <= ratio / rounds <= 0.98


def test_measures_by_hand(requests_of, frame_of) -> None:
    def one_set(read: int, sessions: int, model: str = "claude-sonnet-5") -> pl.DataFrame:
        rows = [
            {"session_id": f"s{index}", "r": read, "w5": 1_000, "o": 0, "model": model, "step": step}
            for index in range(sessions)
            for step in range(index + 1)
        ]
        start = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
        held = [
            {"session_id": f"s{i}", "started": start, "ended": start + dt.timedelta(seconds=60 * (i + 1))}
            for i in range(sessions + 1)  # the last without a request
        ]
        folded = frame_of("compactions", [{"session_id": "s0", "segment": 0}])
        return by_session(cost(requests_of(*rows), load()), folded, frame_of("sessions", held))

    a, b = one_set(10_000, 6), one_set(20_000, 6)
    found = {row["measure"]: row for row in compare(a, b)}
    per_request = 1_000 * 2.5e-6 + 10_000 * 0.2e-6
    assert a.height == 6
    assert found["cost_usd"]["a"] == pytest.approx(21 * per_request)
    assert found["cost_usd"]["low"] is None
    assert found["request_usd"]["b"] == pytest.approx(per_request + 10_000 * 0.2e-6)
    assert found["request_usd"]["change"] == pytest.approx(2e-3 / per_request)
    assert found["request_usd"]["low"] == pytest.approx(found["request_usd"]["change"])
    assert found["mean_context_tokens"]["difference"] == 10_000
    assert found["cache_read_usd"]["change"] == pytest.approx(1)
    assert found["cache_write_usd"]["change"] == pytest.approx(0)
    assert found["compactions_per_100_requests"]["a"] == pytest.approx(100 / 21)
    assert found["wall_seconds"]["a"] == pytest.approx(60 * 21)
    assert found["typical_session_requests"]["a"] == pytest.approx(math.factorial(6) ** (1 / 6))
    assert found["typical_session_usd"]["low"] < 0 < found["typical_session_usd"]["high"]

    unknown = {row["measure"]: row for row in compare(a, one_set(10, 6, "mystery"))}
    assert unknown["cost_usd"]["b"] is None
    assert unknown["cost_usd"]["difference"] is None
    assert unknown["requests"]["b"] == 21
