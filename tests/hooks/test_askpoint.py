"""The client's ask point: computed, written, recorded and given back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hooks.askpoint import percent, points, warnings
from hooks.autocompact import odd
from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.runtime.compaction import ask_point
from hooks.runtime.watch import PERCENT
from hooks.scopes import PROJECT, Scope

BEFORE = '{"env": {"A": "b"}, "permissions": {"allow": ["Read"]}}\n'


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scope:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "home" / ".claude"))
    monkeypatch.delenv(PERCENT, raising=False)
    (tmp_path / "p" / ".claude").mkdir(parents=True)
    return Scope(PROJECT, tmp_path / "p" / ".claude", tmp_path / "p")


def change(scope: Scope, mode: str, *features: str) -> dict[str, Any]:
    carry_out(plan(scope, Request(mode, features)))
    found: dict[str, Any] = json.loads(scope.settings().read_text())
    return found


def section(**values: Any) -> dict[str, Any]:
    return {"enabled": True, **values}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (section(), 20),  # 20 % of 1M = 200,000 of 980,000: 20.4
        (section(subagent={"nudgeFrom": "45k"}), 4),  # 4.59
        (section(subagent={"enabled": False}, main={"nudgeFrom": "50%", "forceAt": "40%"}), 40),
        (section(byAgentType={"Explore": {"forceAt": 120_000}}), 12),
        (section(subagent={"nudgeFrom": "1k"}), 20),  # out of reach, named in a warning
    ],
)
def test_the_highest_setting_that_asks_in_time(given: dict[str, Any], expected: int, tmp_path: Path) -> None:
    found = points(given, tmp_path)
    assert percent(found) == expected
    reachable = [one for one in found if one.tokens * 100 >= one.window - 20_000]
    assert all(ask_point(one.window, expected) <= one.tokens for one in reachable)
    assert any(ask_point(one.window, expected + 1) > one.tokens for one in reachable)


def test_agent_definitions_count(tmp_path: Path) -> None:
    (tmp_path / ".claude" / "agents").mkdir(parents=True)
    text = "---\nname: small\nmodel: haiku\nautoCompact: 40%\n---\n"
    (tmp_path / ".claude" / "agents" / "s.md").write_text(text)
    assert ("small", 40_000, 200_000) in [(one.party, one.tokens, one.window) for one in points(section(), tmp_path)]


def test_what_cannot_be_asked_at_is_named_once(tmp_path: Path) -> None:
    said = warnings(points(section(byAgentType={"tiny": {"nudgeFrom": "2k"}}), tmp_path))
    assert [text for text in said if "tiny: 2,000 tokens is below what the client can ask at" in text]


def test_install_disable_enable_and_uninstall(scope: Scope) -> None:
    scope.settings().write_text(BEFORE)
    settings = change(scope, "install", "compaction")
    assert settings["env"] == {"A": "b", PERCENT: "20"}
    assert "run.py compact:*" in settings["permissions"]["allow"][1]
    assert "env" not in change(scope, "disable", "compaction") or PERCENT not in scope.settings().read_text()
    assert change(scope, "enable", "compaction")["env"][PERCENT] == "20"
    change(scope, "uninstall")
    assert scope.settings().read_text() == BEFORE


def test_the_value_before_is_recorded_and_given_back(scope: Scope) -> None:
    before = json.dumps({"env": {PERCENT: "80", "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "300000"}})
    scope.settings().write_text(before)
    change(scope, "install", "compaction")
    change(scope, "upgrade")
    assert scope.record()["compaction"] == {"window": 300_000, "percent": 80}
    change(scope, "uninstall")
    assert scope.settings().read_text() == before


def test_it_is_never_lowered_for_a_client_that_does_not_say_whom_it_asks_about(scope: Scope) -> None:
    transcript = Path(str(scope.folder.parent.parent)) / "home" / ".claude" / "projects" / "x" / "s.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(json.dumps({"type": "user", "version": "2.1.322"}) + "\n")
    assert PERCENT not in str(change(scope, "install", "compaction"))
    transcript.write_text(json.dumps({"type": "user", "version": "2.1.323"}) + "\n")
    assert PERCENT in str(change(scope, "upgrade"))


def test_settings_that_a_policy_meets_are_named(scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    scope.settings().write_text(json.dumps({"autoCompactEnabled": False, "autoCompactWindow": 300_000}))
    monkeypatch.setenv(PERCENT, "70")
    said = {row.key: meaning for row, meaning in odd(scope)}
    assert "nothing is forced" in said["autoCompactEnabled"]
    assert "held up to its own point" in said["autoCompactWindow"]
    assert "may still win" in said[PERCENT]
    monkeypatch.delenv(PERCENT)
    scope.settings().write_text("{}")
    change(scope, "install", "compaction")
    assert odd(scope) == []
