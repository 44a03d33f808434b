"""Mode `shorten` over the installed copy: which route is cut here, left to the client's plugin, or blocked."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hooks.runtime.returns import est_tokens
from hooks.runtime.routes import PLUGIN_FILES

REPORT = "Verdict: three faults.\n" + "".join(f"- fault {n} at src/a.py:{n}, of the second kind\n" for n in range(400))
FOREGROUND, BACKGROUND = {"requestShape": "foreground"}, {"requestShape": "background"}
WORKFLOW = {"requestShape": "foreground", "inWorkflowRun": True}


def noted(tmp_path: Path, note: object, version: str | None = "2.1.332") -> str:
    """A transcript path, its last record of that version, with the client's note of the run beside it."""
    (tmp_path / "agent-a1.meta.json").write_text(json.dumps(note))
    rows = [{"type": "user", "version": "1.0.1"}, {"type": "assistant", **({"version": version} if version else {})}]
    text = "\n".join(json.dumps(row, separators=(",", ":")) for row in (rows if version else rows[1:]))
    (tmp_path / "agent-a1.jsonl").write_text(text + "\n")
    return str(tmp_path / "agent-a1.jsonl")


@pytest.mark.parametrize(
    ("note", "version", "there", "passes"),
    [
        (FOREGROUND, "2.1.332", True, True),
        (FOREGROUND, "2.1.197", False, True),
        (BACKGROUND, "2.1.332", True, True),
        (BACKGROUND, "2.1.330", True, True),
        (BACKGROUND, "2.2.0", True, True),
        (BACKGROUND, "3.0.0", True, True),
        (BACKGROUND, "2.1.332", False, False),
        (BACKGROUND, "2.1.328", True, False),
        (BACKGROUND, "2.0.999", True, False),
        (BACKGROUND, "next", True, False),
        (BACKGROUND, None, True, False),
        (WORKFLOW, "2.1.332", True, True),
        (WORKFLOW, "2.1.332", False, False),
        (WORKFLOW, "2.1.328", True, False),
        ({}, "2.1.332", True, False),
        ([], "2.1.332", True, False),
    ],
    ids=str,
)
def test_the_stop_leaves_to_the_cut_what_will_be_cut(
    copy: Any, events: Any, tmp_path: Path, note: object, version: str | None, there: bool, passes: bool
) -> None:
    copy.returns(mode="shorten")
    if there:
        copy.plugin()
    event = events["stop"](REPORT, agent_transcript_path=noted(tmp_path, note, version))
    assert copy.ask(event).silent == passes


@pytest.mark.parametrize("missing", PLUGIN_FILES)
def test_half_a_plugin_is_none(copy: Any, events: Any, tmp_path: Path, missing: str) -> None:
    copy.returns(mode="shorten")
    copy.plugin(without=missing)
    assert copy.ask(events["stop"](REPORT, agent_transcript_path=noted(tmp_path, BACKGROUND))).order


@pytest.mark.parametrize("name", ["settings.local.json", "settings.json"])
def test_a_plugin_that_the_user_switched_off_is_none(copy: Any, events: Any, tmp_path: Path, name: str) -> None:
    copy.returns(mode="shorten")
    copy.plugin()
    (copy.project / ".claude" / name).write_text('{"enabledPlugins": {"setpoint-returns@skills-dir": false}}')
    assert copy.ask(events["stop"](REPORT, agent_transcript_path=noted(tmp_path, BACKGROUND))).order


def test_the_plugin_is_none_for_a_project_where_it_finds_no_copy(copy: Any, events: Any, tmp_path: Path) -> None:
    copy.returns(mode="shorten")
    copy.plugin(installed=False)
    assert copy.ask(events["stop"](REPORT, agent_transcript_path=noted(tmp_path, BACKGROUND))).order


@pytest.mark.parametrize("section", [{"mode": "shorten"}, {"shorten": "foreground"}], ids=str)
@pytest.mark.parametrize("status", ["completed", "async_launched"])
def test_what_an_agent_reports_after_its_calls_result_is_blocked_as_a_notification(
    copy: Any, events: Any, tmp_path: Path, section: dict[str, Any], status: str
) -> None:
    """Resumed by a message, or sent to the background: the client's note still says "foreground"."""
    copy.returns(**section)
    stop = events["stop"](REPORT, agent_transcript_path=noted(tmp_path, FOREGROUND, "2.1.328"))
    response = {"status": status, "agentId": stop["agent_id"], "content": [{"type": "text", "text": "Short."}]}
    tool = {"tool_name": "Agent", "tool_input": {"subagent_type": "general-purpose"}, "tool_response": response}
    event = {**events["start"](), "session_id": stop["session_id"], "hook_event_name": "PostToolUse", **tool}
    del event["agent_id"], event["agent_type"]
    assert copy.ask(stop).silent
    assert copy.ask(event).silent
    assert copy.ask(stop).order


