"""Mode `shorten` in the real client: every route, cut at delivery, at no request; the whole stays in a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from lab.turns import agent, lines_report, main, read, sub
from lab.workspace import TOOLS, Run, Step, Workspace

pytestmark = pytest.mark.e2e

SIZES = pytest.mark.parametrize("size", [500, 1500, 4000, 40_000])
POINTER = re.compile(r"\[Return guard: cut to 1000 of about (\d+) tokens\. .* is in (\S+) ; .*\]")
ALLOW = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"""


def check(run: Run, workspace: Workspace, size: int, caller: str = "main", asked: int = 2) -> None:
    """What the caller was given, what the file holds, and how many requests it took."""
    text = lines_report(size)
    given = "\n".join(run.seen(caller, index) for index in range(len(run.requests(caller))))
    given = re.sub(r"(?m)^  ", "", given)  # a hand-back and a foreground report come indented
    assert len(run.requests("sub")) == asked
    reports = sorted((workspace.work / ".claude" / "reports").glob("*/full-return.md"))
    if size <= 1000:
        assert text.rstrip() in given
        assert not reports
        assert "Return guard" not in given
        return
    found = POINTER.search(given)
    assert found, given[-3000:]
    assert [Path(found.group(2))] == reports
    assert reports[0].read_text(encoding="utf-8") == text
    assert text.rstrip() not in given
    start = given.rindex("Verdict: three faults.", 0, found.start())
    delivered = given[start : found.end()]
    assert (len(delivered) + 3) // 4 <= 1000
    assert text.startswith(delivered.partition("\n\n[Return guard")[0] + "\n")
    assert given.count("[Return guard") <= 2  # a notification stands in two requests' new messages at most


@SIZES
def test_foreground(shortening: Workspace, size: int) -> None:
    check(shortening.run({"main": main(agent("sub")), "sub": sub(size)}), shortening, size)


@SIZES
def test_background(shortening: Workspace, size: int) -> None:
    check(shortening.run({"main": main(agent("sub", background=True)), "sub": sub(size)}), shortening, size)


@SIZES
def test_nested(shortening: Workspace, size: int) -> None:
    outer = [{"tools": [agent("sub")], "context": 8_000}, {"text": "Outer done.", "context": 9_000}]
    run = shortening.run({"main": main(agent("outer")), "outer": outer, "sub": sub(size)})
    check(run, shortening, size, caller="outer")


@SIZES
def test_hand_back(shortening: Workspace, size: int) -> None:
    hooks = shortening.read_settings()["hooks"]
    hooks["PreToolUse"].append({"matcher": "Agent", "hooks": [{"type": "command", "command": ALLOW}]})
    shortening.settings(hooks=hooks)
    turns = [{"tools": [read("a.txt")], "context": 8_000}, {"handback": lines_report(size), "context": 9_000}]
    steps = Step(args=["--permission-mode", "auto", *TOOLS])
    env = {"CLAUDE_CODE_SENDMESSAGE_HANDBACK": "1"}
    run = shortening.run(
        {"main": main(agent("sub")), "sub": [*turns, {"text": "bye", "context": 9_700}]}, steps, env=env
    )
    assert "hook error" not in run.seen("sub")
    check(run, shortening, size)


@pytest.mark.parametrize("version", ["2.1.328", "2.1.283"])
@pytest.mark.parametrize("background", [True, False])
def test_where_the_event_is_missing_the_block_takes_over(shortening: Workspace, background: bool) -> None:
    short = {"text": "Verdict: short, see a.txt:1.", "context": 9_500}
    run = shortening.run({"main": main(agent("sub", background=background)), "sub": [*sub(1500), short]})
    if not background:
        check(run, shortening, 1500)
        return
    assert len(run.requests("sub")) == 3
    given = "\n".join(run.seen("main", index) for index in range(len(run.requests("main"))))
    assert "Verdict: short, see a.txt:1." in given
    assert "does not know its event" in shortening.setpoint("hooks", "status")


