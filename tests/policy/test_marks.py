"""Lines of the pictures: from the price table and from setpoint.json, by the rules in force."""

import json
from pathlib import Path

from hooks.runtime.config import Config
from measure.plots.marks import BOUND, PRICE, SECOND, Mark
from policy.marks import context_marks, price_steps, return_limits
from policy.prices import load


def config(folder: Path, **sections: object) -> Config:
    (folder / ".claude").mkdir()
    (folder / ".claude" / "setpoint.json").write_text(json.dumps(sections))
    return Config(str(folder), None)


def test_price_steps_come_from_the_table_with_their_factor() -> None:
    assert price_steps(load(), "claude-haiku-5-5-20261001") == [Mark(100_000, "price x5 above", PRICE)]
    assert price_steps(load(), "claude-opus-5-5") == []
    assert price_steps(load(), "a model nobody prices") == []
    assert price_steps(load(), None) == []


def test_without_a_config_only_price_steps_are_drawn(tmp_path: Path) -> None:
    marks = context_marks(load(), Config(str(tmp_path), None))
    assert marks(False, "Plan", "claude-opus-5-5") == []


def test_the_bound_is_the_one_the_hook_enforces(tmp_path: Path) -> None:
    section = {"enabled": True, "maxTokens": 90_000, "byAgentType": {"Explore": 60_000}}
    marks = context_marks(load(), config(tmp_path, context=section))
    assert marks(False, "Explore", "claude-opus-5-5") == [Mark(60_000, "context bound", BOUND)]
    assert marks(False, None, "claude-opus-5-5") == [Mark(90_000, "context bound", BOUND)]
    assert marks(True, None, "claude-opus-5-5") == []


def test_a_forced_compaction_is_drawn_where_it_is_switched_on(tmp_path: Path) -> None:
    section = {"enabled": True, "main": {"forceAt": 120_000}, "byAgentType": {"Explore": {"forceAt": "50k"}}}
    marks = context_marks(load(), config(tmp_path, compaction=section))
    assert marks(True, None, "claude-opus-5-5") == [Mark(120_000, "compaction forced", SECOND)]
    assert marks(False, "Explore", "claude-opus-5-5") == [Mark(50_000, "compaction forced", SECOND)]


def test_return_limits_are_those_of_the_type(tmp_path: Path) -> None:
    section = {
        "enabled": True,
        "passTokens": 1_500,
        "byAgentType": {"Explore": {"passTokens": 600}},
        "exempt": ["Plan"],
    }
    limits = return_limits(config(tmp_path, returns=section))
    assert [mark.tokens for mark in limits("Explore")] == [600, 2_500]
    assert [mark.label for mark in limits(None)] == ["pass limit", "file limit"]
    assert limits("Plan") == ()


def test_limits_not_in_force_are_named_so(tmp_path: Path) -> None:
    limits = return_limits(config(tmp_path, returns={"enabled": False, "passTokens": 700}))
    assert limits(None)[0] == Mark(700, "pass limit (default, not in force)", BOUND)
