"""The return budget in the real client: every route a report can take, at 500, 1500 and 4000 est. tokens."""

import re

import pytest
from lab.turns import agent, read, report
from lab.workspace import TOOLS, Run, Step, Workspace

pytestmark = pytest.mark.e2e

BOTH = pytest.mark.parametrize("version", ["2.1.332", "2.1.283"])
SIZES = pytest.mark.parametrize("size", [500, 1500, 4000])
SHORT = "Verdict: short, see a.txt:1."
FEEDBACK = "Stop hook feedback"
ORDER = "Return guard"
FOLDER = re.compile(r"/\.claude/reports/\d{8}-\d{6}_[a-z0-9-]+-[A-Za-z0-9]{8}")
WORKFLOW = """export const meta = {name: 'probe', description: 'one agent'};
return await agent('[[sub]] job', {label: 'one'%s});
"""


@pytest.fixture
def guarded(workspace: Workspace) -> Workspace:
    workspace.write({"a.txt": "alpha\n"})
    workspace.setpoint("hooks", "install", "returns", "--scope", "project", "--yes")
    return workspace


def sub(size: int) -> list[dict[str, object]]:
    """Reads, reports, and reports shortly when it is asked again."""
    return [
        {"tools": [read("a.txt")], "context": 8_000},
        {"text": report(size), "context": 9_000},
        {"text": SHORT, "context": 9_500},
    ]


def main(*calls: object) -> list[dict[str, object]]:
    """Starts agents, then waits for what comes."""
    return [
        {"tools": list(calls), "context": 20_000},
        *[{"text": "Waiting.", "context": 21_000 + 100 * n} for n in range(4)],
    ]


def delivered(run: Run) -> str:
    """All that the parent was given."""
    return "\n".join(run.seen("main", index) for index in range(len(run.requests("main"))))


def check(run: Run, size: int, thread: str = "sub") -> None:
    """Blocked exactly once where the report is too long, and the parent has the right one."""
    blocked = size > 1000
    assert len(run.requests(thread)) == (3 if blocked else 2)
    blocks = [row for row in run.rows(thread) if row["type"] == "user" and FEEDBACK in str(row["message"]["content"])]
    assert len(blocks) == (1 if blocked else 0)
    assert (ORDER in run.seen(thread)) == blocked
    assert (SHORT in delivered(run)) == blocked
    assert (report(size)[:1500] in delivered(run)) != blocked
    first = run.seen(thread, 0)
    assert "Return budget" in first
    assert "1000 tokens" in first
    assert "2500 tokens" in first


def check_tier(run: Run, size: int, thread: str = "sub") -> None:
    """The file order names an absolute folder of the project; the compress order names none."""
    found = FOLDER.search(run.seen(thread))
    assert bool(found) == (size > 2500)
    if found:
        assert re.search(r"/\S*/work/\.claude/reports/", run.seen(thread))


@BOTH
@SIZES
def test_foreground(guarded: Workspace, size: int) -> None:
    run = guarded.run({"main": main(agent("sub")), "sub": sub(size)})
    check(run, size)
    check_tier(run, size)


@BOTH
@SIZES
def test_background(guarded: Workspace, size: int) -> None:
    run = guarded.run({"main": main(agent("sub", background=True)), "sub": sub(size)})
    check(run, size)
    check_tier(run, size)


@BOTH
@SIZES
def test_workflow(guarded: Workspace, size: int) -> None:
    run = guarded.run({"main": main(["Workflow", {"script": WORKFLOW % ""}]), "sub": sub(size)})
    check(run, size)
    check_tier(run, size)


@SIZES
def test_handback(guarded: Workspace, size: int) -> None:
    """Auto mode: denied once at the hand-back tool, never at the stop that follows."""
    allow = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"""
    hooks = guarded.read_settings()["hooks"]
    hooks["PreToolUse"].append({"matcher": "Agent", "hooks": [{"type": "command", "command": allow}]})
    guarded.settings(hooks=hooks)
    turns = [{"tools": [read("a.txt")], "context": 8_000}, {"handback": report(size), "context": 9_000}]
    turns += [{"handback": SHORT, "context": 9_500}] if size > 1000 else []
    steps = Step(args=["--permission-mode", "auto", *TOOLS])
    env = {"CLAUDE_CODE_SENDMESSAGE_HANDBACK": "1"}
    run = guarded.run({"main": main(agent("sub")), "sub": [*turns, {"text": "bye", "context": 9_700}]}, steps, env=env)
    blocked = size > 1000
    offered = [tool["name"] for tool in run.requests("sub")[0]["body"]["tools"]]
    assert "SubagentHandback" in offered
    assert run.seen("sub").count("PreToolUse:SubagentHandback hook error") == (1 if blocked else 0)
    assert FEEDBACK not in run.seen("sub")
    assert (SHORT in delivered(run)) == blocked
    check_tier(run, size)


@SIZES
def test_explore_gets_no_file_order(guarded: Workspace, size: int) -> None:
    run = guarded.run({"main": main(agent("sub", "Explore")), "sub": sub(size)})
    assert len(run.requests("sub")) == (3 if size > 1000 else 2)
    assert not FOLDER.search(run.seen("sub"))
    assert "2500 tokens" not in run.seen("sub", 0)


def test_two_agents_in_one_second_get_different_folders(guarded: Workspace) -> None:
    threads = {"main": main(agent("one"), agent("two")), "one": sub(4000), "two": sub(4000)}
    run = guarded.run(threads)
    folders = [FOLDER.search(run.seen(thread)) for thread in ("one", "two")]
    assert all(folders)
    assert len({found.group() for found in folders if found}) == 2


def test_an_agent_with_an_output_schema_is_left_alone(guarded: Workspace) -> None:
    """Its SubagentStop carries no last message, and a block there would be dropped by the client."""
    schema = ", schema: {type: 'object', properties: {verdict: {type: 'string'}}, required: ['verdict']}"
    answer = ["StructuredOutput", {"verdict": report(4000)}]
    threads = {
        "main": main(["Workflow", {"script": WORKFLOW % schema}]),
        "sub": [{"tools": [answer], "context": 8_000}],
    }
    run = guarded.run(threads)
    assert len(run.requests("sub")) == 1
    assert report(4000)[:1500] in delivered(run)


@BOTH
def test_without_config_nothing_happens(guarded: Workspace) -> None:
    (guarded.work / ".claude" / "setpoint.json").unlink()
    run = guarded.run({"main": main(agent("sub")), "sub": sub(4000)})
    assert len(run.requests("sub")) == 2
    assert report(4000)[:1500] in delivered(run)
    assert "Return guard" not in run.seen("sub")
    assert "Return budget" not in run.seen("sub")
