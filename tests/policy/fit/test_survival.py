import numpy as np
import pytest

from policy.fit import survival


def test_kaplan_meier_by_hand() -> None:
    # 4 at risk at 1: 3/4 left; 2 is censored; 2 at risk at 3: 3/8 left; 4 is censored.
    times, share = survival.kaplan_meier(np.array([1.0, 2, 3, 4]), np.array([True, False, True, False]))
    assert times.tolist() == [1, 3]
    assert share == pytest.approx([0.75, 0.375])


def test_mean_remaining_by_hand() -> None:
    # Beyond 1: 2 requests at 0.75 (1..3), 1 at 0.375 (3..4), relative to 0.75.
    lengths, done = np.array([1.0, 2, 3, 4]), np.array([True, False, True, False])
    assert survival.mean_remaining(lengths, done, 1) == pytest.approx((2 * 0.75 + 0.375) / 0.75)
    assert survival.mean_remaining(lengths, done, 0) == pytest.approx(1 + 2 * 0.75 + 0.375)
    assert survival.mean_remaining(lengths, done, 4) is None


def test_stopped_runs_do_not_count_as_finished() -> None:
    rng = np.random.default_rng(2)
    true = np.exp(rng.normal(4, 1, 4000))
    cap = rng.choice([40.0, 1e9], 4000)
    seen = np.minimum(true, cap)
    done = true <= cap
    remaining = true[true > 30].mean() - 30
    estimate = survival.mean_remaining(seen, done, 30)
    naive = survival.mean_remaining(seen, np.ones(4000, bool), 30)
    assert estimate == pytest.approx(remaining, rel=0.05)
    assert naive is not None
    assert naive < 0.7 * remaining


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(23, 24, 0.80, 0.99), (48, 86, 0.45, 0.66), (184, 680, 0.239, 0.305), (0, 0, 0, 1)]
)
def test_wilson_by_the_published_figures(hits: int, n: int, low: float, high: float) -> None:
    assert survival.wilson(hits, n) == pytest.approx((low, high), abs=0.005)


def test_quantile_hidden_by_stopped_runs_is_none() -> None:
    assert survival.quantile(np.array([1.0, 2, 3]), np.array([True, False, False]), 0.9) is None
    assert survival.quantile(np.array([1.0, 2, 3]), np.array([True, True, True]), 0.5) == 2
