import numpy as np
import pytest

from policy.fit.quantiles import nearest_rank
from policy.fit.shrink import TypeSample, between, correlation, enough, shrink

TYPES, WITHIN, SESSION = 10, 0.8, 0.4


def draw(rng: np.random.Generator, sessions: int, tau: float) -> tuple[list[TypeSample], np.ndarray]:
    """Ten types, few returns in most; true log medians spread by `tau`; one session effect for all types."""
    true = 7 + tau * rng.normal(size=TYPES)
    rates = np.exp(rng.normal(np.log(1.6), 0.9, TYPES))
    effect = SESSION * rng.normal(size=sessions)
    out, kept = [], []
    for k in range(TYPES):
        counts = rng.poisson(rates[k] * np.exp(rng.normal(0, 0.5, sessions)))
        codes = np.repeat(np.arange(sessions), counts)
        sample = TypeSample(str(k), np.exp(true[k] + effect[codes] + WITHIN * rng.normal(size=len(codes))), codes)
        if enough(sample):
            out.append(sample)
            kept.append(true[k])
    return out, np.array(kept)


def errors(rounds: int, sessions: int, tau: float, p: float = 0.5) -> tuple[float, float, float]:
    """(raw error, shrunk error, both root mean square for types under 40 returns; percent of intervals that cover)."""
    rng = np.random.default_rng([sessions, int(10 * tau)])
    z = {0.5: 0.0, 0.78: 0.7722}[p] * np.hypot(WITHIN, SESSION)
    raw, shrunk, covered = [], [], []
    for _ in range(rounds):
        samples, true = draw(rng, sessions, tau)
        if len(samples) < 4:
            continue
        for row, at in zip(shrink(samples, p), true + z, strict=True):
            covered.append(row.low <= np.exp(at) <= row.high)
            if row.n < 40:
                raw.append(np.log(row.raw) - at)
                shrunk.append(np.log(row.value) - at)
    return (
        float(np.sqrt(np.mean(np.square(raw)))),
        float(np.sqrt(np.mean(np.square(shrunk)))),
        100 * float(np.mean(covered)),
    )


def check(rounds: int, cells: list[tuple[int, float, float]], slack: float) -> None:
    for sessions, tau, p in cells:
        raw, shrunk, covered = errors(rounds, sessions, tau, p)
        print(f"S={sessions} tau={tau} p={p}: raw {raw:.3f} shrunk {shrunk:.3f} covered {covered:.1f} % (n={rounds})")
        assert shrunk < raw
        assert covered >= 90 - slack


def test_shrunk_values_err_less_and_cover_in_a_short_run() -> None:
    check(150, [(20, 0.0, 0.5), (20, 0.5, 0.5)], slack=2)


@pytest.mark.slow
def test_shrunk_values_err_less_and_cover() -> None:
    check(2000, [(s, t, p) for s in (10, 20, 50) for t in (0.0, 0.2, 0.5) for p in (0.5, 0.78)], slack=0)


def test_equal_types_are_drawn_together_and_different_ones_are_left_alone() -> None:
    rng = np.random.default_rng(3)
    codes = np.arange(60) % 12

    def sample(name: str, centre: float, spread: float) -> TypeSample:
        return TypeSample(name, np.exp(centre + spread * rng.normal(size=60)), codes)

    equal = shrink([sample(str(i), 7.0, 0.5) for i in range(6)], 0.5)
    apart = shrink([sample(str(i), 5.0 + i, 0.05) for i in range(6)], 0.5)
    assert min(row.weight for row in equal) > 0.3
    assert max(row.weight for row in apart) < 0.01
    assert all(row.raw == pytest.approx(row.value, rel=0.02) for row in apart)


def test_between_types_by_hand() -> None:
    # Two points 0 and 2, variance 1: weights equal, sum (1/(1+t)) * 2 = 1 at t = 1.
    assert between(np.array([0.0, 2.0]), np.array([1.0, 1.0])) == pytest.approx(1.0)
    assert between(np.array([0.0, 0.1]), np.array([1.0, 1.0])) == 0.0


def test_correlation_by_hand() -> None:
    # Two sessions of two: both at or below, both above: each pair agrees, so the correlation is 1.
    assert correlation(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]), 0.5) == 1.0
    assert correlation(np.array([1.0, 0.0, 1.0, 0.0]), np.array([0, 0, 1, 1]), 0.5) == 0.0


def test_under_four_types_is_refused() -> None:
    with pytest.raises(ValueError, match="four"):
        shrink([TypeSample("a", np.arange(1.0, 20.0), np.arange(19))], 0.5)


def test_raw_is_nearest_rank() -> None:
    values = np.arange(1.0, 41.0)
    rows = shrink([TypeSample(str(i), values, np.arange(40) % 10) for i in range(4)], 0.78)
    assert rows[0].raw == pytest.approx(nearest_rank(values, 0.78))
