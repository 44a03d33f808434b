"""The reads feature in the real client."""

import pytest
from lab.turns import agent, bash, read
from lab.workspace import Workspace

pytestmark = pytest.mark.e2e

GUARD = "Reads guard"
DONE = {"text": "Done.", "context": 30_000}


@pytest.fixture
def reading(workspace: Workspace) -> Workspace:
    workspace.write({"f.txt": "".join(f"line {n}\n" for n in range(1, 101))})
    workspace.setpoint("hooks", "install", "reads", "--scope", "project", "--yes")
    return workspace


def test_a_print_is_denied_with_the_equal_read_call(reading: Workspace) -> None:
    reading.config(reads={"mode": "deny", "repeatOnly": False})
    calls = [bash("sed -n '40,80p' f.txt"), bash("cat f.txt | wc -l")]
    run = reading.run({"main": [{"tools": calls, "context": 20_000}, DONE]})
    said = run.new("main", 1)
    assert said.count("PreToolUse:Bash hook error") == 1
    assert f"Read(file_path={reading.work}/f.txt, offset=40, limit=41)" in said
    assert "100" in said


def test_by_default_only_a_repeat_gets_a_note_and_runs(reading: Workspace) -> None:
    turns = [bash("cat f.txt"), read("f.txt"), bash("head -n 5 f.txt"), bash("cd sub; head -n 5 ../f.txt")]
    threads = {"main": [{"tools": [one], "context": 20_000 + 500 * n} for n, one in enumerate(turns)] + [DONE]}
    run = reading.run(threads)
    assert [GUARD in run.new("main", index) for index in range(5)] == [False, False, False, True, False]
    assert "line 5" in run.new("main", 3)


def test_a_subagent_holds_nothing_of_its_parent(reading: Workspace) -> None:
    sub = [{"tools": [bash("cat f.txt")], "context": 8_000}, {"text": "Report.", "context": 9_000}]
    main = [{"tools": [read("f.txt")], "context": 20_000}, {"tools": [agent("sub")], "context": 21_000}, DONE]
    run = reading.run({"main": main, "sub": sub})
    assert GUARD not in run.seen("sub")


def test_after_a_compaction_nothing_is_held(reading: Workspace) -> None:
    calls = [read("f.txt"), bash("cat f.txt"), bash("cat f.txt")]
    sizes = [20_000, 30_000, 70_000]
    sub = [{"tools": [one], "context": size} for one, size in zip(calls, sizes, strict=True)]
    sub += [{"tools": [bash("cat f.txt")], "context": 20_000}, {"text": "Report.", "context": 21_000}]
    env = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}
    run = reading.run({"main": [{"tools": [agent("sub")], "context": 20_000}, DONE], "sub": sub}, env=env)
    assert len(run.boundaries("sub")) == 1
    assert [row for row in run.rows("sub") if GUARD in str(row)], "the repeat before the compaction was not noted"
    assert GUARD not in run.new("sub", 4)
