"""Cost of sessions that the real client wrote, worked out by hand from their truth.json."""

from pathlib import Path

import polars as pl
import pytest

from measure.frames import load
from policy.cost import KINDS, cost
from policy.prices import load as load_prices
from policy.spend import blocks, by, labelled

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
pytestmark = pytest.mark.shared


def costed(name: str) -> pl.DataFrame:
    return labelled(cost(load([CORPUS / name]).requests, load_prices()), "UTC")


def test_one_hour_writes_by_hand() -> None:
    """claude-opus-5-5, micro-dollars a token: input 4, 5-minute write 5, 1-hour write 8, read 0.2, output 20."""
    main = 9 * 4 + 1_497 * 5 + 31_994 * 8 + 62_000 * 0.2 + 117 * 20
    agent = 6 * 4 + 9_894 * 8 + 9_000 * 0.2 + 58 * 20
    assert (main, agent) == (278_213, 82_136)
    costs = costed("31-1h-writes")
    assert costs.filter(pl.col("agent_id").is_null())["usd"].sum() == pytest.approx(main / 1e6, abs=1e-12)
    assert costs.filter(pl.col("agent_id").is_not_null())["usd"].sum() == pytest.approx(agent / 1e6, abs=1e-12)
    assert costs["cache_write_1h_usd"].sum() == pytest.approx((31_994 + 9_894) * 8 / 1e6, abs=1e-12)


def test_a_tier_of_100k_by_hand() -> None:
    """claude-haiku-5-5 to 100,000 prompt tokens: input 0.1, write 0.125, read 0.01, output 0.5; above: five times."""
    small = 3 * 0.1 + 59_997 * 0.125 + 47 * 0.5
    at_99_999 = 3 * 0.1 + 60_000 * 0.01 + 39_996 * 0.125 + 47 * 0.5
    at_100_001 = 2 * 0.5 + 99_999 * 0.05 + 47 * 2.5
    at_110_000 = 3 * 0.5 + 100_001 * 0.05 + 9_996 * 0.625 + 10 * 2.5
    costs = costed("32-haiku-tier")
    haiku = costs.filter(pl.col("model") == "claude-haiku-5-5").sort("step")
    assert haiku["context_tokens"].to_list() == [60_000, 99_999, 100_001, 110_000]
    by_hand = [small / 1e6, at_99_999 / 1e6, at_100_001 / 1e6, at_110_000 / 1e6]
    assert haiku["usd"].to_list() == pytest.approx(by_hand, abs=1e-12)
    assert sum(by_hand) == pytest.approx(0.029539225, abs=1e-12)
    opus = 6 * 4 + 26_994 * 5 + 25_000 * 0.2 + 116 * 20
    sonnet = 6 * 2 + 44_994 * 2.5 + 40_000 * 0.1 + 57 * 10
    assert costs["usd"].sum() == pytest.approx(sum(by_hand) + (opus + sonnet) / 1e6, abs=1e-12)
    assert costs["usd"].sum() == pytest.approx(0.288920225, abs=1e-12)


@pytest.mark.parametrize("place", ["corpus", "transcripts"])
def test_every_grouping_of_real_sessions_adds_up_to_the_same_dollars(place: str) -> None:
    costs = labelled(cost(load([CORPUS.parent / place]).requests, load_prices()), "Europe/Berlin")
    whole = costs["usd"].sum()
    assert whole > 1
    for key in ("session_id", "thread_kind", "model", "project", "day", "week", "month"):
        assert by(costs, key)["usd"].sum() == pytest.approx(whole, rel=1e-12), key
    assert sum(costs[column].sum() for column in KINDS.values()) == pytest.approx(whole, rel=1e-12)
    untimed = costs.filter(pl.col("ts").is_null())["usd"].sum()
    assert blocks(costs)["usd"].sum() + untimed == pytest.approx(whole, rel=1e-12)
