"""How a party asks for its compaction: what counts as asking, and what does not."""

import json
from pathlib import Path

import pytest

from hooks.runtime.marker import command_focus, focus_again, focus_of, is_lone, newest_marker

SCRIPT = "/home/a/.claude/setpoint/run.py"


@pytest.mark.parametrize(
    ("text", "focus"),
    [
        ("<compact-now>keep names</compact-now>", "keep names"),
        ("Done with step 1. <compact-now></compact-now> Next.", ""),
        ("<compact-now>a</compact-now> <compact-now>b</compact-now>", "b"),
        ("write `<compact-now>x</compact-now>` to ask", None),
        ("```\n<compact-now>x</compact-now>\n```", None),
        ("  ```xml\n<compact-now>x</compact-now>\n  ```\nafter <compact-now>y</compact-now>", "y"),
        ("<compact-now>never closed", None),
        ("no marker", None),
        ("a single ` backtick <compact-now>z</compact-now>", "z"),
    ],
)
def test_a_marker_counts_outside_backticks(text: str, focus: str | None) -> None:
    assert focus_of(text) == focus


def test_a_lone_marker_is_told_from_a_report_that_holds_one() -> None:
    assert is_lone("<compact-now>keep</compact-now>")
    assert is_lone("I compact now. <compact-now>keep</compact-now>")
    assert not is_lone("Finding. " * 40 + "<compact-now>keep</compact-now>")
    assert not is_lone("`<compact-now>keep</compact-now>`")
    assert not is_lone("Report.")


@pytest.mark.parametrize(
    ("command", "focus"),
    [
        (f'/usr/bin/python3 -I -S {SCRIPT} compact "keep the names"', "keep the names"),
        (f"/usr/bin/python3 -I -S '{SCRIPT}' compact 'x'", "x"),
        (f"/usr/bin/python3 -I -S {SCRIPT} compact", ""),
        (f"/usr/bin/python3 -I -S {SCRIPT} compact keep it", "keep it"),
        (f"/usr/bin/python3 -I -S {SCRIPT} statusline", None),
        (f"cat a; python3 {SCRIPT} compact x", None),
        (f"cat {SCRIPT}", None),
        ("compact", None),
        (None, None),
    ],
)
def test_the_command_is_known_by_its_text(command: str | None, focus: str | None) -> None:
    assert command_focus(command, SCRIPT) == focus


def row(name: str, *blocks: dict[str, object]) -> str:
    message = {"id": name, "model": "claude-opus-5-5", "content": list(blocks), "usage": {"input_tokens": 1}}
    return json.dumps({"type": "assistant", "message": message}) + "\n"


def text(value: str) -> dict[str, object]:
    return {"type": "text", "text": value}


def user(value: str) -> str:
    return json.dumps({"type": "user", "message": {"role": "user", "content": [text(value)]}}) + "\n"


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(lines))
    return str(path)


def test_only_responses_since_the_last_look_are_read(tmp_path: Path) -> None:
    marked = row("m2", text("<compact-now>keep</compact-now>"))
    path = write(tmp_path / "t", row("m1", text("a")), marked, row("m3", text("b")))
    assert newest_marker(path, "m1") == ("m3", "m2", "keep")
    assert newest_marker(path, "m2") == ("m3", "", "")
    assert newest_marker(path, "m3") == ("", "", "")


def test_markers_in_tool_results_count_for_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "t", row("m1", text("a")), user("<compact-now>x</compact-now>"))
    assert newest_marker(path, "")[1] == ""


def test_the_focus_is_read_again_from_the_response_that_asked(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_9", "name": "Bash", "input": {"command": f"py {SCRIPT} compact 'names'"}}
    path = write(tmp_path / "t", row("m1", text("<compact-now>old</compact-now>")), row("m2", call), user("ok"))
    assert focus_again(path, "m1", SCRIPT) == "old"
    assert focus_again(path, "toolu_9", SCRIPT) == "names"
    assert focus_again(path, "gone", SCRIPT) == ""


def test_an_interrupt_after_it_withdraws_a_request_but_a_quoted_one_does_not(tmp_path: Path) -> None:
    asked = row("m1", text("<compact-now>keep</compact-now>"))
    assert focus_again(write(tmp_path / "a", asked, user("[Request interrupted by user]")), "m1", SCRIPT) is None
    quote = "the file says [Request interrupted by user]"
    assert focus_again(write(tmp_path / "b", asked, user(quote)), "m1", SCRIPT) == "keep"
