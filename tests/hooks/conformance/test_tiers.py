"""Sizes, the brake, the messages: what the installed guard answers."""

from __future__ import annotations

from typing import Any

import pytest

from hooks.runtime.returns import COMPRESS, FILE, Policy, est_tokens, order

POLICY = Policy({"enabled": True}, "general-purpose", {})
ROUTES = pytest.mark.parametrize("route", ["stop", "handback"])
TIERS = [
    (1, "pass"),
    (999, "pass"),
    (1000, "pass"),
    (1001, COMPRESS),
    (2499, COMPRESS),
    (2500, COMPRESS),
    (2501, FILE),
    (50_000, FILE),
]


def text_of(tokens: int) -> str:
    """A report of exactly that many est. tokens."""
    text = "Verdict at a.py:1. " + "x" * (tokens * 4)
    return text[: tokens * 4]


@ROUTES
@pytest.mark.parametrize(("tokens", "tier"), TIERS)
def test_tier(copy: Any, events: Any, route: str, tokens: int, tier: str) -> None:
    copy.returns()
    said = copy.ask(events[route](text_of(tokens)))
    if tier == "pass":
        assert said.silent
    elif tier == COMPRESS:
        again = " Then call SubagentHandback again with the shorter message." if route == "handback" else ""
        assert said.order == order(COMPRESS, POLICY, tokens, again=again)
        assert ".claude/reports" not in said.order
    else:
        assert f"{copy.project}/.claude/reports/" in said.order
        assert "the budget is 1000. Above 2500" in said.order


@pytest.mark.parametrize(
    ("units", "tier"), [(3997, "pass"), (4000, "pass"), (4001, COMPRESS), (10_000, COMPRESS), (10_001, FILE)]
)
def test_tier_at_the_last_unit(copy: Any, events: Any, units: int, tier: str) -> None:
    copy.returns()
    said = copy.ask(events["stop"]("x" * units))
    assert said.silent == (tier == "pass")
    assert ("reports/" in said.order) == (tier == FILE)


@pytest.mark.parametrize(
    ("text", "blocked"),
    [
        ("😀" * 2000, False),  # two UTF-16 units each: 1000 tokens
        ("😀" * 2000 + "a", True),
        ("😀" * 5000, True),
        ("é" * 4000, False),  # one unit, two bytes
        ("é" * 4001, True),
        ("漢" * 4000, False),
        ("漢" * 4001, True),
        ("👨‍👩‍👧" * 500, False),  # eight units each
        ("👨‍👩‍👧" * 500 + "a", True),
        ("\ud83d" * 4000, False),  # half of a pair, as a cut text may hold
        ("\ud83d" * 4001, True),
    ],
)
def test_emoji_count_as_utf16_units(copy: Any, events: Any, text: str, blocked: bool) -> None:
    copy.returns()
    said = copy.ask(events["stop"](text))
    assert said.silent != blocked
    if blocked:
        assert f"about {est_tokens(text)} tokens" in said.order


@pytest.mark.parametrize("active", [False, None, "true", "True", 1, 0, "", [True], {"a": 1}, ...])
def test_only_true_is_the_brake(copy: Any, events: Any, active: Any) -> None:
    copy.returns()
    event = events["stop"](text_of(1500), stop_hook_active=active)
    if active is ...:
        del event["stop_hook_active"]
    assert copy.ask(event).order


@pytest.mark.parametrize("tokens", [1500, 4000])
def test_the_brake_is_checked_before_the_size(copy: Any, events: Any, tokens: int) -> None:
    copy.returns()
    assert copy.ask(events["stop"](text_of(tokens), stop_hook_active=True)).silent


@ROUTES
@pytest.mark.parametrize("text", [None, 7, 7.5, True, {"a": "x" * 9000}, ["x" * 9000], "", " ", "\n\t " * 9000, ...])
def test_anything_but_a_text_passes(copy: Any, events: Any, route: str, text: Any) -> None:
    copy.returns()
    event = events[route](text)
    if text is ...:
        event.pop("last_assistant_message", None)
        event["tool_input"] = {}
    assert copy.ask(event).silent


