"""Mode `shorten` and workflows: the script gets its agents' reports whole, the main conversation gets them cut."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from lab.turns import bash, lines_report, main, sub
from lab.workspace import TOOLS, Run, Step, Workspace

pytestmark = pytest.mark.e2e

SIZES = pytest.mark.parametrize("size", [500, 1500, 4000, 40_000])
POINTER = re.compile(r"\[Return guard: cut to 1000 of about (\d+) tokens\. .* is in (\S+) ; .*\]")
RESULT = re.compile(r"<result>(.*?)</result>", re.DOTALL)
META = "export const meta = {name: 'probe', description: 'agents'};\n"
ONE = META + "return await agent('[[sub]] job', {label: 'one'});\n"
SCHEMA = "{type: 'object', properties: {verdict: {type: 'string'}}, required: ['verdict']}"
THREE = (
    META
    + f"""const a = await agent('[[sub]] job', {{label: 'one'}});
const b = await agent('[[second]] job, first found: ' + a, {{label: 'two'}});
const c = await agent('[[third]] job', {{label: 'three', schema: {SCHEMA}}});
return {{size: a.length, both: a + '\\n<hr>\\n' + b, c, list: [a]}};
"""
)


def given(run: Run) -> str:
    """The result in the notification that the main conversation read, as the client wrote it."""
    [found] = set(RESULT.findall(run.seen("main")))
    return found


def value(run: Run) -> Any:
    return json.loads(html.unescape(given(run)))


def saved(workspace: Workspace) -> list[Path]:
    return sorted((workspace.work / ".claude" / "reports").glob("*/full-return.md"))


def threads(run: Run) -> list[str]:
    """Whose requests they were; the main thread and the workflow race, so their order is no one's."""
    return sorted(str(entry["thread"]) for entry in run.log)


@SIZES
def test_one_agent(shortening: Workspace, size: int) -> None:
    script = {"main": main(["Workflow", {"script": ONE}]), "sub": sub(size)}
    ours = shortening.run(script)
    files = {path: path.read_text(encoding="utf-8") for path in saved(shortening)}
    shortening.setpoint("hooks", "purge")
    without = shortening.run(script)
    assert threads(ours) == threads(without)
    if size <= 1000:
        assert given(ours) == given(without)
        assert value(ours) == lines_report(size)
        assert not files
        return
    delivered = value(ours)
    head, _, line = delivered.partition("\n\n[Return guard")
    found = POINTER.fullmatch("[Return guard" + line)
    assert found
    assert files == {Path(found.group(2)): lines_report(size)}
    assert lines_report(size).startswith(head + "\n")
    assert 3000 < len(delivered) <= 4000
    assert len(given(ours)) < len(given(without))


def busy(run_script: str) -> list[dict[str, Any]]:
    """A main thread still at work when the workflow ends."""
    waiting = [{"text": "Waiting.", "context": 21_000 + 100 * n} for n in range(3)]
    calls: list[Any] = [["Workflow", {"script": run_script}], bash("sleep 6; echo over")]
    return [{"tools": [call], "context": 20_000 + 100 * n} for n, call in enumerate(calls)] + waiting


def test_several_agents_a_schema_and_a_busy_main_thread(shortening: Workspace) -> None:
    """Each report is cut wherever it stands; what the script made of them, and a schema's answer, are left alone."""
    verdict = "v" * 6000
    second = [{"text": "Second: short & <plain>.", "context": 9_000}]
    third = [{"tools": [["StructuredOutput", {"verdict": verdict}]], "context": 8_000}]
    run = shortening.run({"main": busy(THREE), "sub": sub(1500), "second": second, "third": third})
    assert len(run.requests("sub")) == 2
    read = re.sub(r"(?m)^  ", "", run.seen("second"))
    assert lines_report(1500) in read  # the script had it whole
    # the client shortens a result above 8,192 characters itself: ours is no longer than that, and says so as it does
    assert re.search(r"\n\.\.\. \(truncated \d+ chars, full result in \S+\)$", given(run))
    shown = html.unescape(given(run))
    assert shown.startswith(json.dumps({"size": len(lines_report(1500))})[:-1].replace(" ", "") + ',"both":"Verdict')
    [whole] = saved(shortening)
    assert whole.read_text(encoding="utf-8") == lines_report(1500)
    assert f"is in {whole} ;" in shown
    assert '.]\\n<hr>\\nSecond: short & <plain>.","c":{"verdict":"vvv' in shown
    assert len(run.requests("main")) == 3


@pytest.mark.parametrize("version", ["2.1.328"])
def test_where_the_event_is_missing_the_agent_is_blocked(shortening: Workspace) -> None:
    short = {"text": "Verdict: short, see a.txt:1.", "context": 9_500}
    run = shortening.run({"main": main(["Workflow", {"script": ONE}]), "sub": [*sub(4000), short]})
    assert len(run.requests("sub")) == 3
    assert value(run) == "Verdict: short, see a.txt:1."
    [whole] = saved(shortening)
    assert whole.read_text(encoding="utf-8") == lines_report(4000)


@pytest.mark.parametrize("broken", ["config", "folder"])
def test_trouble_delivers_the_report_whole(shortening: Workspace, broken: str) -> None:
    if broken == "config":
        (shortening.work / ".claude" / "setpoint.json").write_text("{")
    else:
        (shortening.work / ".claude" / "reports").write_text("in the way")
    run = shortening.run({"main": main(["Workflow", {"script": ONE}]), "sub": sub(1500)})
    assert value(run) == lines_report(1500)
    assert len(run.requests("sub")) == 2


def test_the_interactive_client(shortening: Workspace) -> None:
    keys: list[tuple[float, str]] = [(6, "[[main]] go"), (1, "\r"), (14, "")]
    steps = Step(args=["--permission-mode", "acceptEdits", *TOOLS], keys=keys)
    run = shortening.run({"main": main(["Workflow", {"script": ONE}]), "sub": sub(1500)}, steps)
    assert POINTER.search(value(run))
    assert len(run.requests("sub")) == 2
