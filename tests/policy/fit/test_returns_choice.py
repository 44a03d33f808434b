import numpy as np
import pytest

from policy.fit import returns_choice as fit
from policy.fit.inputs import Returns
from policy.fit.returns_cost import Paid

NOTHING = fit.Assumed(compressed=1.0, read_back_share=0.0, ttl_push_share=0.0)


def returns(est: list[int], later: float, *, per_session: int = 1, context: float = 30_000) -> Returns:
    """Foreground returns at Opus 5.5 prices, four characters a token, each with `later` warm requests of its caller."""
    n = len(est)

    def full(value: float) -> np.ndarray:
        return np.full(n, value)

    sizes = np.array(est, dtype=np.float64)
    prices = Paid(full(0.2e-6), full(5e-6), full(20e-6))
    return Returns(
        est=sizes,
        codes=np.arange(n) // per_session,
        kinds=np.array(["x"] * n),
        delivered=sizes * 4,
        wrapper=full(0),
        carry=full(5e-6 + later * 0.2e-6),
        shadow=full(np.nan),
        later=full(later),
        foreground=np.ones(n, bool),
        short_run=np.ones(n, bool),
        can_write=np.ones(n, bool),
        a_context=full(context),
        k_context=full(100_000),
        a_cpt=full(4),
        k_cpt=full(4),
        agent=prices,
        caller=prices,
    )


@pytest.mark.parametrize(("later", "pays"), [(400, False), (420, True)])
def test_compress_pays_on_the_right_side_of_its_break_even(later: float, pays: bool) -> None:
    made = fit.effect(returns([1417], later), "compress", 1026, NOTHING)
    assert made.saved_tokens[0] == 391
    assert bool(made.net_usd[0] > 0) is pays


def test_each_action_by_hand() -> None:
    data = returns([2585], 100)
    carry = 25e-6
    compress = fit.effect(data, "compress", 1000, NOTHING).net_usd[0]
    assert compress == pytest.approx(1585 * carry - (0.006 + 2685 * 5e-6 + 1000 * 20e-6))
    spill = fit.effect(data, "spill", 1000, NOTHING).net_usd[0]
    assert spill == pytest.approx(2340 * carry - (0.006 + 2735 * 5e-6 + 245 * 20e-6))
    shorten = fit.effect(data, "shorten", 1000, NOTHING).net_usd[0]
    assert shorten == pytest.approx(1585 * carry)
    back = fit.effect(data, "shorten", 1000, fit.Assumed(1.0, read_back_share=0.5, ttl_push_share=0.0)).net_usd[0]
    assert back == pytest.approx(1585 * carry - 0.5 * (100_000 * 0.2e-6 + 100 * 20e-6 + 2685 * carry))
    push = fit.effect(data, "compress", 1000, fit.Assumed(1.0, read_back_share=0.0, ttl_push_share=0.014)).net_usd[0]
    assert compress - push == pytest.approx(0.014 * 100_000 * 4.8e-6)


def test_a_preview_that_the_client_delivered_leaves_nothing_to_save() -> None:
    data = returns([20_000], 100)
    data.delivered[:] = 2_048
    assert fit.effect(data, "compress", 1000, NOTHING).saved_tokens[0] < 0


def test_short_sessions_block_nothing() -> None:
    rng = np.random.default_rng(0)
    sizes = np.exp(7.3 + 0.8 * rng.normal(size=200)).astype(int)
    found = fit.fit(returns(list(sizes), 10, per_session=5), (1000, 2500), NOTHING)
    assert found.best.trigger == fit.NEVER
    assert found.choice.validated == 0
    assert found.break_even is not None
    assert found.break_even > 10_000 or found.break_even > found.best.target


def test_long_sessions_block_above_a_trigger_that_lies_above_the_target() -> None:
    rng = np.random.default_rng(0)
    sizes = np.exp(7.3 + 0.8 * rng.normal(size=300)).astype(int)
    found = fit.fit(returns(list(sizes), 400, per_session=5), (1000, 2500), NOTHING)
    assert found.choice.validated > 0
    assert found.choice.low <= found.choice.validated <= found.choice.high
    assert found.best.slack > 0
    assert found.break_even == pytest.approx(found.best.trigger, rel=0.5)
    assert found.lost_below < 0 < found.n_below
    assert found.best in found.plateau


def test_the_shown_saving_is_cross_validated() -> None:
    rng = np.random.default_rng(1)
    sizes = np.exp(7.3 + 0.8 * rng.normal(size=60)).astype(int)
    data = returns(list(sizes), 300, per_session=10)
    found = fit.fit(data, (1000, 2500), NOTHING)
    assert found.choice.validated <= found.choice.total


def test_saved_by_counts_each_return_once_under_its_tier() -> None:
    data = returns([500, 1500, 3000], 300)
    limits = fit.Candidate(1000, 1000, 2500)
    table = fit.saved_by(data, [limits, fit.Candidate(1000, fit.NEVER, fit.NEVER)], NOTHING)
    squeezed, filed = fit.effect(data, "compress", 1000, NOTHING), fit.effect(data, "file", 0, NOTHING)
    assert table[:, 0] == pytest.approx([0, squeezed.net_usd[1], filed.net_usd[2]])
    assert table[:, 1] == pytest.approx([0, 0, 0])
    edge = fit.saved_by(data, [fit.Candidate(1000, 1500, 3000), fit.Candidate(1000, 1499, 2999)], NOTHING)
    assert edge[:, 0] == pytest.approx([0, 0, squeezed.net_usd[2]])
    assert edge[:, 1] == pytest.approx([0, squeezed.net_usd[1], filed.net_usd[2]])


def test_classes_of_sizes_hold_every_return() -> None:
    table = fit.by_size(returns([400, 900, 1200, 2600, 20_000], 300), 1000, NOTHING)
    assert sum(int(row["n"] or 0) for row in table) == 5
    assert [row["best"] for row in table][:2] == ["pass", "pass"]
