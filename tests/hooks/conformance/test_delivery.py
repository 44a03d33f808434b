"""PostToolUse Agent with `"shorten": "foreground"`: the caller's copy is cut, the whole stays in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooks.runtime.returns import est_tokens

REPORT = "Verdict: three faults.\n" + "".join(f"- fault {n} at src/a.py:{n}, of the second kind\n" for n in range(400))
NOTE = {"type": "text", "text": "<tools-used-before-summary>Read</tools-used-before-summary>\n"}


def finished(events: Any, text: str = REPORT, **response: Any) -> dict[str, Any]:
    """A PostToolUse event of a foreground agent that is done."""
    base: dict[str, Any] = events["start"]()
    given = {
        "status": "completed",
        "prompt": "job",
        "agentId": base.pop("agent_id"),
        "agentType": base.pop("agent_type"),
        "harnessNoteCount": 1,
        "harnessTailCount": 0,
        "content": [NOTE, {"type": "text", "text": text}],
        "usage": {"input_tokens": 1, "cost": 0.5},
        "canContinueAgent": True,
    }
    tool = {"tool_name": "Agent", "tool_input": {"prompt": "job"}, "tool_response": {**given, **response}}
    return {**base, "hook_event_name": "PostToolUse", "tool_use_id": "toolu_1", **tool}


def output_of(said: Any) -> Any:
    """The replacement, None where there is none."""
    return said.answer.get("hookSpecificOutput", {}).get("updatedToolOutput")


@pytest.mark.parametrize("tool", ["Agent", "Task"])
def test_a_long_report_is_cut_and_kept(copy: Any, events: Any, tool: str) -> None:
    copy.returns(shorten="foreground")
    event = {**finished(events), "tool_name": tool}
    output = output_of(copy.ask(event))
    short = output["content"][1]["text"]
    assert output == {**event["tool_response"], "content": [NOTE, {"type": "text", "text": short}]}
    head, _, pointer = short.rpartition("\n\n")
    assert REPORT.startswith(head + "\n")
    assert est_tokens(short) <= 1000
    path = Path(pointer.partition(" is in ")[2].partition(" ; ")[0])
    assert path.read_text() == REPORT
    assert path.is_relative_to(copy.project / ".claude" / "reports")
    assert "cut to 1000 of about" in pointer


def test_off_by_default(copy: Any, events: Any) -> None:
    copy.returns()
    assert copy.ask(finished(events)).silent


@pytest.mark.parametrize("value", [True, "on", "all", None, 1])
def test_any_other_value_is_off(copy: Any, events: Any, value: Any) -> None:
    copy.returns(shorten=value)
    assert copy.ask(finished(events)).silent


def test_a_report_that_fits_is_untouched(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    assert copy.ask(finished(events, "x" * 4000)).silent
    assert not (copy.project / ".claude" / "reports").exists()


def test_the_mode_shorten_cuts_foreground_reports_too(copy: Any, events: Any) -> None:
    copy.returns(mode="shorten")
    assert output_of(copy.ask(finished(events)))


def test_announce_never_cuts(copy: Any, events: Any) -> None:
    copy.returns(mode="announce", shorten="foreground")
    assert copy.ask(finished(events)).silent


def test_exempt_types_are_never_cut(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground", exempt=["general-*"])
    assert copy.ask(finished(events)).silent


@pytest.mark.parametrize(
    "response",
    [
        {"status": "async_launched"},
        {"status": None},
        {"content": None},
        {"content": []},
        {"content": [NOTE]},
        {"content": "x" * 9000},
        {"content": [NOTE, {"type": "image"}]},
        {"content": [NOTE, {"type": "text", "text": 5}]},
        {"content": [NOTE, "x" * 9000]},
        {"harnessNoteCount": "1"},
        {"harnessNoteCount": -1},
        {"harnessNoteCount": 9},
        {"agentType": ""},
        {"agentType": None},
        {"agentId": None},
    ],
    ids=str,
)
def test_results_of_another_shape_are_left_alone(copy: Any, events: Any, response: dict[str, Any]) -> None:
    copy.returns(shorten="foreground")
    assert copy.ask(finished(events, **response)).silent


def test_an_error_text_is_left_alone(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    event = {**finished(events), "tool_response": "Error: Agent terminated early " + "x" * 9000}
    assert copy.ask(event).silent


def test_notes_at_the_end_stay(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    content = [NOTE, {"type": "text", "text": REPORT}, {"type": "text", "text": "tail"}]
    output = output_of(copy.ask(finished(events, content=content, harnessTailCount=1)))
    assert [output["content"][0], output["content"][2]] == [NOTE, {"type": "text", "text": "tail"}]


def test_a_report_in_several_blocks_is_one(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    halves = [{"type": "text", "text": REPORT[:9000]}, {"type": "text", "text": REPORT[9000:]}]
    output = output_of(copy.ask(finished(events, content=halves, harnessNoteCount=0)))
    assert len(output["content"]) == 1


def test_never_a_block_and_a_cut(copy: Any, events: Any) -> None:
    """An agent that was blocked (no note tells that it runs in the foreground) is not cut after that."""
    copy.returns(shorten="foreground")
    event = finished(events)
    ids = {"session_id": event["session_id"], "agent_id": event["tool_response"]["agentId"]}
    assert copy.ask(events["stop"](REPORT, **ids)).order
    assert copy.ask(event).silent


def noted(tmp_path: Path, note: object) -> str:
    """A transcript path with the client's note of the run beside it."""
    (tmp_path / "agent-a1.meta.json").write_text(json.dumps(note))
    return str(tmp_path / "agent-a1.jsonl")


@pytest.mark.parametrize(
    ("note", "passes"),
    [
        ({"requestShape": "foreground"}, True),
        ({"requestShape": "background"}, False),
        ({"requestShape": "foreground", "inWorkflowRun": True}, False),
        ({}, False),
        ([], False),
    ],
    ids=str,
)
def test_the_stop_leaves_a_foreground_agent_to_the_cut(
    copy: Any, events: Any, tmp_path: Path, note: object, passes: bool
) -> None:
    copy.returns(shorten="foreground")
    event = events["stop"](REPORT, agent_transcript_path=noted(tmp_path, note))
    assert copy.ask(event).silent == passes


def test_a_folder_that_cannot_be_made_leaves_the_report_whole(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    (copy.project / ".claude" / "reports").write_text("in the way")
    assert copy.ask(finished(events)).silent


def test_numbers_and_nulls_come_back_as_they_were(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    odd = {"a": None, "b": [True, False, 1.5, -3, 1e300, 12345678901234567890, 'é\ud83d"\\\n'], "c": {}}
    assert output_of(copy.ask(finished(events, odd=odd)))["odd"] == odd
