"""The notes to a subagent: at its bound, near its turn limit, and nothing whenever anything is amiss."""

import json
from pathlib import Path
from typing import Any

import pytest

from hooks.runtime import advice, tail
from hooks.runtime.config import Config
from hooks.runtime.dispatch import Call

SECTION = {"enabled": True}


class Thread:
    """A subagent's transcript that grows, and the batches that follow its responses."""

    def __init__(self, folder: Path, agent_type: str = "general-purpose") -> None:
        self.folder, self.agent_type, self.number = folder, agent_type, 0
        self.path = folder / "s" / "subagents" / "agent-a1.jsonl"
        self.path.parent.mkdir(parents=True)
        self.add({"type": "user", "message": {"role": "user", "content": "do it"}})

    def add(self, row: dict[str, Any], torn: int = 0) -> None:
        text = json.dumps(row) + "\n"
        with self.path.open("a") as out:
            out.write(text[: len(text) - torn])

    def respond(self, tokens: int, model: str = "claude-opus-5-5") -> None:
        self.number += 1
        content = [{"type": "tool_use", "id": f"toolu_{self.number}", "name": "Read", "input": {}}]
        body = {"id": f"m{self.number}", "model": model, "usage": {"input_tokens": tokens, "output_tokens": 1}}
        self.add({"type": "assistant", "message": body | {"content": content}})

    def batch(self, section: dict[str, Any] | None = None, call_id: str = "") -> str:
        event = {"session_id": "s", "agent_id": "a1", "agent_type": self.agent_type, "hook_event_name": "PostToolBatch"}
        event |= {
            "transcript_path": str(self.folder / "s.jsonl"),
            "tool_calls": [{"tool_use_id": call_id or f"toolu_{self.number}"}],
        }
        call = Call(str(self.folder / "home"), event, Config(str(self.folder), str(self.folder / "user")))
        answer = advice.batch(call, SECTION if section is None else section)
        return answer.note if answer else ""

    def step(self, tokens: int, section: dict[str, Any] | None = None, model: str = "claude-opus-5-5") -> str:
        self.respond(tokens, model)
        return self.batch(section)


@pytest.fixture
def thread(tmp_path: Path) -> Thread:
    return Thread(tmp_path)


def test_one_note_a_level(thread: Thread) -> None:
    """Early line 85,000, bound 100,000, then each further 10,000."""
    sizes = (84_999, 85_000, 99_999, 100_000, 100_001, 109_999, 110_000, 119_999, 120_000)
    said = [thread.step(size) for size in sizes]
    assert [bool(text) for text in said] == [False, True, False, True, False, False, True, False, True]
    assert "bound is 100,000" in said[1]
    assert "past its bound of 100,000. Report now" in said[3]


def test_haiku_has_its_own_bound(thread: Thread) -> None:
    assert "bound of 85,000" in thread.step(85_000, model="claude-haiku-5-5")


def test_levels_start_over_after_a_compaction(thread: Thread) -> None:
    assert thread.step(101_000)
    thread.add({"type": "system", "subtype": "compact_boundary"})
    assert thread.batch() == ""
    assert thread.step(20_000) == ""
    assert thread.step(101_000)


def test_the_turn_note_comes_once_with_two_left(thread: Thread) -> None:
    agents = thread.folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "worker.md").write_text("---\nname: six\nmaxTurns: 6\n---\n")
    thread.agent_type = "six"
    said = [thread.step(1000) for _ in range(6)]
    assert [bool(text) for text in said] == [False, False, False, True, False, False]
    assert "2 turns are left of 6" in said[3]


def test_a_response_that_is_not_in_the_file_yet_counts_as_a_turn(thread: Thread) -> None:
    agents = thread.folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "three.md").write_text("---\nname: three\nmaxTurns: 3\n---\n")
    thread.agent_type = "three"
    thread.number = 1
    assert "2 turns are left of 3" in thread.batch()


def test_agent_folders_of_the_config_are_looked_at(thread: Thread, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "two.md").write_text("---\nname: two\nmaxTurns: 2\n---\n")
    thread.agent_type = "two"
    assert "1 turn is left of 2" in thread.step(1000, {"enabled": True, "agentDirs": [str(tmp_path / "more")]})


def test_an_agent_without_a_limit_hears_nothing_of_turns(thread: Thread) -> None:
    assert [thread.step(1000) for _ in range(40)] == [""] * 40


def test_a_torn_last_line_is_no_reading(thread: Thread) -> None:
    thread.respond(50_000)
    body = {"id": "m9", "model": "claude-opus-5-5", "usage": {"input_tokens": 150_000}}
    thread.add({"type": "assistant", "message": body}, torn=10)
    assert thread.batch() == ""


def test_a_replaced_or_missing_file_gives_no_note_and_no_failure(thread: Thread) -> None:
    assert thread.step(101_000)
    thread.path.write_text("")
    assert thread.batch() == ""
    thread.path.write_bytes(b"\x00\xff\n{}\n[1]\n")
    assert thread.batch() == ""
    thread.path.unlink()
    assert thread.batch() == ""


def test_a_file_that_is_behind_is_waited_for(thread: Thread) -> None:
    """Without the wait the note would come a step late; a call that never arrives only costs the patience."""
    thread.respond(90_000)
    thread.batch()
    thread.number += 1
    assert thread.batch() == ""


def test_a_first_response_that_is_written_late_still_counts(thread: Thread, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file holds only the prompt when the first batch is over; a late note would be a request too many."""
    monkeypatch.setattr(tail, "sleep", lambda seconds: thread.respond(90_000) if not thread.number else None)
    section = SECTION | {"maxTokens": 100_000}
    assert "its bound is 100,000" in thread.batch(section, "toolu_1")


@pytest.mark.parametrize("missing", ["agent_id", "agent_type", "transcript_path", "session_id", "tool_calls"])
def test_events_with_missing_fields_give_no_note(thread: Thread, missing: str) -> None:
    event = {
        "session_id": "s",
        "agent_id": "a1",
        "agent_type": "x",
        "hook_event_name": "PostToolBatch",
        "tool_calls": [],
    }
    event |= {"transcript_path": str(thread.folder / "s.jsonl")}
    del event[missing]
    call = Call(str(thread.folder / "home"), event, Config(str(thread.folder), str(thread.folder / "user")))
    assert advice.batch(call, SECTION) is None


def test_a_fork_counts_from_its_own_first_request(tmp_path: Path) -> None:
    thread = Thread(tmp_path, "fork")
    thread.path.write_text("")
    thread.respond(150_000)  # copied from the parent
    content = [{"type": "tool_result", "tool_use_id": "toolu_1"}, {"type": "text", "text": "<fork-boilerplate>"}]
    thread.add({"type": "user", "message": {"role": "user", "content": content}})
    assert thread.step(151_000) == ""
    assert thread.step(235_999) == ""
    assert "its bound is 251,000" in thread.step(236_000)
    assert "past its bound of 251,000" in thread.step(251_000)
