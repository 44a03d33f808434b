"""What context, reads, statusline and output put into the settings, and that they take it out again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from hooks.autocompact import in_force, lines
from hooks.features import CONTEXT, Place, by_name, entries, output_cap, status_line
from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.scopes import PROJECT, Scope
from hooks.trials import field_of, trials

BEFORE = '{\n  "statusLine": {"type": "command", "command": "mine"},\n  "env": {"A": "b"}\n}\n'


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scope:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / "p" / ".claude").mkdir(parents=True)
    return Scope(PROJECT, tmp_path / "p" / ".claude", tmp_path / "p")


def change(scope: Scope, mode: str, *features: str) -> dict[str, Any]:
    carry_out(plan(scope, Request(mode, features)))
    found: dict[str, Any] = json.loads(scope.settings().read_text())
    return found


def test_install_and_uninstall_give_back_what_stood_there(scope: Scope) -> None:
    scope.settings().write_text(BEFORE)
    settings = change(scope, "install", "context", "reads", "statusline", "output")
    assert settings["bashOutputMaxChars"] == 4000
    assert "run.py" in settings["statusLine"]["command"]
    assert set(settings["hooks"]) == {"PostToolBatch", "PreToolUse", "SessionStart"}
    change(scope, "uninstall", "statusline")
    assert json.loads(scope.settings().read_text())["statusLine"]["command"] == "mine"
    change(scope, "uninstall")
    assert scope.settings().read_text() == BEFORE


def test_a_shared_entry_stays_while_another_feature_needs_it(scope: Scope) -> None:
    change(scope, "install", "context", "reads")
    assert set(change(scope, "uninstall", "reads")["hooks"]) == {"PostToolBatch"}


def test_clients_without_the_batch_event_get_the_event_per_tool() -> None:
    assert [entry.event for entry in entries([CONTEXT], "2.1.110")] == ["PostToolUse"]
    assert [entry.event for entry in entries([CONTEXT], "2.1.118")] == ["PostToolBatch"]
    assert [entry.event for entry in entries([CONTEXT])] == ["PostToolBatch"]


def test_the_status_line_survives_any_path() -> None:
    place = Place("/opt/my python/bin/python3", Path("/home/a b/it's $HOME/run.py"), Path("/"), None)
    command = status_line({"enabled": True}, place)["statusLine",]["command"]
    assert shlex.split(command) == [
        "/opt/my python/bin/python3",
        "-I",
        "-S",
        "/home/a b/it's $HOME/run.py",
        "statusline",
    ]


@pytest.mark.parametrize(
    ("given", "written"), [(4000, 4000), (9000, 9000), (100, 4000), (None, 4000), (True, 4000), ("x", 4000)]
)
def test_the_output_cap_is_what_the_client_takes(given: object, written: int) -> None:
    place = Place("", Path(), Path(), None)
    assert output_cap({"enabled": True, "bashOutputMaxChars": given}, place)["bashOutputMaxChars",] == written


def test_settings_of_auto_compaction_are_named_in_order(scope: Scope) -> None:
    scope.settings().write_text(json.dumps({"autoCompactWindow": 200_000, "env": {"DISABLE_AUTO_COMPACT": "1"}}))
    scope.settings("settings.local.json").write_text(json.dumps({"autoCompactWindow": 300_000}))
    rows = in_force(scope, {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "40"})
    assert [(row.key, row.value, row.source) for row in rows] == [
        ("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "40", "environment"),
        ("autoCompactWindow", 300_000, "project settings.local.json"),
        ("DISABLE_AUTO_COMPACT", "1", "project settings.json env"),
        ("autoCompactWindow", 200_000, "project settings.json"),
    ]
    assert len(lines(scope)) > 1


def test_the_doctor_demands_a_positive_answer_of_every_feature_with_entries() -> None:
    for name in ("returns", "context", "reads", "compaction"):
        feature = by_name(name)
        assert feature
        found = trials([name])
        assert any(not trial.expects("") for trial in found), name
        assert {trial.event["hook_event_name"] for trial in found} <= {entry.event for entry in feature.entries}


def test_field_of_an_answer_that_is_no_json_is_none() -> None:
    assert field_of("no", "a") is None
