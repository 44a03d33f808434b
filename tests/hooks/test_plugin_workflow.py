"""A workflow's notification in the plugin: which texts of its result are cut, and what is left alone."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).parents[2] / "hooks" / "plugin" / "src" / "workflow.ts"
RUN = """
import { readFileSync } from 'node:fs'
import * as workflow from './workflow.mjs'
const { notification, journal, output, cuts } = JSON.parse(readFileSync(0, 'utf8'))
const parts = workflow.notice(notification)
if (!parts) {
  process.stdout.write('null')
} else {
  const found = workflow.results(journal)
  const kept = workflow.schemed(found)
  const value = workflow.returned(parts, output)
  const reports = workflow.standing(value, found, kept)
  const text = workflow.delivered(parts, value, cuts, kept) ?? null
  process.stdout.write(JSON.stringify({ folder: parts.folder, whole: parts.whole ?? null, reports, text }))
}
"""
FOLDER, OUTPUT = "/c/R&D/s/subagents/workflows/wf_1/", "/tmp/R&D/w1.output"
A, B = "A report & more.\n" * 20, "B <b>report</b>.\n" * 20


def notification(value: object, room: int = 8192) -> str:
    """As the client writes it: JSON on one line, escaped, cut at `room` characters."""
    text = html.escape(json.dumps(value, separators=(",", ":"), ensure_ascii=False), quote=False)
    if len(text) > room:
        text = f"{text[:room]}\n... (truncated {len(text) - room} chars, full result in {html.escape(OUTPUT)})"
    return (
        f"<task-notification>\n<task-id>w1</task-id>\n<output-file>{html.escape(OUTPUT)}</output-file>\n"
        f"<status>completed</status>\n<result>{text}</result>\n"
        f"<diagnostics>Per-agent results: {html.escape(FOLDER)}journal.jsonl — one line per agent.</diagnostics>\n"
        "</task-notification>"
    )


def journal(**returned: object) -> str:
    rows: list[dict[str, Any]] = [{"type": "launched"}]
    for agent, value in returned.items():
        rows.append({"type": "started", "agentId": agent})
        rows.append({"type": "result", "key": "k", "agentId": agent, "result": value})
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


@pytest.fixture
def ask(tmp_path: Path) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("NOT TESTED, a skip is not a pass: node is not here")
    shutil.copy(SOURCE, tmp_path / "workflow.mjs")
    (tmp_path / "run.mjs").write_text(RUN)

    def run(text: str, log: str, cuts: list[list[str]], output: object = None) -> Any:
        given = {"notification": text, "journal": log, "output": json.dumps({"result": output}), "cuts": cuts}
        command = [node, str(tmp_path / "run.mjs")]
        done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def result_of(text: str) -> Any:
    return json.loads(html.unescape(text.partition("<result>")[2].partition("</result>")[0]))


def test_a_report_that_is_the_result_is_cut_and_all_else_stays(ask: Any) -> None:
    said = ask(notification(A), journal(a1=A), [[A, "short & <sweet>"]])
    assert said["text"] == notification("short & <sweet>")
    assert (said["folder"], said["whole"], said["reports"]) == (FOLDER, None, [["a1", A]])


def test_a_resumed_run_says_more_before_its_journal(ask: Any) -> None:
    def resumed(value: object) -> str:
        saved = "<diagnostics>Resume: 1 of the journal's 1 saved result served from cache.\n"
        return notification(value).replace("<diagnostics>", saved)

    said = ask(resumed({"again": A}), journal(a1=A), [[A, "a"]])
    assert (said["folder"], said["text"]) == (FOLDER, resumed({"again": "a"}))


def test_reports_are_cut_wherever_they_stand_word_for_word(ask: Any) -> None:
    value = {"n": 1, "list": [A, None, True], "joined": f"# {A}\n---\n{B}", A: "key", "__proto__": A}
    cuts = [[A, "a"], [B, "b"]]
    made = {"n": 1, "list": ["a", None, True], "joined": "# a\n---\nb", A: "key", "__proto__": "a"}
    said = ask(notification(value), journal(a1=A, b1=B, c1="not in it"), cuts)
    assert said["reports"] == [["a1", A], ["b1", B]]
    assert said["text"] == notification(made)


def test_what_an_agent_with_a_schema_returned_is_left_alone(ask: Any) -> None:
    schemed = {"verdict": A, "of": [1]}
    said = ask(notification({"a": A, "c": schemed}), journal(a1=A, c1=schemed), [[A, "a"]])
    assert result_of(said["text"]) == {"a": "a", "c": schemed}
    alone = ask(notification({"c": schemed}), journal(a1=A, c1=schemed), [])
    assert alone["reports"] == []


def test_a_report_that_quotes_another_is_cut_as_a_whole(ask: Any) -> None:
    outer = f"Outer.\n{A}End."
    assert result_of(ask(notification([outer]), journal(a1=A, b1=outer), [[A, "a"], [outer, "o"]])["text"]) == ["o"]


def test_a_result_that_the_client_cut_is_read_from_its_file(ask: Any) -> None:
    value = [A * 9, B]
    said = ask(notification(value, 2000), journal(a1=A * 9), [[A * 9, "a"]], value)
    assert said["whole"] == OUTPUT
    assert said["text"] == notification(["a", B])


def test_it_never_becomes_longer_than_the_clients_own(ask: Any) -> None:
    value = [A * 9, B * 9]
    said = ask(notification(value, 400), journal(a1=A * 9), [[A * 9, "a" * 300]], value)
    assert said["text"] == notification(["a" * 300, B * 9], 400)


def test_a_text_in_another_form_than_known_is_left_alone(ask: Any) -> None:
    spaced = notification([A]).replace('["A', '[ "A')
    assert ask(spaced, journal(a1=A), [[A, "a"]])["text"] is None
    other = notification([A * 9], 400)
    assert ask(other, journal(a1=A * 9), [[A * 9, "a"]], ["another"])["text"] is None


@pytest.mark.parametrize(
    "text",
    [
        "go",
        "",
        "<task-notification>\n<task-id>a1</task-id>\n<result>REPORT</result>\n<usage></usage>\n</task-notification>",
        "Look: " + notification(A),
    ],
    ids=["typed", "empty", "an agent's", "quoted"],
)
def test_no_other_text_is_taken_for_one(ask: Any, text: str) -> None:
    assert ask(text, journal(a1=A), []) is None


def test_a_text_full_of_the_clients_marks_is_passed_at_once(ask: Any) -> None:
    """Searched back and forth, as a pattern would, this one takes a minute."""
    text = "<task-notification>\n" + "<result></result>\n<diagnostics>a\n" * 1500
    started = time.monotonic()
    assert ask(text, journal(a1=A), []) is None
    assert time.monotonic() - started < 10
