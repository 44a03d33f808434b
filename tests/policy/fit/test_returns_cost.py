import numpy as np
import pytest

from policy.fit import returns_cost as cost

OPUS = cost.Paid(0.2e-6, 5e-6, 20e-6)
SONNET = cost.Paid(0.2e-6, 2.5e-6, 10e-6)


@pytest.mark.parametrize(("context", "later"), [(30_000, 411), (100_000, 590)])
def test_compress_breaks_even_after(context: int, later: int) -> None:
    block = cost.compress(context, 1417, 1026, OPUS)
    assert cost.break_even_requests(block, 391, OPUS.write, OPUS.read) == pytest.approx(later, rel=0.01)


@pytest.mark.parametrize(("context", "later"), [(30_000, 313), (100_000, 450)])
def test_compress_with_rebuilt_requests_breaks_even_after(context: int, later: int) -> None:
    block = cost.compress(context, 1417, 1026, OPUS)
    price = cost.mean_price(OPUS.read, OPUS.write, 0.013)
    assert cost.break_even_requests(block, 391, OPUS.write, price) == pytest.approx(later, rel=0.01)


@pytest.mark.parametrize(("context", "later", "spilled"), [(30_000, 183, 28), (100_000, 243, 57)])
def test_file_order_and_spill_break_even_after(context: int, later: int, spilled: int) -> None:
    saved = 2585 - 245
    order = cost.file_order(context, 2585, 245, OPUS)
    assert cost.break_even_requests(order, saved, OPUS.write, OPUS.read) == pytest.approx(later, rel=0.01)
    spill = cost.spill(context, 2585, 245, OPUS)
    assert round(cost.break_even_requests(spill, saved, OPUS.write, OPUS.read)) == spilled


def test_sonnet_agent_breaks_even_earlier() -> None:
    block = cost.compress(30_000, 1417, 1026, SONNET)
    assert cost.break_even_requests(block, 391, OPUS.write, OPUS.read) == pytest.approx(231, rel=0.01)
    order = cost.file_order(100_000, 2585, 245, SONNET)
    assert cost.break_even_requests(order, 2340, OPUS.write, OPUS.read) == pytest.approx(152, rel=0.01)


def test_thinking_tokens_make_it_dearer() -> None:
    block = cost.compress(30_000, 1417, 1026, OPUS, th=500)
    assert cost.break_even_requests(block, 391, OPUS.write, OPUS.read) == pytest.approx(539, rel=0.01)


@pytest.mark.parametrize(("later", "size"), [(100, 2993), (200, 2012), (400, 1521), (800, 1276)])
def test_trigger_is_not_the_target(later: int, size: int) -> None:
    carry = OPUS.write + later * OPUS.read
    assert cost.break_even_size(1030, 65_000, carry, OPUS) == pytest.approx(size, rel=0.001)


def test_no_size_pays_when_nobody_carries_it() -> None:
    assert cost.break_even_size(1000, 65_000, OPUS.write, OPUS) is None


def test_functions_take_arrays() -> None:
    prices = cost.Paid(np.full(2, 0.2e-6), np.full(2, 5e-6), np.full(2, 20e-6))
    both = cost.compress(np.array([30_000.0, 100_000.0]), np.full(2, 1417.0), np.full(2, 1026.0), prices)
    assert both == pytest.approx([0.034105, 0.048105])


def test_total_over_sessions_by_hand() -> None:
    # Sessions sum to 1 and 3: total 4, spread sqrt(2), t(1) = 12.706, half width 12.706 * 1.414 * 1.414.
    total, low, high = cost.session_total(np.array([0.5, 0.5, 3.0]), np.array([0, 0, 1]))
    assert (total, low, high) == (4.0, pytest.approx(4 - 25.412, abs=0.01), pytest.approx(4 + 25.412, abs=0.01))
