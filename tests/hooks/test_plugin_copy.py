"""The plugin's folder: there while a scope wants it, and gone without a trace after the last."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooks import plugin_copy
from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.runtime.routes import PLUGIN_FILES
from hooks.scopes import Scope
from hooks.show import plan_lines

SHORTEN = {"returns": {"mode": "shorten", "passTokens": 1000, "fileTokens": 2500}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / ".claude"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return folder


def project(tmp_path: Path, name: str) -> Scope:
    return Scope("project", tmp_path / name / ".claude", tmp_path / name)


def do(scope: Scope, mode: str, **given: object) -> str:
    made = plan(scope, Request(mode, ("returns",), given))  # type: ignore[arg-type]
    text = "\n".join(plan_lines(made))
    carry_out(made)
    return text


def test_only_where_reports_are_shortened(home: Path, tmp_path: Path) -> None:
    do(project(tmp_path, "a"), "install")
    assert not (home / "skills").exists()


def test_whole_and_named_in_the_plan(home: Path, tmp_path: Path) -> None:
    text = do(project(tmp_path, "a"), "install", **SHORTEN)
    assert "skills/setpoint-returns" in text
    found = plugin_copy.state()
    assert (found["present"], found["wanted"], found["differing"]) == (5, 5, [])
    assert "skills/setpoint-returns" not in do(project(tmp_path, "a"), "install", **SHORTEN)


def test_the_hooks_know_all_its_files() -> None:
    assert sorted(plugin_copy.sources()) == sorted(PLUGIN_FILES)


def test_for_one_type_too(home: Path, tmp_path: Path) -> None:
    do(project(tmp_path, "a"), "install", returns={"byAgentType": {"Explore": {"mode": "shorten"}}})
    assert (home / "skills" / "setpoint-returns").exists()


def test_the_last_scope_takes_it_away(home: Path, tmp_path: Path) -> None:
    one, two = project(tmp_path, "a"), project(tmp_path, "b")
    do(one, "install", **SHORTEN)
    do(two, "install", **SHORTEN)
    do(one, "uninstall")
    assert (home / "skills" / "setpoint-returns").exists()
    assert "(removed)" in do(two, "uninstall")
    assert not (home / "skills").exists()


def test_another_mode_takes_it_away(home: Path, tmp_path: Path) -> None:
    do(project(tmp_path, "a"), "install", **SHORTEN)
    do(project(tmp_path, "a"), "install", returns={"mode": "block"})
    assert not (home / "skills").exists()


def test_skills_of_the_user_stay(home: Path, tmp_path: Path) -> None:
    (home / "skills" / "mine").mkdir(parents=True)
    do(project(tmp_path, "a"), "install", **SHORTEN)
    do(project(tmp_path, "a"), "purge")
    assert [path.name for path in (home / "skills").iterdir()] == ["mine"]


def test_an_empty_skills_folder_of_the_user_stays(home: Path, tmp_path: Path) -> None:
    (home / "skills").mkdir()
    do(project(tmp_path, "a"), "install", **SHORTEN)
    do(project(tmp_path, "a"), "uninstall")
    assert list((home / "skills").iterdir()) == []


def test_a_scope_that_is_gone_holds_it_no_longer(home: Path, tmp_path: Path) -> None:
    one, two = project(tmp_path, "a"), project(tmp_path, "b")
    do(one, "install", **SHORTEN)
    do(two, "install", **SHORTEN)
    (one.home / "run.py").unlink()
    do(two, "uninstall")
    assert not (home / "skills").exists()


def test_upgrade_mends_it(home: Path, tmp_path: Path) -> None:
    do(project(tmp_path, "a"), "install", **SHORTEN)
    (home / "skills" / "setpoint-returns" / "src" / "rules.ts").write_text("old")
    root = str(tmp_path / "a")
    assert plugin_copy.status("2.1.332", root)["why"] == "not whole: setpoint hooks upgrade"
    do(project(tmp_path, "a"), "upgrade")
    assert plugin_copy.status("2.1.332", root)["why"] is None
    assert plugin_copy.status("2.1.328", root)["why"] == "client 2.1.328 does not know its event"
    assert plugin_copy.status(None, root)["why"] is None


def test_status_says_when_the_user_switched_it_off(home: Path, tmp_path: Path) -> None:
    do(project(tmp_path, "a"), "install", **SHORTEN)
    (home / "settings.json").write_text('{"enabledPlugins": {"setpoint-returns@skills-dir": false}}')
    off = "the settings switch setpoint-returns@skills-dir off"
    assert plugin_copy.status("2.1.332", str(tmp_path / "a"))["why"] == off
    local = tmp_path / "a" / ".claude" / "settings.local.json"
    local.write_text('{"enabledPlugins": {"setpoint-returns@skills-dir": true}}')
    assert plugin_copy.status("2.1.332", str(tmp_path / "a"))["why"] is None


def test_its_record_names_who_wants_it(home: Path, tmp_path: Path) -> None:
    scope = project(tmp_path, "a")
    do(scope, "install", **SHORTEN)
    record = json.loads((home / "skills" / "setpoint-returns" / plugin_copy.USERS).read_text())
    assert record == {"homes": [str(scope.home)], "made_skills": True}