def test_where_nothing_can_cut_the_whole_is_saved_and_a_short_answer_asked(copy: Any, events: Any) -> None:
    copy.returns(mode="shorten")
    said = copy.ask(events["stop"](REPORT))
    [whole] = (copy.project / ".claude" / "reports").glob("*/full-return.md")
    assert f"already saved as {whole} " in said.order
    assert whole.read_text() == REPORT


def test_the_middle_tier_compresses(copy: Any, events: Any) -> None:
    copy.returns(mode="shorten")
    assert "same answer again" in copy.ask(events["stop"]("x" * 6000)).order


@pytest.mark.parametrize("keep", ["head", "head+tail"])
def test_a_hand_back_is_cut_in_its_call(copy: Any, events: Any, keep: str) -> None:
    copy.returns(mode="shorten", keep=keep)
    event = events["handback"](REPORT)
    event["tool_input"]["more"] = {"a": 1}
    given = copy.ask(event).answer["hookSpecificOutput"]["updatedInput"]
    assert given["more"] == {"a": 1}
    assert est_tokens(given["message"]) <= 1000
    assert given["message"].startswith("Verdict: three faults.\n- fault 0")
    assert given["message"].endswith("kind\n" if keep == "head+tail" else "]")
    [whole] = (copy.project / ".claude" / "reports").glob("*/full-return.md")
    assert whole.read_text() == REPORT
    stopped = events["stop"](REPORT, agent_id=event["agent_id"], session_id=event["session_id"])
    assert copy.ask(stopped).silent


def test_a_short_hand_back_is_untouched(copy: Any, events: Any) -> None:
    copy.returns(mode="shorten")
    assert copy.ask(events["handback"]("x" * 4000)).silent


def test_only_foreground_is_cut_in_mode_block(copy: Any, events: Any) -> None:
    copy.returns(shorten="foreground")
    assert "permissionDecision" in copy.ask(events["handback"](REPORT)).answer["hookSpecificOutput"]


@pytest.mark.parametrize("route", ["handback", "stop"])
def test_a_folder_that_cannot_be_made_delivers_the_report_whole(copy: Any, events: Any, route: str) -> None:
    copy.returns(mode="shorten")
    (copy.project / ".claude" / "reports").write_text("in the way")
    assert copy.ask(events[route](REPORT)).silent


def test_the_contract_names_no_file(copy: Any, events: Any) -> None:
    copy.returns(mode="shorten")
    note = copy.ask(events["start"]()).note
    assert "1000 tokens" in note
    assert "file and return" not in note


@pytest.mark.parametrize(("days", "kept"), [(None, [1, 29]), (10, [1]), ("x", [1, 29]), (100, [1, 29, 31])])
def test_old_reports_of_ours_go_once_a_day(copy: Any, events: Any, days: Any, kept: list[int]) -> None:
    copy.returns(keepDays=days)
    for path in (copy.home / "log").glob("*"):
        path.unlink()
    folder = copy.project / ".claude" / "reports"
    for age in (1, 29, 31):
        made = folder / f"20260101-000000_x-{age:08}"
        made.mkdir(parents=True)
        for name in ("full-return.md", "report.md"):
            (made / name).write_text("x")
            os.utime(made / name, (time.time() - age * 86_400,) * 2)
    others = ["mine", "my-notes-on-it_all-kept", "meetings-monday_x-1", "20260101-000000_x", "20260101_x-1"]
    for name in others:
        (folder / name).mkdir()
        (folder / name / "full-return.md").write_text("x")
        os.utime(folder / name / "full-return.md", (1, 1))
    copy.ask(events["stop"]("short"))
    assert [age for age in (1, 29, 31) if (folder / f"20260101-000000_x-{age:08}" / "full-return.md").exists()] == kept
    assert len(list(folder.glob("*/report.md"))) == 3
    assert all((folder / name / "full-return.md").exists() for name in others)


def test_an_emptied_report_folder_goes_too(copy: Any, events: Any) -> None:
    copy.returns()
    for path in (copy.home / "log").glob("*"):
        path.unlink()
    made = copy.project / ".claude" / "reports" / "20200101-000000_x-00000000"
    made.mkdir(parents=True)
    (made / "full-return.md").write_text("x")
    os.utime(made / "full-return.md", (1, 1))
    copy.ask(events["stop"]("short"))
    assert not made.exists()