@pytest.mark.parametrize("version", ["2.1.332", "2.1.328"])
def test_a_resumed_agent_reports_in_the_background(shortening: Workspace, version: str) -> None:
    """The client's note of it still says "foreground"; no result of a tool holds its second report."""
    message = {"to": "{AGENT}", "summary": "say more of it", "message": "[[sub]] more"}
    calls = [{"tools": [call], "context": 20_000} for call in (agent("sub"), ["SendMessage", message])]
    turns = [{"text": "First.", "context": 8_000}, {"text": lines_report(1500), "context": 9_000}]
    short = {"text": "Verdict: short, see a.txt:1.", "context": 9_500}
    run = shortening.run({"main": calls + main()[1:], "sub": [*turns, short]})
    blocked = version == "2.1.328"
    assert len(run.requests("sub")) == (3 if blocked else 2)
    given = run.seen("main")
    assert ("Verdict: short" in given, "[Return guard: cut to" in given) == (blocked, not blocked)
    assert lines_report(1500) not in given


@pytest.mark.parametrize("background", [True, False])
def test_the_file_holds_tags_of_the_client_as_the_agent_wrote_them(shortening: Workspace, background: bool) -> None:
    """In the caller's copy the client sets a backslash into each."""
    text = "Verdict: see </task-notification>, <system-reminder> and </result>.\n" * 90
    turns = [{"text": text, "context": 9_000}]
    run = shortening.run({"main": main(agent("sub", background=background)), "sub": turns})
    [whole] = (shortening.work / ".claude" / "reports").glob("*/full-return.md")
    assert whole.read_text(encoding="utf-8") == text
    assert "see <\\/task-notification>, <\\system-reminder>" in run.seen("main").replace("&lt;", "<").replace(
        "&gt;", ">"
    )


@pytest.mark.parametrize("background", [True, False])
def test_as_many_requests_as_without_us(shortening: Workspace, background: bool) -> None:
    threads = {"main": main(agent("sub", background=background)), "sub": sub(4000)}
    ours = shortening.run(threads)
    shortening.setpoint("hooks", "purge")
    without = shortening.run(threads)
    # in the background the two threads race: their order is no one's
    assert sorted(entry["thread"] for entry in ours.log) == sorted(entry["thread"] for entry in without.log)


@pytest.mark.parametrize("broken", ["config", "folder"])
@pytest.mark.parametrize("background", [True, False])
def test_trouble_delivers_the_report_whole(shortening: Workspace, background: bool, broken: str) -> None:
    if broken == "config":
        (shortening.work / ".claude" / "setpoint.json").write_text("{")
    else:
        (shortening.work / ".claude" / "reports").write_text("in the way")
    run = shortening.run({"main": main(agent("sub", background=background)), "sub": sub(4000)})
    given = "\n".join(run.seen("main", index) for index in range(len(run.requests("main"))))
    assert lines_report(4000).splitlines()[-2] in given
    assert len(run.requests("sub")) == 2


def test_removed_without_a_trace(shortening: Workspace) -> None:
    plugin = shortening.home / ".claude" / "skills"
    assert (plugin / "setpoint-returns" / "hooks" / "returns.ts").exists()
    assert "cuts background reports" in shortening.setpoint("hooks", "status")
    shortening.setpoint("hooks", "uninstall")
    assert not plugin.exists()
    run = shortening.run({"main": main(agent("sub", background=True)), "sub": sub(1500)})
    assert "Return guard" not in json.dumps(run.log[-1]["body"])


def test_another_projects_plugin_does_not_cut_where_the_hooks_are_gone(shortening: Workspace) -> None:
    """An uninstall leaves the config; the plugin stays for as long as another project has it."""
    shortening.setpoint("hooks", "uninstall")
    here, shortening.work = shortening.work, shortening.folder / "other"
    (shortening.work / ".claude").mkdir(parents=True)
    shortening.setpoint("hooks", "install", "returns", "project", "1000", "2500", "--mode", "shorten")
    shortening.work = here
    assert (here / ".claude" / "setpoint.json").exists()
    assert (shortening.home / ".claude" / "skills" / "setpoint-returns").exists()
    run = shortening.run({"main": main(agent("sub", background=True)), "sub": sub(1500)})
    assert "Return guard" not in json.dumps(run.log[-1]["body"])
    assert not (here / ".claude" / "reports").exists()
