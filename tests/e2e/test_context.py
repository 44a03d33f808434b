"""The context feature in the real client: told once, in the next request, judged by its own transcript."""

from typing import Any

import pytest
from lab.turns import agent, read
from lab.workspace import Run, Workspace

pytestmark = pytest.mark.e2e

GUARD, TURNS = "Context guard", "Turn guard"
DEFINITION = "---\nname: {name}\ndescription: d.\ntools: Read\nmaxTurns: {turns}\n---\nYou read files.\n"


@pytest.fixture
def told(workspace: Workspace) -> Workspace:
    workspace.write({f"f{n}.txt": f"file {n}\n" * 20 for n in range(9)})
    workspace.setpoint("hooks", "install", "context", "--scope", "project", "--yes")
    workspace.config(context={"maxTokens": 40_000})
    return workspace


def steps(*contexts: int) -> list[dict[str, Any]]:
    return [{"text": f"step {n}", "tools": [read(f"f{n % 9}.txt")], "context": size} for n, size in enumerate(contexts)]


def reporting(mark: str, *contexts: int) -> list[dict[str, Any]]:
    return [*steps(*contexts), {"text": f"Report of {mark}.", "context": contexts[-1] + 500}]


MAIN = [{"text": "All done.", "context": 200_000}]


def notes(run: Run, thread: str, word: str = GUARD) -> list[int]:
    """How often the word was added by each request of a thread."""
    return [run.new(thread, index).count(word) for index in range(len(run.requests(thread)))]


@pytest.mark.parametrize("version", ["2.1.332", "2.1.283"])
def test_past_the_bound_one_note_in_the_next_request(told: Workspace) -> None:
    """Early line at 25,000, bound at 40,000, again at 44,000 and not at 43,900."""
    main = [{"tools": [agent("sub")], "context": 90_000}, *MAIN]
    run = told.run({"main": main, "sub": reporting("sub", 24_999, 25_000, 39_999, 40_000, 43_900, 44_000, 44_500)})
    assert notes(run, "sub") == [0, 0, 1, 0, 1, 0, 1, 0]
    assert "bound is 40,000" in run.new("sub", 2)
    assert "40,000 tokens, past its bound of 40,000. Report now" in run.new("sub", 4)
    assert "Report of sub." in run.seen("main")
    assert notes(run, "main") == [0, 0]


def test_below_the_bound_and_in_main_nothing(told: Workspace) -> None:
    main = [{"tools": [agent("sub")], "context": 190_000}, {"tools": [read("f1.txt")], "context": 195_000}, *MAIN]
    run = told.run({"main": main, "sub": reporting("sub", 10_000, 20_000, 24_000)})
    assert sum(notes(run, "sub")) == sum(notes(run, "main")) == 0


def test_with_six_turns_the_note_comes_at_two_left_and_the_report_arrives(told: Workspace) -> None:
    told.write({".claude/agents/six.md": DEFINITION.format(name="six", turns=6)})
    main = [{"tools": [agent("sub", "six")], "context": 20_000}, *MAIN]
    run = told.run({"main": main, "sub": reporting("sub", 8_000, 8_100, 8_200, 8_300)})
    assert notes(run, "sub", TURNS) == [0, 0, 0, 0, 1]
    assert "2 turns are left of 6" in run.seen("sub")
    assert "Report of sub." in run.seen("main")


def test_both_notes_join_into_one_message(told: Workspace) -> None:
    told.write({".claude/agents/six.md": DEFINITION.format(name="six", turns=6)})
    main = [{"tools": [agent("sub", "six")], "context": 20_000}, *MAIN]
    run = told.run({"main": main, "sub": reporting("sub", 8_000, 16_000, 22_000, 41_000)})
    added = [m for m in run.requests("sub")[4]["body"]["messages"] if GUARD in str(m["content"])]
    assert len(added) == 1
    assert TURNS in str(added[0]["content"])


def test_a_nested_agent_is_judged_by_its_own_transcript(told: Workspace) -> None:
    outer = [{"tools": [agent("inner")], "context": 41_000}, {"text": "Outer report.", "context": 41_500}]
    main = [{"tools": [agent("outer")], "context": 20_000}, *MAIN]
    run = told.run({"main": main, "outer": outer, "inner": reporting("inner", 8_000, 9_000)})
    assert sum(notes(run, "inner")) == 0
    assert notes(run, "outer") == [0, 1]


def test_two_parallel_agents_do_not_mix(told: Workspace) -> None:
    main = [{"tools": [agent("big"), agent("small")], "context": 20_000}, *MAIN]
    threads = {
        "main": main,
        "big": reporting("big", 22_000, 41_000, 41_500),
        "small": reporting("small", 8_000, 9_000, 9_500),
    }
    run = told.run(threads)
    assert notes(run, "big") == [0, 0, 1, 0]
    assert notes(run, "small") == [0, 0, 0, 0]


def test_a_fork_counts_from_its_own_first_request(told: Workspace) -> None:
    main = [{"tools": [agent("sub", "fork")], "context": 60_000}, *MAIN]
    fork = reporting("sub", 61_000, 85_000, 101_000, 101_500)
    run = told.run({"main": [main[0], *fork, *MAIN, *MAIN]})
    said = [index for index, entry in enumerate(run.log) if GUARD in str(entry["body"]["messages"][-3:])]
    assert said, "the fork was never told"
    first = run.log[said[0]]
    assert "past its bound" in str(first["body"]["messages"]) or "its bound is 101,000" in str(
        first["body"]["messages"]
    )


def test_a_message_to_a_finished_agent_starts_its_turns_over(told: Workspace) -> None:
    told.write({".claude/agents/four.md": DEFINITION.format(name="four", turns=4)})
    resume = ["SendMessage", {"to": "{AGENT}", "summary": "more", "message": "[[sub]] go on"}]
    main = [
        {"tools": [agent("sub", "four")], "context": 20_000},
        {"tools": [["ToolSearch", {"query": "select:SendMessage"}]], "context": 20_500},
        {"tools": [resume], "context": 21_000},
        *[{"text": "Waiting.", "context": 22_000 + n} for n in range(3)],
    ]
    sub = [*reporting("sub", 8_000), *reporting("sub", 9_000, 9_100)]
    run = told.run({"main": main, "sub": sub})
    assert len(run.requests("sub")) == 5
    assert notes(run, "sub", TURNS) == [0, 0, 0, 0, 1]
