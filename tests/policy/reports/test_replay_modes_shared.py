"""Five returns of public transcripts that shortening would have cut, worked out by hand from their records."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from measure.frames import load
from policy.prices import load as load_prices
from policy.reports.replay import Options
from policy.reports.replay_modes import build

SHARED = Path(__file__).resolve().parents[4] / "shared"
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")]
MODES = ["announce", "block", "shorten"]
# est. tokens -> (characters beyond 1000 est. tokens, characters a token, carry of a token by hand in $ per M)
BY_HAND = {
    3781: (15121 - 4000, 2.7029, 10 + 3 * 0.5),  # opus 4.6, cached for 1 h: one write, three later reads
    3371: (13481 - 4000, 3.2353, 6.25),  # opus 4.5, 5 min: one write, no later request
    1835: (7339 - 4000, 2.7029, 10 + 6 * 0.5),
    1948: (7789 - 4000, 4.0, 6 + 4 * 0.3),  # sonnet 4.6, 1 h; too few steps for a factor of its own: 4
    1693: (6769 - 4000, 2.7029, 10 + 13 * 0.5),
}


@pytest.fixture(scope="module")
def report() -> object:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    options = Options({"returns": {}}, {}, load_prices(), now, ("returns",), list_runs=True)
    return build(load([SHARED / "transcripts"]), options, MODES)


@pytest.mark.parametrize("size", BY_HAND)
def test_a_cut_return_by_hand(report: object, size: int) -> None:
    """Tokens exactly; dollars lie below tokens x carry by a fifth of a read-back of the whole, and above nothing."""
    beyond, per_token, carry = BY_HAND[size]
    runs = report.extra["runs"]  # type: ignore[attr-defined]
    [run] = [one for one in runs if one["mode"] == "shorten" and one["size"] == size]
    assert run["decision"] == "cut"
    assert run["saved_tokens"] == pytest.approx(beyond / per_token, rel=1e-4)
    gross = beyond / per_token * carry / 1e6
    assert 0 < run["saved_usd"] < gross
    assert gross - run["saved_usd"] < 0.2 * (gross * size / (size - 1000) + 0.15)


def test_one_row_a_mode_with_its_intervals(report: object) -> None:
    rows = {row["mode"]: row for row in report.rows}  # type: ignore[attr-defined]
    assert list(rows) == MODES
    assert (rows["announce"]["acted"], rows["announce"]["saved_usd"]) == (0, 0)
    assert {row["n"] for row in rows.values()} == {33}
    assert rows["block"]["acted"] == rows["shorten"]["acted"] == 7
    assert rows["shorten"]["saved_usd"] > 0 > rows["block"]["saved_usd"]
    for row in rows.values():
        assert row["usd_interval"][0] <= row["saved_usd"] <= row["usd_interval"][1]
    assert report.extra["recommended"] in MODES  # type: ignore[attr-defined]
