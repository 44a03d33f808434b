import numpy as np
import polars as pl
import pytest

from policy.fit import returns as fit
from policy.fit.quantiles import readable

# The published table: n 80 in 4 sessions.
KNOTS = {0: 300, 8: 502, 20: 761, 40: 1404, 60: 2256, 72: 3164, 80: 7931}
DEFAULTS = {"passTokens": 1000, "fileTokens": 2500}


def published() -> np.ndarray:
    """80 sizes with exactly these quantiles (nearest rank); straight between knots, late in the tail."""
    out = []
    for (low, a), (high, b) in zip(KNOTS.items(), list(KNOTS.items())[1:], strict=False):
        late = {72: 1.5, 80: 5}.get(high, 1)
        out += [round(a + (b - a) * ((rank - low) / (high - low)) ** late) for rank in range(low + 1, high + 1)]
    return np.array(out)


def rows(values: np.ndarray, sessions: np.ndarray, kinds: list[str] | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "first_est_tokens": values,
            "session_id": [f"s{s}" for s in sessions],
            "agent_type": kinds or ["Explore"] * len(values),
        }
    )


def in_force(key: str, agent_type: str | None) -> int:
    return DEFAULTS[key]


def test_published_table_gives_its_limits_and_no_interval_from_four_sessions() -> None:
    values = published()
    ordered = np.sort(values)
    assert [int(ordered[r - 1]) for r in (8, 20, 40, 60, 72, 80)] == [502, 761, 1404, 2256, 3164, 7931]
    # The published totals, as a check that the shape is right: 136.7k in all, 79.4k above 800.
    assert values.sum() == pytest.approx(136_700, rel=0.04)
    assert np.maximum(0, values - 800).sum() == pytest.approx(79_400, rel=0.04)
    limits = {x.key: x for x in fit.percentile(rows(values, np.arange(80) % 4), in_force) if x.agent_type is None}
    for key, would_be in (("passTokens", 1400), ("fileTokens", 2400)):
        limit = limits[key]
        assert limit.extra["would_be"] == would_be
        assert limit.value is None
        assert limit.interval is None
        assert limit.why == "kept: 80 returns in 4 sessions, 30 in 10 are needed"
        assert (limit.n, limit.sessions) == (80, 4)
    low, high = limits["passTokens"].extra["independent_interval"]
    assert low == pytest.approx(1115, abs=2)
    assert high == pytest.approx(1830, abs=2)


def test_enough_sessions_give_a_limit_inside_its_interval() -> None:
    rng = np.random.default_rng(4)
    sessions = rng.integers(0, 25, 300)
    values = np.exp(7 + 0.3 * rng.normal(size=25)[sessions] + 0.7 * rng.normal(size=300)).astype(int) + 1
    for limit in fit.percentile(rows(values, sessions), in_force):
        if limit.agent_type is None:
            assert limit.low is not None
            assert limit.high is not None
            assert limit.value is not None
            assert limit.low <= int(limit.value) <= limit.high
            independent = limit.extra["independent_interval"]
            assert limit.high - limit.low > independent[1] - independent[0]


def test_types_are_shrunk_from_four_on_and_small_ones_keep_the_overall_limit() -> None:
    rng = np.random.default_rng(5)
    kinds = ["a"] * 40 + ["b"] * 40 + ["c"] * 40 + ["d"] * 40 + ["tiny"] * 5
    centre = np.array([6.0] * 40 + [7.0] * 40 + [7.2] * 40 + [8.0] * 40 + [7.0] * 5)
    values = np.exp(centre + 0.5 * rng.normal(size=165)).astype(int) + 1
    limits = {(x.key, x.agent_type): x for x in fit.percentile(rows(values, np.arange(165) % 12, kinds), in_force)}
    a = limits["passTokens", "a"]
    assert a.value is not None
    assert int(a.value) < int(limits["passTokens", "d"].value or 0)
    assert a.estimate is not None
    assert a.estimate > a.extra["raw"]
    tiny = limits["passTokens", "tiny"]
    assert tiny.value is None
    assert tiny.why == "kept: 5 returns in 5 sessions, 10 in 3 are needed"
    three = fit.percentile(rows(values[:120], np.arange(120) % 12, kinds[:120]), in_force)
    assert all(x.value is None and "only 3 types" in x.why for x in three if x.agent_type)


def test_every_row_states_its_n_even_without_a_return() -> None:
    for limit in fit.percentile(rows(np.zeros(0, dtype=int), np.zeros(0, dtype=int)), in_force):
        assert limit.row()["n"] == 0
        assert limit.why.startswith("kept: 0 returns")


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (1404, 1115, 1830, 1400),
        (2455, None, None, 2500),
        (1449, 1445, 1500, 1450),
        (987, None, 990, 990),
        (7, None, None, 7),
    ],
)
def test_readable_numbers_stay_inside_the_interval(
    value: float, low: float | None, high: float | None, expected: int
) -> None:
    assert readable(value, low, high) == expected
