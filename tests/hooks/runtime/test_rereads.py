"""Bash commands that only print a file: what the thread holds, what is said, and when nothing is."""

import os
from pathlib import Path
from typing import Any

import pytest

from hooks.runtime import rereads
from hooks.runtime.config import Config
from hooks.runtime.dispatch import Answer, Call

ALL = {"enabled": True, "mode": "deny", "repeatOnly": False}
REPEATS = {"enabled": True, "mode": "deny"}


class Shell:
    """A thread that runs commands in a folder with `f.txt` (100 lines)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "f.txt"
        self.file.write_text("".join(f"line {n}\n" for n in range(1, 101)))

    def call(self, agent_id: str = "", **event: Any) -> Call:
        base = {"session_id": "s", "cwd": str(self.folder), "agent_id": agent_id}
        return Call(str(self.folder / "home"), base | event, Config(str(self.folder), str(self.folder / "user")))

    def ask(self, command: str, section: dict[str, Any] = ALL, agent_id: str = "") -> Answer | None:
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        return rereads.before(self.call(agent_id, **event), section)

    def denied(self, command: str, section: dict[str, Any] = ALL, agent_id: str = "") -> str:
        answer = self.ask(command, section, agent_id)
        return answer.deny if answer else ""

    def did(self, name: str, given: dict[str, Any], response: str, agent_id: str = "") -> None:
        calls = [{"tool_name": name, "tool_input": given, "tool_response": response}]
        rereads.batch(self.call(agent_id, tool_calls=calls), REPEATS)

    def read(self, first: int, last: int, agent_id: str = "") -> None:
        text = "\n".join(f"{n}\tline {n}" for n in range(first, last + 1))
        self.did("Read", {"file_path": str(self.file)}, text, agent_id)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(
    ("command", "call"),
    [
        ("cat f.txt", "Read(file_path={F})"),
        ("sed -n '40,80p' f.txt", "Read(file_path={F}, offset=40, limit=41)"),
        ("head f.txt", "Read(file_path={F}, offset=1, limit=10)"),
        ("tail -n +91 f.txt", "Read(file_path={F}, offset=91)"),
        ("tail -n 5 f.txt", "Read(file_path={F}, offset=96)"),
    ],
)
def test_a_print_is_answered_with_the_equal_read(shell: Shell, command: str, call: str) -> None:
    assert call.replace("{F}", str(shell.file)) in shell.denied(command)


@pytest.mark.parametrize(
    "command", ["cat f.txt | wc", "cat none.txt", "cat f.txt > g", "ls", "cat f.txt g.txt", "sed -n '200,300p' f.txt"]
)
def test_everything_else_passes(shell: Shell, command: str) -> None:
    assert shell.ask(command) is None


def test_files_that_read_cannot_show_pass(shell: Shell) -> None:
    (shell.folder / "b.bin").write_bytes(b"a\0b\n")
    (shell.folder / "l.txt").write_bytes(b"caf\xe9\n")
    (shell.folder / "big.txt").write_text("x\n" * 200_000)
    (shell.folder / "p.png").write_text("x\n")
    (shell.folder / "d").mkdir()
    for name in ("b.bin", "l.txt", "big.txt", "p.png", "d"):
        assert shell.ask(f"cat {name}") is None, name


def test_inside_only_leaves_files_outside_alone(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "o.txt"
    outside.write_text("x\n")
    assert shell.denied(f"cat {outside}")
    assert not shell.denied(f"cat {outside}", {**ALL, "insideOnly": True})
    assert shell.denied("cat f.txt", {**ALL, "insideOnly": True})


def test_note_is_the_default_and_off_is_off(shell: Shell) -> None:
    answer = shell.ask("cat f.txt", {"enabled": True, "repeatOnly": False})
    assert answer
    assert answer.note
    assert not answer.deny
    assert shell.ask("cat f.txt", {"enabled": True, "mode": "off"}) is None


def test_repeat_only_acts_on_ranges_the_thread_holds(shell: Shell) -> None:
    assert not shell.denied("sed -n '10,20p' f.txt", REPEATS)
    shell.read(1, 15)
    assert not shell.denied("sed -n '10,20p' f.txt", REPEATS)
    shell.read(16, 30)
    assert "already holds" in shell.denied("sed -n '10,20p' f.txt", REPEATS)
    assert not shell.denied("cat f.txt", REPEATS)


def test_prints_of_bash_are_remembered_too(shell: Shell) -> None:
    shell.did("Bash", {"command": "sed -n '5,9p' f.txt"}, "\n".join("abcde"))
    assert shell.denied("sed -n '6,8p' f.txt", REPEATS)
    assert not shell.denied("sed -n '6,10p' f.txt", REPEATS)


def test_a_changed_file_is_no_repeat(shell: Shell) -> None:
    shell.read(1, 100)
    assert shell.denied("cat f.txt", REPEATS)
    os.utime(shell.file, (1, 1))
    assert not shell.denied("cat f.txt", REPEATS)


def test_an_edit_forgets_the_file(shell: Shell) -> None:
    shell.read(1, 100)
    shell.did("Edit", {"file_path": str(shell.file)}, "done")
    assert not shell.denied("cat f.txt", REPEATS)


def test_threads_do_not_share(shell: Shell) -> None:
    shell.read(1, 100, "a1")
    assert shell.denied("cat f.txt", REPEATS, "a1")
    assert not shell.denied("cat f.txt", REPEATS, "a2")
    assert not shell.denied("cat f.txt", REPEATS)


@pytest.mark.parametrize(("agent", "left"), [("a1", True), ("", False)])
def test_a_compaction_forgets_its_thread_or_all_where_it_names_none(shell: Shell, agent: str, left: bool) -> None:
    shell.read(1, 100, "a1")
    shell.read(1, 100, "a2")
    rereads.compacted(shell.call(agent, hook_event_name="SessionStart", source="compact"), REPEATS)
    assert not shell.denied("cat f.txt", REPEATS, "a1")
    assert bool(shell.denied("cat f.txt", REPEATS, "a2")) == left


def test_output_that_was_cut_is_not_held(shell: Shell) -> None:
    shell.did("Bash", {"command": "cat f.txt"}, "<persisted-output>\nOutput too large")
    assert not shell.denied("cat f.txt", REPEATS)


def test_no_path_stands_in_the_record(shell: Shell) -> None:
    shell.read(1, 100)
    kept = [path.read_text() for path in (shell.folder / "home").rglob("*.json")]
    assert kept
    assert not any("f.txt" in text for text in kept)
