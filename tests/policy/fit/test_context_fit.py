import math

import numpy as np
import pytest

from policy.fit import context as fit

R, W, OUT = 0.2e-6, 5e-6, 20e-6
RESTART = fit.Restart(
    rho_a=R,
    write_a=W,
    output_a=OUT,
    rho_k=R,
    output_k=OUT,
    carry=W + 200 * R,
    caller_context=150_000,
    brief=800,
    report=1500,
    start=13_900,
    productive=45_000,
    reread=30_000,
    rereads=10,
)


def test_restart_cost_of_the_example() -> None:
    assert RESTART.cost(100_000) == pytest.approx(0.51, abs=0.02)
    assert RESTART.break_even(100_000) == pytest.approx(46, abs=2)
    assert RESTART.break_even(45_000) == math.inf


def test_steady_state_bound_of_the_example() -> None:
    assert RESTART.best(1186) == pytest.approx(122_000, rel=0.01)


def run(contexts: list[float], price: float = 1.0) -> fit.Run:
    return fit.Run(np.array(contexts, float), np.full(len(contexts), price), np.zeros(len(contexts)))


UNIT = fit.Restart(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0)  # a restart costs its context once; b1 = 10


def test_replay_by_hand() -> None:
    # Told at 30, reports at once: the rest reads 20, 30 instead of 40, 50; the second agent is done at 30.
    saved, stops, tokens = fit.replay(run([10, 20, 30, 40, 50]), 30, UNIT, lag=0)
    assert (saved, stops, tokens) == (2 * 20 - 30, 1, 40)
    # A lag of one: stops at 40, one request left.
    assert fit.replay(run([10, 20, 30, 40, 50]), 30, UNIT, lag=1) == (30 - 40, 1, 30)


def test_a_run_that_is_about_to_end_is_charged_nothing() -> None:
    assert fit.replay(run([10, 20, 30]), 30, UNIT, lag=0) == (0, 0, 0)
    assert fit.replay(run([10, 20, 30, 40]), 30, UNIT, lag=2) == (0, 0, 0)
    assert fit.replay(run([10, 20, 29, 29, 29]), 30, UNIT, lag=0) == (0, 0, 0)


def test_one_token_moves_exactly_the_edge() -> None:
    assert fit.replay(run([10, 20, 30, 40, 50]), 30, UNIT, lag=0)[1] == 1
    assert fit.replay(run([10, 20, 30, 40, 50]), 31, UNIT, lag=0) == (20 + 10 - 40 - 0, 1, 30)


def test_growth_of_15000_after_the_crossing_leaves_85000_below_a_step_at_100000() -> None:
    contexts = np.arange(10_000, 200_000, 7_500, dtype=float)  # 85,000 is on the way, +15,000 in two requests
    assert fit.step_bound([contexts] * 120, 100_000).bound == 85_000
    few = fit.step_bound([contexts] * 20, 100_000)
    assert (few.bound, few.rule) == (85_000, "maximum of 20 crossings")


def heavy(rng: np.random.Generator, sigma: float, count: int) -> list[np.ndarray]:
    """Runs that grow by log-normal steps of mean 1,200 past 130,000."""
    steps = np.exp(rng.normal(math.log(1200) - sigma**2 / 2, sigma, (count, 250)))
    return list(14_000 + np.cumsum(steps, axis=1))


@pytest.mark.parametrize("sigma", [1.2, 1.5])
def test_fresh_crossings_pass_the_step_in_at_most_1_5_percent(sigma: float) -> None:
    rng = np.random.default_rng(int(10 * sigma))
    shares, by_growth = [], []
    for _ in range(30):
        past, fresh = heavy(rng, sigma, 1000), heavy(rng, sigma, 1000)
        bound = fit.step_bound(past, 100_000).bound
        assert bound is not None
        two = np.concatenate([x[2:] - x[:-2] for x in past])
        count, over = fit.crossings(fresh, np.array([bound, 100_000 - np.quantile(two, 0.99)]), 100_000)
        shares.append(over[0] / count[0])
        by_growth.append(over[1] / count[1])
    print(
        f"sigma {sigma}: {100 * np.mean(shares):.2f} % by crossings, {100 * np.mean(by_growth):.2f} % by p99 of growth"
    )
    assert np.mean(shares) <= 0.015
    assert np.mean(by_growth) > 0.02


def test_no_bound_where_every_run_starts_above_the_step() -> None:
    assert fit.step_bound([np.array([120_000.0, 130_000.0])] * 200, 100_000).bound is None


def test_a_price_step_is_saved_where_the_fresh_agent_stays_below_it() -> None:
    above = fit.Run(np.array([10.0, 20, 30, 40, 50]), np.ones(5), np.array([0.0, 0, 0, 7, 7]), step=35)
    assert fit.replay(above, 30, UNIT, lag=0)[0] == 2 * 20 - 30 + 14
