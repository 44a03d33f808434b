"""The replay on sessions of the real client: every decision worked out by hand from the scenario's texts and usage."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from measure.frames import Frames, load
from policy import replay
from policy.fit.inputs import priced
from policy.fit.runs import Thread, threads
from policy.prices import load as load_prices

SHARED = Path(__file__).resolve().parents[3] / "shared"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not (SHARED / "corpus").is_dir(), reason="needs ../shared/corpus"),
]
# (scenario, the text of the first answer in it, its UTF-16 units): est. tokens are units / 4, rounded up.
RETURNS = {
    ("15-stop-blocks", "addctx"): 60 * len("addctx LONG report "),  # 1140 -> 285
    ("15-stop-blocks", "exit2"): 60 * len("exit2 LONG report "),  # 1080 -> 270
    ("15-stop-blocks", "contfalse"): 60 * len("contfalse LONG report "),  # 1320 -> 330
    ("15-stop-blocks", "bgl"): 60 * len("bgl LONG report "),  # 960 -> 240
    ("15-stop-blocks", "wf"): 60 * len("wf LONG report "),  # 900 -> 225
    ("15-stop-blocks", "always"): 60 * len("always LONG 0 "),  # 840 -> 210
    ("16-updated-outputs", "s1"): 100 * len("s1 REPORT "),  # 1000 -> 250
    ("03-blocked-return", "last block"): 100 * len("LONG part two. "),  # 1500 -> 375
    ("30-handback", "LONG"): 200 * len("Finding: the value is at a.txt:1. "),  # 6800 -> 1700
    ("13-subagent-compaction", "end"): 211,  # 53
}
BY_HAND = {
    # (pass, file): what each of the ten gets
    (250, 1700): ["compress", "compress", "compress", "pass", "pass", "pass", "pass", "compress", "compress", "pass"],
    (249, 1699): ["compress", "compress", "compress", "pass", "pass", "pass", "compress", "compress", "file", "pass"],
    (269, 270): ["file", "compress", "file", "pass", "pass", "pass", "pass", "file", "file", "pass"],
    (52, 209): ["file", "file", "file", "file", "file", "file", "file", "file", "file", "compress"],
    (53, 210): ["file", "file", "file", "file", "file", "compress", "file", "file", "file", "pass"],
}


@pytest.fixture(scope="module")
def corpus() -> Frames:
    return load([SHARED / "corpus"])


@pytest.fixture(scope="module")
def runs(corpus: Frames) -> list[Thread]:
    from datetime import UTC, datetime

    prices = load_prices()
    return threads(priced(corpus, prices, datetime(2027, 1, 1, tzinfo=UTC)), prices)


def section(low: int, high: int, **more: Any) -> dict[str, Any]:
    return {"enabled": True, "passTokens": low, "fileTokens": high, **more}


def sessions_of(scenario: str) -> list[str]:
    return [path.stem for path in (SHARED / "corpus" / scenario / "projects").glob("*/*.jsonl")]


def decide(corpus: Frames, config: dict[str, Any]) -> list[str]:
    """The decision of each of the ten, in order. A size may occur in one session only once."""
    decided = replay.return_decisions(corpus.returns, config, {})
    found = []
    for (scenario, _), chars in RETURNS.items():
        hit = decided.filter(pl.col("session_id").is_in(sessions_of(scenario)) & (pl.col("first_chars") == chars))
        assert len(hit) == 1, (scenario, chars)
        assert hit["first_est_tokens"].item() == -(-chars // 4)
        found.append(hit["action"].item())
    return found


@pytest.mark.parametrize("limits", BY_HAND)
def test_ten_returns_are_decided_as_by_hand(corpus: Frames, limits: tuple[int, int]) -> None:
    assert decide(corpus, section(*limits)) == BY_HAND[limits]


def test_one_token_changes_exactly_the_decision_at_that_edge(corpus: Frames) -> None:
    everything = replay.return_decisions(corpus.returns, section(250, 1700), {})
    for low, high, size in ((249, 1700, 250), (250, 1699, 1700)):
        other = replay.return_decisions(corpus.returns, section(low, high), {})
        changed = everything.filter(everything["action"] != other["action"])
        assert changed["first_est_tokens"].unique().to_list() == [size]
        assert set(changed["first_est_tokens"]) == set(
            everything.filter(pl.col("first_est_tokens") == size)["first_est_tokens"]
        )


def test_types_modes_and_exemptions_hold_in_the_replay(corpus: Frames) -> None:
    assert set(decide(corpus, section(1, 2, mode="announce"))) == {"pass"}
    assert set(decide(corpus, section(1, 2, exempt=["general-*", "workflow-*"]))) == {"pass"}
    assert set(decide(corpus, section(1, 2, mode="shorten"))) == {"cut"}
    # Explore cannot write: it is asked to compress whatever the size.
    explore = corpus.returns.filter(pl.col("agent_type") == "Explore")
    assert set(replay.return_decisions(explore, section(1, 2), {})["action"]) == {"compress"}


def curve(runs: list[Thread], scenario: str, agent_type: str) -> Thread:
    (found,) = [r for r in runs if r.session in sessions_of(scenario) and r.party == agent_type]
    return found


def test_three_context_curves_are_told_as_by_hand(runs: list[Thread]) -> None:
    grown = curve(runs, "13-subagent-compaction", "general-purpose")
    assert grown.context.tolist() == [35_000, 50_000, 65_000, 80_000, 25_000, 30_000, 31_000]
    worker = curve(runs, "19-policy-per-type", "general-purpose")
    assert worker.context.tolist() == [10_000, 20_000, 35_000, 45_000, 55_000, 62_000, 15_000, 20_000, 26_000]
    reader = curve(runs, "19-policy-per-type", "Explore")
    assert reader.context.tolist() == [10_000, 20_000, 35_000, 45_000, 12_000, 20_000, 25_000, 26_000]

    def told(thread: Thread, bound: int) -> tuple[int | None, tuple[int, ...]]:
        (found,) = replay.context_decisions([thread], {"maxTokens": bound})
        return found.wrap_up, found.report

    # Bound 50,000, early line 35,000, then every 5,000: 35k wrap-up; 50k, 65k (level 5), 80k (level 8) report.
    # 25k is half of the bound and not below it, so the level stays: no second round.
    assert told(grown, 50_000) == (0, (1, 2, 3))
    assert told(grown, 50_001) == (1, (2, 3))
    # 35k wrap-up, 45k nothing new, 55k and 62k report; after the compaction (15k) everything starts over below.
    assert told(worker, 50_000) == (2, (4, 5))
    # A bound of 45,000 is reached on the token by the fourth request of both; one more and the reader never is.
    assert told(reader, 45_000) == (2, (3,))
    assert told(reader, 45_001) == (2, ())
    assert told(worker, 45_000) == (2, (3, 4, 5))
    # 55k lies 9,999 past 45,001: two steps of 4,500, so it is a new level in both.
    assert told(worker, 45_001) == (2, (4, 5))


def test_turns_left_comes_once_with_two_to_go(runs: list[Thread]) -> None:
    worker = curve(runs, "19-policy-per-type", "general-purpose")
    for limit, step in ((9, 6), (6, 3), (3, 0), (11, None), (10, 7)):
        (found,) = replay.context_decisions([worker], {"maxTokens": 10**9}, max_turns=limit)
        assert found.turns_left == step, limit


def test_compaction_points_by_hand(runs: list[Thread]) -> None:
    worker = curve(runs, "19-policy-per-type", "general-purpose")
    # Growth 10, 10, 15, 10, 10, 7, 0 (the real compaction), 5, 6 thousand: 10 20 35 45 55 62 62 67 73 without one.
    base = {"general-purpose": 15_000.0}

    def forced(point: int) -> tuple[int, ...]:
        config = {"subagent": {"forceAt": point, "nudgeFrom": 10_000}}
        return replay.compaction_decisions([worker], config, base)[0].forced

    # At 45k after the fourth request: 15k, then 25 32 32 37 43: below.
    assert forced(45_000) == (3,)
    assert forced(45_001) == (4,)
    # 62k after the sixth: 15k, then 15 20 26.
    assert forced(62_000) == (5,)
    assert forced(62_001) == (7,)
    assert forced(67_001) == ()
    # 35k after the third, 15k, then 25 35: again after the fifth, three requests would be a quick refill only below.
    assert forced(35_000) == (2, 4)


def test_replay_of_the_public_transcripts_decides_every_return_of_known_size() -> None:
    frames = load([SHARED / "transcripts"])
    decided = replay.return_decisions(frames.returns, section(1000, 2500), {})
    assert decided.filter(pl.col("first_est_tokens").is_null())["action"].is_null().all()
    known = decided.filter(pl.col("first_est_tokens").is_not_null())
    passed = known.filter(pl.col("first_est_tokens") <= 1000)
    assert set(passed["action"]) == {"pass"}
    assert "pass" not in known.filter(pl.col("first_est_tokens") > 1000)["action"].to_list()
    assert known["action"].is_not_null().all()
