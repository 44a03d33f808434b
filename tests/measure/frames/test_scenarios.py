"""The sessions of the lab, whose scripts say what every agent wrote: sizes worked out by hand from the scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from measure.columns import FRAMES, schema
from measure.frames import Frames, load

SHARED = Path(__file__).resolve().parents[4] / "shared"
pytestmark = pytest.mark.shared

COLUMNS = ("agent_type", "route", "chars", "est_tokens", "caller_chars", "tried", "first_chars", "first_est_tokens")


def returns(folder: str) -> list[tuple[Any, ...]]:
    return load([SHARED / "corpus" / folder]).returns.sort("agent_type", "route").select(COLUMNS).rows()


def test_huge_returns() -> None:
    """Both agents write 6,000 lines "00000 line of the report" of 24 letters and a line feed: 25 x 6,000 = 150,000.

    The foreground one is replaced by a preview: "<persisted-output>", the size, the path and 2 KB, 2,294 in all.
    The background one arrives as 99,323, with a mark of 40 in the middle that says that 50,717 are missing:
    99,323 - 40 + 50,717 = 150,000; with the notification around it the caller read 100,050.
    """
    assert returns("23-huge-returns") == [
        ("general-purpose", "notification", 150_000, 37_500, 100_050, 0, 150_000, 37_500),
        ("general-purpose", "tool_result", 150_000, 37_500, 2_294, 0, 150_000, 37_500),
    ]


def test_hand_back() -> None:
    """First "Finding: the value is at a.txt:1. " of 34 characters, 200 times = 6,800, est. 1,700: refused by the hook.

    Then "short report a.txt:1": 20 characters, est. 5. The caller read the agent-message, 741 characters with frame.
    """
    assert returns("30-handback") == [("general-purpose", "handback", 20, 5, 741, 1, 6_800, 1_700)]


def test_background_agents() -> None:
    """sub1 ends with two text blocks; only the last is the report: "sub1 final part two." is 20 characters.

    "sub2 final" and "sub3 final" are 10 each. The notification around them has 722 characters, 723 for the
    descriptions "second job" and "custom job" that are one letter longer than "first job".
    """
    assert returns("02-background-agents") == [
        ("Explore", "notification", 10, 3, 733, 0, 10, 3),
        ("custom-one", "notification", 10, 3, 733, 0, 10, 3),
        ("general-purpose", "notification", 20, 5, 742, 0, 20, 5),
    ]


def test_stop_blocks() -> None:
    """Every way to block: the first attempts are "addctx LONG report " x 60 = 1,140, "exit2 LONG report " x 60 = 1,080,
    "always LONG 0 " x 60 = 840 (blocked eight times, then the client delivers), "bgl LONG report " x 60 = 960,
    "wf LONG report " x 60 = 900; "contfalse LONG report " x 60 = 1,320 is delivered as it is."""
    rows = load([SHARED / "corpus" / "15-stop-blocks"]).returns.select("route", "chars", "tried", "first_chars").rows()
    assert sorted(rows) == [
        ("notification", 11, 1, 960),
        ("tool_result", 13, 1, 1080),
        ("tool_result", 14, 1, 1140),
        ("tool_result", 840, 8, 840),
        ("tool_result", 1320, 0, 1320),
        ("workflow", 10, 1, 900),
    ]


def test_nested_parallel_and_limited_agents() -> None:
    frames = load([SHARED / "corpus" / "04-parallel-nested", SHARED / "corpus" / "11-maxturns-fork-models"])
    runs = frames.agents.filter(pl.col("agent_id").is_not_null())
    assert runs.filter(pl.col("depth") == 2).select("mode", "status", "returns").rows() == [
        ("foreground", "completed", 1)
    ]
    fork = runs.filter(pl.col("mode") == "fork").row(0, named=True)
    # the main thread's request that launched it had 21,000 tokens; its own are of 21,500 and 22,000
    assert (fork["inherited_tokens"], fork["first_context_tokens"], fork["requests"]) == (21_000, 21_500, 2)
    limited = runs.filter(pl.col("agent_type") == "two-turns")
    assert limited.select("status", "requests", "returns").rows() == [("limit", 2, 1)]


def test_dead_and_interrupted_agents() -> None:
    dead = load([SHARED / "corpus" / "17-agent-dies"]).agents.filter(pl.col("agent_id").is_not_null())
    stopped = load([SHARED / "corpus" / "08-interrupted"]).agents.filter(pl.col("agent_id").is_not_null())
    assert dead.select("status", "returns").rows() == [("failed", None)]
    assert stopped.select("status", "returns").rows() == [("stopped", None)]


def test_repeat_reads() -> None:
    """a.txt has 200 lines "line 0" to "line 199": 10 x 7 + 90 x 8 + 100 x 9 = 1,690 characters with line feeds.

    Read adds a number and a tab to each: 9 x 1 + 90 x 2 + 101 x 3 + 200 = 692, and the empty line "201" and a tab.
    Whole file: 1,690 + 692 + 4 = 2,386. Its first ten lines: 70 - 1 + 11 + 10 = 90. An Edit clears it, and so does
    `>>`, which is seen in the last line.
    """
    rows = load([SHARED / "corpus" / "06-repeat-reads-bash"]).reads.select("chars", "repeat", "avoidable_chars").rows()
    assert rows == [
        (2_386, "none", 0),
        (2_386, "same", 2_386),
        (90, "contained", 90),
        (90, "same", 90),
        (2_390, "none", 0),
        (2_399, "none", 0),
    ]


@pytest.fixture(scope="module")
def everything() -> Frames:
    return load([SHARED / "transcripts", SHARED / "corpus"])


def test_every_frame_has_its_schema_on_all_data(everything: Frames) -> None:
    for name in FRAMES:
        assert everything.frame(name).schema == schema(name)
        assert everything.frame(name).height > 0


def test_sums_over_agents_are_the_sums_over_requests(everything: Frames) -> None:
    for name in ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"):
        assert everything.agents[name].sum() == everything.requests[name].sum()
    assert everything.agents["requests"].sum() == everything.requests.height
    assert everything.agents["compactions"].sum() == everything.compactions.height
    assert everything.agents["returns"].sum() == everything.returns.filter(pl.col("agent_id").is_not_null()).height
    keys = everything.agents.select("session_id", "agent_id")
    assert keys.height == keys.unique().height


def test_the_client_says_the_same_of_each_agents_last_request(everything: Frames) -> None:
    """toolUseResult.totalTokens is the context and output of the last request, wherever its figures were written."""
    from measure.frames.ownership import prepare
    from measure.transcripts.find import listing
    from measure.transcripts.scan import scan

    raw = prepare(scan(listing([SHARED / "transcripts", SHARED / "corpus"])))
    said = raw["agent_results"].filter(pl.col("last_tokens") > 0, pl.col("result_agent").is_not_null())
    said = said.select("session_id", pl.col("result_agent").alias("agent_id"), "last_tokens")
    last = everything.requests.sort("step").group_by("session_id", "agent_id").last()
    both = said.join(last, on=("session_id", "agent_id")).filter(~pl.col("output_is_lower_bound"))
    # e1c84ba5 is a hand-made fixture of three rows; the file of af94988 lacks its last text
    both = both.filter(~pl.col("agent_id").is_in(["e1c84ba5", "af94988"]))
    assert both.height >= 30
    assert both.select((pl.col("context_tokens") + pl.col("output_tokens") == pl.col("last_tokens")).all()).item()


def test_a_report_that_nothing_cut_is_the_agents_last_text(everything: Frames) -> None:
    """Two sources for one size: the delivery, and the agent's own file."""
    rows = everything.returns.filter(pl.col("tried") == 0, pl.col("first_chars") != pl.col("chars"))
    # 16-updated-outputs: a hook put 17 characters in the place of "s1 REPORT " x 100
    assert rows.select("chars", "first_chars").rows() == [(17, 1_000)]


def test_no_frame_holds_text_of_a_message(everything: Frames) -> None:
    """Every string is an id, a name, a path or a word from a short list: the longest are paths."""
    for name in FRAMES:
        frame = everything.frame(name)
        for column in frame.columns:
            if frame[column].dtype == pl.String:
                longest = frame[column].str.len_chars().max() or 0
                assert longest < 260, (name, column)  # type: ignore[operator]
                assert not frame[column].str.contains("\n").any(), (name, column)
