"""The compaction handlers over transcripts that grow: hold, force, nudges, asking, withdrawing, the brief."""

import json
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from hooks.runtime import keeper
from hooks.runtime.config import Config
from hooks.runtime.dispatch import Answer, Call

SECTION: dict[str, Any] = {
    "enabled": True,
    "main": {"nudgeFrom": "20k", "nudgeEvery": "10k", "forceAt": "60k"},
    "subagent": {"nudgeFrom": "20k", "nudgeEvery": "10k", "forceAt": "50k"},
    "byAgentType": {"Explore": {"forceAt": "45k"}},
}
MODEL = "claude-opus-5-5"


class Session:
    """Transcripts of main and of one agent, and the events of either."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.main, self.agent = folder / "s.jsonl", folder / "s" / "subagents" / "agent-a1.jsonl"
        self.agent.parent.mkdir(parents=True)
        self.add({"type": "user", "message": {"role": "user", "content": 'Do <it> "well".\nLine 2.'}})

    def path(self, main: bool) -> Path:
        return self.main if main else self.agent

    def add(self, row: dict[str, Any], main: bool = False) -> None:
        with self.path(main).open("a") as out:
            out.write(json.dumps({"version": "2.1.332", **row}) + "\n")

    def respond(self, tokens: int, text: str = "step", main: bool = False, model: str = MODEL) -> None:
        self.count += 1
        call = {"type": "tool_use", "id": f"toolu_{self.count}", "name": "Read", "input": {}}
        message = {"id": f"m{self.count}", "model": model, "usage": {"input_tokens": tokens, "output_tokens": 0}}
        content = [{"type": "text", "text": text}, call]
        self.add({"type": "assistant", "message": {**message, "content": content}}, main)

    def boundary(self, main: bool = False) -> None:
        self.add({"type": "system", "subtype": "compact_boundary"}, main)

    def call(self, name: str, main: bool = False, agent_type: str = "general-purpose", **more: Any) -> Call:
        event = {"session_id": "s", "transcript_path": str(self.main), "hook_event_name": name, **more}
        event |= {} if main else {"agent_id": "a1", "agent_type": agent_type}
        return Call(str(self.folder / "home"), event, Config(str(self.folder), str(self.folder / "user")))

    def batch(self, main: bool = False, section: dict[str, Any] = SECTION, **more: Any) -> Answer | None:
        calls = [{"tool_name": "Read", "tool_input": {}, "tool_use_id": f"toolu_{self.count}"}]
        return keeper.batch(self.call("PostToolBatch", main, **({"tool_calls": calls} | more)), section)

    def said(self, *args: Any, **more: Any) -> str:
        answer = self.batch(*args, **more)
        return answer.note if answer else ""

    def ask(self, main: bool = False, section: dict[str, Any] = SECTION, trigger: str = "auto", **more: Any) -> Answer:
        return keeper.before_compaction(self.call("PreCompact", main, trigger=trigger, **more), section)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def decided(answer: Answer) -> tuple[object, object]:
    assert answer.log
    return answer.log["decision"], answer.log["why"]


@pytest.mark.parametrize(("kind", "point"), [("general-purpose", 50_000), ("Explore", 45_000)])
def test_held_below_the_point_and_passed_at_it(session: Session, kind: str, point: int) -> None:
    session.respond(point - 1)
    held = session.ask(agent_type=kind)
    assert decided(held) == ("held", "below")
    assert held.block
    session.respond(point)
    passed = session.ask(agent_type=kind)
    assert decided(passed) == ("passed", "forced")
    assert not passed.block


def test_main_has_its_own_point(session: Session) -> None:
    session.respond(55_000)
    session.respond(55_000, main=True)
    assert decided(session.ask()) == ("passed", "forced")
    assert decided(session.ask(main=True)) == ("held", "below")


@pytest.mark.parametrize("trigger", ["manual", "", "precompute"])
def test_other_triggers_pass(session: Session, trigger: str) -> None:
    session.respond(30_000)
    assert decided(session.ask(trigger=trigger))[0] == "passed"


def test_what_came_since_the_last_usage_counts(session: Session) -> None:
    """49,000 of usage and a result of 4,400 characters: 50,100."""
    session.respond(49_000)
    result = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x" * 4400}]
    session.add({"type": "user", "message": {"role": "user", "content": result}})
    assert session.ask().log["tokens"] == 50_100  # type: ignore[index]


def test_nothing_to_read_lets_it_pass(session: Session) -> None:
    session.agent.unlink()
    assert decided(session.ask()) == ("passed", "no reading")


def test_without_a_usage_it_is_estimated_from_the_text(session: Session) -> None:
    session.add({"type": "user", "message": {"role": "user", "content": "y" * 240_000}})
    assert decided(session.ask()) == ("passed", "forced")


def test_an_old_client_is_never_held(session: Session) -> None:
    session.respond(30_000, main=True)
    session.add({"type": "user", "version": "2.1.322", "message": {}}, main=True)
    assert decided(session.ask(main=True)) == ("passed", "old client")


@pytest.mark.parametrize("section", [{}, {"enabled": False}, {"enabled": "yes"}])
def test_switched_off_the_clients_own_point_holds(session: Session, section: dict[str, Any]) -> None:
    (session.folder / "home").mkdir()
    facts = {"compaction": {"window": 100_000, "percent": None}}
    (session.folder / "home" / "installed.json").write_text(json.dumps(facts))
    session.respond(66_999)
    assert decided(session.ask(section=section)) == ("held", "below the client's own point")
    session.respond(67_000)
    assert decided(session.ask(section=section)) == ("passed", "client's own point")
    assert session.batch(section=section) is None


def test_near_the_window_nothing_is_held(session: Session) -> None:
    far = {"enabled": True, "subagent": {"forceAt": "99%"}, "windows": {"opus": 200_000}}
    session.respond(169_999)
    assert decided(session.ask(section=far))[0] == "held"
    session.respond(170_000)
    assert decided(session.ask(section=far)) == ("passed", "near the window")


def test_haiku_is_left_to_the_client_unless_asked_otherwise(session: Session) -> None:
    session.respond(60_000, model="claude-haiku-5-5")
    assert decided(session.ask()) == ("held", "below the client's own point")
    assert decided(session.ask(agent_type="Explore")) == ("passed", "forced")


def test_the_frontmatter_wins_over_the_config(session: Session) -> None:
    agents = session.folder / ".claude" / "agents"
    agents.mkdir(parents=True)
    (agents / "e.md").write_bytes(b"\xef\xbb\xbf---\r\nname: Explore\r\nautoCompact: 30k # early\r\n---\r\n")
    session.respond(31_000)
    assert decided(session.ask(agent_type="Explore")) == ("passed", "forced")


def test_three_quick_refills_never_happen(session: Session) -> None:
    passed = []
    for _ in range(3):
        session.boundary()
        session.respond(60_000)
        passed.append(decided(session.ask())[0])
    assert passed == ["passed", "held", "held"]


def test_nudges_at_each_level_and_again_after_a_compaction(session: Session) -> None:
    said = []
    for size in (19_000, 20_000, 29_000, 31_000, 45_000):
        session.respond(size)
        said.append(bool(session.said()))
    session.boundary()
    said.append(bool(session.said()))
    keeper.after_compaction(session.call("SessionStart", source="compact"), SECTION)
    for size in (9_000, 21_000):
        session.respond(size)
        said.append(bool(session.said()))
    assert said == [False, True, False, True, True, False, False, True]


def test_a_stale_reading_after_a_compaction_uses_up_no_nudge(session: Session) -> None:
    session.respond(45_000)
    assert session.said()
    session.boundary()
    assert session.said() == ""
    session.respond(21_000)
    assert session.said()


def test_a_marker_arms_and_its_focus_goes_to_the_summariser(session: Session) -> None:
    session.respond(30_000, "<compact-now>keep names</compact-now>")
    assert "your request is taken" in session.said()
    passed = session.ask()
    assert decided(passed) == ("passed", "armed")
    assert passed.plain == "keep names"


def test_no_text_of_the_model_is_kept_in_the_state(session: Session) -> None:
    session.respond(30_000, "<compact-now>SECRET-FOCUS</compact-now>")
    session.batch()
    session.ask()
    kept = "".join(path.read_text() for path in (session.folder / "home").rglob("*") if path.is_file())
    assert "SECRET-FOCUS" not in kept


def test_below_the_first_nudge_a_request_is_refused_with_the_reason(session: Session) -> None:
    session.respond(15_000, "<compact-now>x</compact-now>")
    assert "refused: this context is 15,000 tokens, and it may ask from 20,000 on" in session.said()
    session.respond(15_500)
    assert decided(session.ask())[0] == "held"


def command(session: Session) -> dict[str, Any]:
    text = f"/usr/bin/python3 -I -S {session.folder}/home/run.py compact 'the names'"
    return {"tool_name": "Bash", "tool_input": {"command": text}, "tool_use_id": f"toolu_{session.count}"}


def test_main_arms_by_the_command_and_its_marker_counts_for_nothing(session: Session) -> None:
    session.respond(30_000, "<compact-now>x</compact-now>", main=True)
    assert "taken" not in session.said(main=True)
    session.respond(30_000, main=True)
    assert "taken" in session.said(main=True, tool_calls=[command(session)])


@pytest.mark.parametrize(
    ("prompt", "armed"), [("stop please", False), ("<task-notification><task-id>a1</task-id>", True)]
)
def test_a_persons_prompt_withdraws_it_and_a_notification_does_not(session: Session, prompt: str, armed: bool) -> None:
    session.respond(30_000, main=True)
    session.batch(main=True, tool_calls=[command(session)])
    answer = keeper.prompted(session.call("UserPromptSubmit", main=True, prompt=prompt), SECTION)
    assert (answer is None) == armed
    assert decided(session.ask(main=True))[0] == ("passed" if armed else "held")


def test_a_failed_turn_withdraws_it(session: Session) -> None:
    session.respond(30_000, main=True)
    session.batch(main=True, tool_calls=[command(session)])
    answer = keeper.failed(session.call("StopFailure", main=True), SECTION)
    assert answer
    assert "withdrawn" in answer.note


def test_the_brief_is_the_first_prompt_word_for_word(session: Session) -> None:
    answer = keeper.after_compaction(session.call("SessionStart", source="compact"), SECTION)
    assert answer
    assert answer.note.endswith('Do <it> "well".\nLine 2.')
    assert keeper.after_compaction(session.call("SessionStart", main=True, source="compact"), SECTION) is None


def test_a_long_brief_is_cut_and_says_so(session: Session) -> None:
    prompt = "z" * 300_000
    session.agent.write_text(json.dumps({"type": "user", "message": {"role": "user", "content": prompt}}) + "\n")
    answer = keeper.after_compaction(session.call("SessionStart", source="compact"), SECTION)
    assert answer
    assert answer.note.count("z") == 256_000
    assert "the first 256,000 of 300,000 characters" in answer.note


def test_a_lone_marker_stop_is_refused_once(session: Session) -> None:
    stop = session.call("SubagentStop", last_assistant_message="<compact-now>keep</compact-now>")
    first = keeper.stopped(stop, SECTION)
    assert first
    assert first.block
    assert keeper.stopped(stop, SECTION) is None


def test_a_reading_that_fell_to_half_unseen_is_logged(session: Session) -> None:
    session.respond(18_000)
    session.batch()
    session.respond(8_000)
    answer = session.batch()
    assert answer
    assert answer.log == {"decision": "compact-unseen", "tokens": 8_000, "before": 18_000}


def test_bad_values_are_named_once(session: Session) -> None:
    section = {**SECTION, "subagent": {"forceAt": "lots"}}
    session.respond(9_000)
    first = session.batch(section=section)
    assert first
    assert first.log == {"decision": "option-error", "options": ["forceAt in subagent"]}
    assert session.batch(section=section) is None


def late(monkeypatch: pytest.MonkeyPatch, write: Any) -> None:
    """The client's own writing, 50 ms after it asked."""
    monkeypatch.setattr(keeper, "WAIT", 5)
    Timer(0.05, write).start()


def test_a_response_that_is_written_late_still_counts(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.respond(40_000)
    late(monkeypatch, lambda: session.respond(52_000))
    assert decided(session.ask()) == ("passed", "forced")


def test_a_compaction_that_is_written_late_is_not_made_twice(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def compacted() -> None:
        session.boundary()
        session.respond(12_000)

    session.respond(52_000)
    late(monkeypatch, compacted)
    assert decided(session.ask()) == ("held", "below")
