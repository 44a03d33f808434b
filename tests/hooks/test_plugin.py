"""The plugin's rules are the runtime's: one table of cases, run against the Python and against the TypeScript."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from plugin_rules import ANSWERS

HERE = Path(__file__).parent
PLUGIN = HERE.parents[1] / "hooks" / "plugin"
CASES: list[dict[str, Any]] = json.loads((HERE / "plugin_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"][:60])
def test_python_gives_what_the_table_says(case: dict[str, Any]) -> None:
    assert ANSWERS[case["what"]](case["given"]) == case["gives"]


def differing(tmp_path: Path, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases whose answer differs in TypeScript; free of type annotations, node takes the rules as they are."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("NOT TESTED, a skip is not a pass: node is not here")
    shutil.copy(PLUGIN / "src" / "rules.ts", tmp_path / "rules.mjs")
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    command = [node, str(HERE / "plugin_cases_run.mjs"), str(tmp_path / "rules.mjs"), str(tmp_path / "cases.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_typescript_gives_what_the_table_says(tmp_path: Path) -> None:
    assert differing(tmp_path, CASES) == []


def test_the_comparison_notices_a_difference(tmp_path: Path) -> None:
    wrong = [{**case, "gives": "something else"} for case in CASES]
    assert len(differing(tmp_path, wrong)) == len(CASES)


def test_known_answers_by_hand() -> None:
    """The table is made by the Python; these rows were worked out without it."""
    by_name = {case["name"]: case["gives"] for case in CASES}
    assert by_name["tokens: emoji"] == 1
    assert by_name["tokens: five"] == 2
    assert by_name["tokens: family"] == 2
    assert by_name["environment '0x12C'"] == 300
    assert by_name["environment '1e400'"] is None
    assert by_name["slug 'plugin:agent'"] == "plugin-agent"
    assert by_name["cut: fits, 150, head"] is None
    assert by_name["cut: table first, 150, head"].startswith("[Return guard")
    assert by_name["cut: tail, 150, head+tail"].endswith("\nConclusion: stop.\nLast.")
    assert by_name["cut: fence too long, 150, head"].split("\n\n")[0] == "Verdict."
    assert by_name["cut: table without outer marks, 150, head"].split("\n\n")[0] == "Verdict." + "\na line of text" * 16
    exact = by_name["cut: head and tail fill the room exactly, 150, head+tail"]
    assert 590 < len(exact) <= 600
    assert by_name["cut: empty lines on top, 150, head+tail"].startswith("one line\n")
    assert by_name["cut: empty lines on top, 150, head+tail"].count("the end") == 1


def test_the_plugin_is_two_hooks_of_two_events() -> None:
    """An event that a client does not know refuses the whole module; what a person types is not asked for."""
    text = (PLUGIN / "hooks" / "returns.ts").read_text(encoding="utf-8")
    assert text.count("on('") == 2
    assert "on('agent.report'" in text
    assert "on('prompt.submit', { origin: { kind: 'task-notification' } }" in text
    assert json.loads((PLUGIN / "hooks" / "hooks.json").read_text()) == {"modules": ["./returns.ts"]}
    assert json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())["name"] == "setpoint-returns"
