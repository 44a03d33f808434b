"""The harness itself: the client talks to the script and to nothing else, and its transcripts are found."""

import pytest
from lab.turns import agent, read, report
from lab.workspace import Step, Workspace

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("version", ["2.1.332", "2.1.283"])
def test_main_and_agent_follow_their_scripts(workspace: Workspace) -> None:
    workspace.write({"a.txt": "alpha\n" * 3})
    threads = {
        "main": [{"tools": [agent("sub")], "context": 20_000}, {"text": "All done.", "context": 21_000}],
        "sub": [{"tools": [read("a.txt")], "context": 8_000}, {"text": report(50), "context": 9_000}],
    }
    run = workspace.run(threads)
    assert run.result() == "All done."
    assert [len(run.requests(thread)) for thread in ("main", "sub")] == [2, 2]
    assert "alpha" in run.new("sub", 1)
    assert report(50).strip() in run.new("main", 1)
    usage = [row["message"]["usage"] for row in run.rows("sub") if row["type"] == "assistant"]
    assert [sum(u[k] for k in u if k.startswith(("input", "cache_read", "cache_creation_"))) for u in usage] == [
        8_000,
        9_000,
    ]


def test_a_second_step_resumes_the_session(workspace: Workspace) -> None:
    run = workspace.run({"main": [{"text": "One."}, {"text": "Two."}]}, Step(), Step("and on", resume=True))
    assert len(run.requests("main")) == 2
    assert "and on" in run.seen("main", 1)


def test_report_sizes_are_exact() -> None:
    assert [len(report(size)) for size in (1, 500, 4000)] == [4, 2000, 16000]