@pytest.mark.parametrize("value", [None, "x" * 9000, 7, ["x" * 9000], ...])
def test_a_hand_back_without_an_input_object_passes(copy: Any, events: Any, value: Any) -> None:
    copy.returns()
    event = events["handback"]("", tool_input=value)
    if value is ...:
        del event["tool_input"]
    assert copy.ask(event).silent


@ROUTES
def test_blocked_once_then_passed(copy: Any, events: Any, route: str) -> None:
    copy.returns()
    event = events[route](text_of(1500))
    assert copy.ask(event).order
    assert copy.ask(event).silent
    assert copy.ask(event).silent


def test_two_agents_are_blocked_each(copy: Any, events: Any) -> None:
    copy.returns()
    one, two = events["stop"](text_of(1500)), events["stop"](text_of(1500))
    two["session_id"] = one["session_id"]
    assert copy.ask(one).order
    assert copy.ask(two).order


def test_one_agent_id_in_two_sessions_is_two_agents(copy: Any, events: Any) -> None:
    copy.returns()
    one, two = events["stop"](text_of(1500)), events["stop"](text_of(1500))
    two["agent_id"] = one["agent_id"]
    assert copy.ask(one).order
    assert copy.ask(two).order


@pytest.mark.parametrize("first", [500, 1500])
def test_a_run_that_hands_back_is_never_judged_at_its_stop(copy: Any, events: Any, first: int) -> None:
    copy.returns()
    event = events["handback"](text_of(first))
    assert copy.ask(event).silent == (first == 500)
    stopped = events["stop"](text_of(4000), agent_id=event["agent_id"], session_id=event["session_id"])
    assert copy.ask(stopped).silent


def test_without_an_agent_id_only_the_stop_has_a_brake(copy: Any, events: Any) -> None:
    copy.returns()
    stopped, handed = events["stop"](text_of(1500)), events["handback"](text_of(1500))
    del stopped["agent_id"], handed["agent_id"]
    assert copy.ask(stopped).order
    assert copy.ask(handed).silent


@ROUTES
@pytest.mark.parametrize("agent_type", ["", None, 5, ["a"], ...])
def test_no_agent_type_no_order(copy: Any, events: Any, route: str, agent_type: Any) -> None:
    copy.returns()
    event = events[route](text_of(4000), agent_type)
    if agent_type is ...:
        del event["agent_type"]
    assert copy.ask(event).silent


@pytest.mark.parametrize(("passes", "files"), [(2500, 2500), (3000, 2500)])
def test_no_compress_tier_where_pass_reaches_file(copy: Any, events: Any, passes: int, files: int) -> None:
    copy.returns(passTokens=passes, fileTokens=files)
    assert copy.ask(events["stop"](text_of(passes))).silent
    said = copy.ask(events["stop"](text_of(passes + 1)))
    assert "reports/" in said.order
    assert "Above" not in said.order


def test_a_refusal_by_another_rule_does_not_spend_the_guard_s_block(copy: Any, events: Any) -> None:
    """At most two blocks for one agent, one for each reason."""
    copy.returns()
    event = events["stop"](text_of(1500), stop_hook_active=True)
    folder = copy.home / "state" / event["session_id"] / event["agent_id"]
    folder.mkdir(parents=True)
    (folder / "block-compact.latch").touch()
    assert copy.ask(event).order
    assert copy.ask(event).silent
    assert copy.ask({**event, "stop_hook_active": False}).silent


def test_two_blocks_of_other_rules_leave_none(copy: Any, events: Any) -> None:
    copy.returns()
    event = events["stop"](text_of(1500))
    folder = copy.home / "state" / event["session_id"] / event["agent_id"]
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"block-{name}.latch").touch()
    assert copy.ask(event).silent


def test_orders_say_what_they_are(copy: Any, events: Any) -> None:
    copy.returns()
    for tokens in (1500, 4000):
        text = copy.ask(events["stop"](text_of(tokens))).order
        assert "directive" in text
        assert "not user data" in text
        assert "the budget is 1000" in text
        assert "path:line" in text
