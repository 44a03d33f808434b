"""Whatever comes on standard input, and whatever is broken around it: exit 0, nothing on stdout, nothing on stderr."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

LONG = "x" * 6000
GOOD = {"hook_event_name": "SubagentStop", "session_id": "s", "agent_type": "general-purpose"}
BROKEN = {
    "empty": b"",
    "blank": b" \n\t ",
    "brace": b"{",
    "half": json.dumps({**GOOD, "last_assistant_message": LONG}).encode()[:500],
    "null": b"null",
    "true": b"true",
    "number": b"12",
    "text": b'"SubagentStop"',
    "array": b"[]",
    "array of an event": json.dumps([{**GOOD, "last_assistant_message": LONG}]).encode(),
    "empty object": b"{}",
    "binary": bytes(range(256)) * 20,
    "nul": b"\0" * 1000,
    "not utf-8": json.dumps(GOOD).encode()[:-1] + b', "x": "\xff\xfe"}',
    "utf-16": json.dumps({**GOOD, "last_assistant_message": LONG}).encode("utf-16"),
    "trailing text": json.dumps({**GOOD, "last_assistant_message": LONG}).encode() + b" x",
    "two objects": json.dumps({**GOOD, "last_assistant_message": LONG}).encode() * 2,
    "single quotes": str({**GOOD, "last_assistant_message": LONG}).encode(),
    "trailing comma": json.dumps({**GOOD, "last_assistant_message": LONG}).encode()[:-1] + b",}",
    "a comment": b"// hook\n" + json.dumps({**GOOD, "last_assistant_message": LONG}).encode(),
    "NaN": json.dumps({**GOOD, "last_assistant_message": LONG, "n": float("nan")}).encode(),
    "control character": b'{"hook_event_name": "Subagent\nStop"}',
    "deep": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000,
    "event is a number": json.dumps({**GOOD, "hook_event_name": 5}).encode(),
    "event is an array": json.dumps({**GOOD, "hook_event_name": ["SubagentStop"]}).encode(),
    "event is null": json.dumps({**GOOD, "hook_event_name": None}).encode(),
    "event unknown": json.dumps({**GOOD, "hook_event_name": "SubagentStopped"}).encode(),
    "event of no interest": json.dumps({**GOOD, "hook_event_name": "Notification"}).encode(),
    "tool is an object": json.dumps({**GOOD, "hook_event_name": "PreToolUse", "tool_name": {}}).encode(),
    "tool of no interest": json.dumps({**GOOD, "hook_event_name": "PreToolUse", "tool_name": "Edit"}).encode(),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_input_is_silent(copy: Any, name: str) -> None:
    copy.returns()
    assert copy.send(BROKEN[name]).silent


def test_input_past_the_size_limit_is_silent(copy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    copy.returns()
    raw = json.dumps({**GOOD, "last_assistant_message": LONG}).encode()
    assert copy.send(raw + b" " * 64_000_000).silent


def test_a_large_event_is_answered(copy: Any, events: Any) -> None:
    copy.returns()
    assert copy.ask(events["stop"]("x" * 5_000_000)).order


def test_a_byte_order_mark_is_no_harm(copy: Any, events: Any) -> None:
    copy.returns()
    assert copy.send(b"\xef\xbb\xbf" + json.dumps(events["stop"](LONG)).encode() + b"\r\n").order


@pytest.mark.parametrize(
    "change",
    [
        {"session_id": None},
        {"session_id": 12},
        {"session_id": "../../../etc"},
        {"session_id": "a/b\\c:d"},
        {"session_id": "x" * 5000},
        {"session_id": "\ud800"},
        {"agent_id": "../up"},
        {"agent_id": "\0"},
        {"agent_transcript_path": 5},
        {"agent_transcript_path": "/nowhere/\0.jsonl"},
        {"cwd": None},
        {"permission_mode": 5},
    ],
    ids=str,
)
def test_odd_fields_do_not_stop_the_guard(copy: Any, events: Any, change: dict[str, Any]) -> None:
    copy.returns()
    assert copy.ask(events["stop"](LONG, **change)).order
    assert not (copy.home.parent / "etc").exists()


def test_trouble_is_logged_without_text(copy: Any) -> None:
    copy.returns()
    before = len(copy.log())
    copy.send(b'{"secret words": ')
    row = copy.log()[before]
    assert "error" in row
    assert "secret" not in json.dumps(row)


def test_the_log_holds_sizes_and_ids_only(copy: Any, events: Any) -> None:
    copy.returns()
    copy.ask(events["stop"]("top secret " * 800))
    row = copy.log()[-1]
    assert row["size"] == 2200
    assert row["limit"] == 1000
    assert row["decision"] == "compress"
    assert row["ms"] > 0
    assert set(row) <= {
        "at",
        "feature",
        "event",
        "session",
        "agent",
        "type",
        "route",
        "size",
        "limit",
        "decision",
        "ms",
    }
    assert "secret" not in json.dumps(row)


@pytest.fixture
def own(copy: Any, tmp_path: Path) -> Any:
    """A copy of the copy, to be broken."""
    home = tmp_path / "own" / "setpoint"
    shutil.copytree(copy.home, home, ignore=shutil.ignore_patterns("state", "log"))
    copy.command[-1] = str(home / "run.py")
    copy.home = home
    copy.returns()
    return copy


@pytest.mark.parametrize(
    "name", ["dispatch", "returns", "guard", "jsontext", "config", "paths", "state", "log", "reports"]
)
def test_a_missing_module_is_silent(own: Any, events: Any, name: str) -> None:
    (own.home / "runtime" / f"{name}.py").unlink()
    shutil.rmtree(own.home / "runtime" / "__pycache__")
    assert own.ask(events["stop"](LONG * 2)).silent


@pytest.mark.parametrize("text", ["raise SystemExit(2)", "1 +", "import nowhere", "raise KeyboardInterrupt"])
def test_a_broken_module_is_silent(own: Any, events: Any, text: str) -> None:
    (own.home / "runtime" / "guard.py").write_text(text)
    assert own.ask(events["stop"](LONG)).silent


def test_a_missing_script_is_silent(own: Any, events: Any) -> None:
    """Python itself would end with 2 there, and 2 blocks the agent."""
    (own.home / "run.py").unlink()
    assert own.ask(events["stop"](LONG)).silent


def test_a_missing_folder_is_silent(own: Any, events: Any) -> None:
    shutil.rmtree(own.home)
    assert own.ask(events["stop"](LONG)).silent


def test_the_script_alone_answers_too(own: Any, events: Any) -> None:
    own.command = [own.command[0], "-I", "-S", str(own.home / "run.py")]
    assert own.ask(events["stop"](LONG)).order


def test_state_that_cannot_be_written_lets_the_report_pass(own: Any, events: Any) -> None:
    (own.home / "state").write_text("in the way")
    assert own.ask(events["stop"](LONG)).silent
    assert "error" in own.log()[-1]


def test_a_log_that_cannot_be_written_changes_nothing(own: Any, events: Any) -> None:
    (own.home / "log").write_text("in the way")
    assert own.ask(events["stop"](LONG)).order


def test_a_full_log_stays_as_it_is(own: Any, events: Any) -> None:
    own.ask(events["stop"]("short"))
    path = next((own.home / "log").iterdir())
    path.write_bytes(b"\n" * 4_000_000)
    assert own.ask(events["stop"](LONG)).order
    assert path.stat().st_size == 4_000_000


def test_old_logs_go_after_thirty_days(own: Any, events: Any) -> None:
    (own.home / "log").mkdir()
    for day in range(1, 32):
        (own.home / "log" / f"2020-01-{day:02}.jsonl").touch()
    (own.home / "log" / "2020-01-01.txt").touch()
    own.ask(events["stop"]("short"))
    kept = sorted(path.name for path in (own.home / "log").iterdir())
    assert len(kept) == 32
    assert kept[:2] == ["2020-01-01.txt", "2020-01-02.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="/dev/full")
def test_a_full_standard_output_is_no_failure(own: Any, events: Any, tmp_path: Path) -> None:
    import subprocess

    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            own.command,
            input=json.dumps(events["stop"](LONG)).encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            env={"CLAUDE_PROJECT_DIR": str(own.project), "HOME": str(own.user)},
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_state_of_old_sessions_goes_after_a_week(own: Any, events: Any) -> None:
    import os

    old, young = own.home / "state" / "old", own.home / "state" / "young"
    for folder in (old, young):
        (folder / "a1").mkdir(parents=True)
        (folder / "a1" / "block-return.latch").touch()
    os.utime(old, (1, 1))
    own.ask(events["stop"](LONG))
    assert not old.exists()
    assert (young / "a1" / "block-return.latch").exists()
