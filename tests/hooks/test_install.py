"""The installer over a folder of its own: what it does, what it never does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hooks import copies, files
from hooks.features import FEATURES, by_name, entries
from hooks.scopes import Scope
from hooks.settings import ours

Run = Callable[..., subprocess.CompletedProcess[str]]
ENTRIES = len(entries([feature for feature in FEATURES if feature.name == "returns"]))
FOREIGN = {"type": "command", "command": "node other.js"}
USUAL = '{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Read", "Bash(ls:*)"]\n  }\n}\n'


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    return Scope("project", project / ".claude", project)


@pytest.fixture
def user(tmp_path: Path) -> Scope:
    folder = tmp_path / "home" / ".claude"
    folder.mkdir(parents=True)
    return Scope("global", folder, None)


@pytest.fixture
def run(scope: Scope, user: Scope, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in this project and this home."""
    from typer.testing import CliRunner

    from hooks.cli import app

    monkeypatch.setenv("HOME", str(user.folder.parent))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    assert scope.project
    monkeypatch.chdir(scope.project)

    def call(*words: str, code: int = 0) -> Any:
        result = CliRunner().invoke(app, list(words))
        assert result.exit_code == code, result.output
        return result

    return call


def settings(scope: Scope, name: str = "settings.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scope.settings(name).read_text(encoding="utf-8"))
    return found


def config(scope: Scope) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scope.config.read_text(encoding="utf-8"))
    return found


def everything(folder: Path) -> dict[str, bytes]:
    """Every file under a folder but logs, backups and byte code."""
    left_out = ("backups", "__pycache__", "log")
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not set(left_out) & set(path.parts))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


INSTALL = ("install", "returns", "project", "1000", "2500")


def test_fresh_install(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    assert len(ours(settings(scope))) == ENTRIES
    assert config(scope)["returns"] == {"enabled": True, "mode": "block", "passTokens": 1000, "fileTokens": 2500}
    assert set(copies.sources()) <= set(everything(scope.home))
    assert list((scope.home / "runtime" / "__pycache__").glob("*.pyc"))


def test_the_copy_is_byte_for_byte(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    for name, data in copies.sources().items():
        assert (scope.home / name).read_bytes() == data == (Path(copies.PACKAGE) / name).read_bytes()


def test_install_twice_is_install_once(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    run(*INSTALL)
    once = everything(scope.folder)
    run(*INSTALL)
    run("install", "returns", "--scope", "project")
    assert everything(scope.folder) == once


@pytest.mark.parametrize(
    "words",
    [
        ("install", "returns", "project", "1000", "2500"),
        ("1000", "project", "install", "2500", "returns"),
        ("returns", "install", "--pass", "1000", "--file", "2500", "--scope", "project"),
        ("install", "--yes"),
        ("INSTALL", "Returns", "PROJECT", "1000", "2500"),
    ],
)
def test_words_in_any_order(run: Run, scope: Scope, words: tuple[str, ...]) -> None:
    run(*words)
    assert config(scope)["returns"]["passTokens"] == 1000
    assert config(scope)["returns"]["fileTokens"] == 2500


# what lies on the disk is in the way; the other refusals are bad usage
STATES = ("does not run", "install first", "nothing of ours", "nothing to import")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("install", "retruns"), "is no mode"),
        (("install", "uninstall"), "Give one mode"),
        (("install", "project", "global"), "Give one scope"),
        (("install", "project", "returns", "1", "2", "3"), "at most two numbers"),
        (("install", "project", "returns", "2500", "1000"), "must be below"),
        (("install", "project", "returns", "1000", "1000"), "must be below"),
        (("install", "returns", "project", "1000", "2500", "--pass-for", "Explore=3000"), "for Explore"),
        (("install", "returns", "project", "--pass-for", "Explore"), "TYPE=TOKENS"),
        (("install", "returns", "--scope", "planet", "--yes"), "no scope planet"),
        (("install", "returns", "project", "1000", "2500", "--mode", "shout"), "--mode shout"),
        (("install", "returns", "project", "1000", "2500", "--python", "python3"), "absolute path"),
        (("install", "returns", "project", "1000", "2500", "--python", "/nowhere/python3"), "does not run"),
        (("upgrade", "project"), "install first"),
        (("enable", "project"), "install first"),
        (("uninstall",), "nothing of ours"),
        (("import", "project"), "nothing to import"),
    ],
)
def test_refusals_are_one_sentence_and_change_nothing(
    run: Run, scope: Scope, words: tuple[str, ...], says: str
) -> None:
    result = run(*words, code=1 if says in STATES else 2)
    assert says in result.output
    assert "Traceback" not in result.output
    assert everything(scope.folder) == {}


@pytest.mark.parametrize(
    ("words", "unsaid"),
    [
        (("install",), "the scope, the features, the limits"),
        (("install", "returns", "project"), "the limits"),
        (("install", "returns", "1000", "2500"), "the scope"),
    ],
)
def test_what_is_unknown_is_asked_and_without_a_terminal_refused(
    run: Run, scope: Scope, words: tuple[str, ...], unsaid: str
) -> None:
    result = run(*words, code=1)
    assert unsaid in result.output
    assert "Plan:" in result.output
    assert everything(scope.folder) == {}


def test_a_dry_run_shows_the_diff_and_changes_nothing(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    before = everything(scope.folder)
    result = run(*INSTALL, "--dry-run")
    assert '+  "hooks": {' in result.output
    assert "passTokens" in result.output
    assert everything(scope.folder) == before


def test_the_plan_has_its_five_lines(run: Run) -> None:
    lines = run(*INSTALL, "--dry-run").output.splitlines()
    assert [line.split()[0] for line in lines[:5]] == ["Plan:", "files", "entries", "limits", "stays"]


def test_uninstall_restores_every_byte(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    run(*INSTALL)
    run("uninstall")
    assert scope.settings().read_text() == USUAL
    assert set(everything(scope.folder)) == {"settings.json", "setpoint.json", "setpoint/.gitignore"}


def test_uninstall_never_deletes_the_file(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    run("uninstall")
    assert scope.settings().read_text() == "{}\n"


def test_uninstall_spares_others(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    changed = settings(scope)
    changed["hooks"]["SubagentStop"].append({"hooks": [FOREIGN]})
    changed["hooks"]["Stop"] = [{"hooks": [FOREIGN]}]
    changed["hooks"]["SubagentStart"][0]["hooks"].append(FOREIGN)
    changed["model"] = "sonnet"
    scope.settings().write_text(json.dumps(changed, indent=2))
    run("uninstall")
    assert settings(scope) == {
        "hooks": {
            "SubagentStart": [{"matcher": ".+", "hooks": [FOREIGN]}],
            "SubagentStop": [{"hooks": [FOREIGN]}],
            "Stop": [{"hooks": [FOREIGN]}],
        },
        "model": "sonnet",
    }


def test_foreign_hooks_present(run: Run, scope: Scope) -> None:
    text = json.dumps({"hooks": {"SubagentStop": [{"hooks": [FOREIGN]}], "Stop": []}}, indent=4)
    scope.settings().write_text(text)
    run(*INSTALL)
    assert settings(scope)["hooks"]["SubagentStop"][0] == {"hooks": [FOREIGN]}
    run("uninstall")
    assert scope.settings().read_text() == text


def test_purge_takes_all_away(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    run(*INSTALL)
    run("purge", "project")
    assert everything(scope.folder) == {"settings.json": USUAL.encode()}
    assert not scope.home.exists()


BROKEN = {
    "comment": '{\n  // mine\n  "model": "opus"\n}\n',
    "block comment": '/* x */ {"model": "opus"}',
    "trailing comma": '{"model": "opus",}',
    "half": '{"model": ',
    "empty": "",
    "array": "[]",
    "text": '"x"',
    "key twice": '{"hooks": {}, "hooks": {}}',
    "hooks is a list": '{"hooks": []}',
    "event is an object": '{"hooks": {"SubagentStop": {}}}',
    "single quotes": "{'model': 'opus'}",
}


@pytest.mark.parametrize("name", BROKEN)
def test_settings_that_are_not_strict_json_are_refused(run: Run, scope: Scope, name: str) -> None:
    scope.settings().write_text(BROKEN[name])
    result = run(*INSTALL, code=1)
    assert "cannot be changed safely" in result.output
    assert "setpoint hooks snippet" in result.output
    assert everything(scope.folder) == {"settings.json": BROKEN[name].encode()}


@pytest.mark.parametrize("name", [feature.name for feature in FEATURES])
def test_the_snippet_is_what_an_install_would_write(name: str, run: Run, scope: Scope) -> None:
    printed = json.loads(run("snippet", name, "--json").stdout)["settings"]
    assert printed
    run("install", name, "project", "--yes")
    assert printed == settings(scope)


def test_settings_that_are_not_utf8_are_refused(run: Run, scope: Scope) -> None:
    scope.settings().write_bytes(b'{"model": "\xe9"}')
    assert "is not UTF-8" in run(*INSTALL, code=1).output
    assert scope.settings().read_bytes() == b'{"model": "\xe9"}'


def test_a_read_only_file_is_left_alone(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    scope.settings().chmod(0o444)
    assert "read-only" in run(*INSTALL, code=1).output
    assert set(everything(scope.folder)) == {"settings.json"}


@pytest.mark.parametrize(
    "text", ['{"é": "漢😀"}', '{"x": "\\u00e9"}', '{\r\n\t"a": 1\r\n}\r\n', '{"a":1}', '  {"a": 1}  ']
)
def test_odd_spellings_are_kept(run: Run, scope: Scope, text: str) -> None:
    scope.settings().write_bytes(text.encode())
    run(*INSTALL)
    written = scope.settings().read_bytes().decode()
    assert text.strip().rstrip("}").rstrip() in written
    run("uninstall")
    assert scope.settings().read_bytes().decode() == text


def test_a_byte_order_mark_goes_and_comes_back(run: Run, scope: Scope) -> None:
    """The client reads no settings behind one."""
    scope.settings().write_bytes(b"\xef\xbb\xbf" + USUAL.encode())
    run(*INSTALL)
    assert scope.settings().read_bytes().startswith(b"{")
    run("uninstall")
    assert scope.settings().read_bytes() == b"\xef\xbb\xbf" + USUAL.encode()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_mode_is_kept(run: Run, scope: Scope, mode: int) -> None:
    scope.settings().write_text(USUAL)
    scope.settings().chmod(mode)
    run(*INSTALL)
    assert scope.settings().stat().st_mode & 0o777 == mode
    run("uninstall")
    assert scope.settings().stat().st_mode & 0o777 == mode


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_is_kept(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    os.chown(scope.settings(), 12345, 12346)
    run(*INSTALL)
    assert (scope.settings().stat().st_uid, scope.settings().stat().st_gid) == (12345, 12346)


def test_a_symlink_stays_one(run: Run, scope: Scope, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "settings.json"
    target.parent.mkdir()
    target.write_text(USUAL)
    scope.settings().symlink_to(target)
    assert "is a link to" in run(*INSTALL).output
    assert scope.settings().is_symlink()
    assert len(ours(json.loads(target.read_text()))) == ENTRIES
    run("uninstall")
    assert scope.settings().is_symlink()
    assert target.read_text() == USUAL


def test_backups_are_dated_and_at_most_five(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    for _ in range(4):
        run(*INSTALL)
        run("uninstall")
    kept = sorted((scope.home / "backups").glob("settings.json.*"))
    assert len(kept) == files.BACKUPS
    assert all(path.name.split(".")[2][:2] == "20" for path in kept)


def test_the_first_backup_is_the_file_as_it_was(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    run(*INSTALL)
    assert [path.read_text() for path in (scope.home / "backups").glob("settings.json.*")] == [USUAL]


def test_local_settings(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    run(*INSTALL, "--local")
    assert scope.settings().read_text() == USUAL
    assert len(ours(settings(scope, "settings.local.json"))) == ENTRIES
    run(*INSTALL)
    assert scope.settings().read_text() == USUAL
    run(*INSTALL, "--shared")
    assert len(ours(settings(scope))) == ENTRIES
    assert ours(settings(scope, "settings.local.json")) == []
    run("uninstall")
    assert scope.settings().read_text() == USUAL


def test_a_file_tracked_by_git_is_warned_of(run: Run, scope: Scope) -> None:
    assert scope.project
    scope.settings().write_text(USUAL)
    for words in (["init", "-q"], ["add", ".claude/settings.json"]):
        subprocess.run(["git", *words], cwd=scope.project, check=True, capture_output=True)
    assert "tracked by git" in run(*INSTALL, "--dry-run").output
    assert "tracked by git" not in run(*INSTALL, "--dry-run", "--local").output


def test_our_folder_is_ignored_by_git(run: Run, scope: Scope) -> None:
    assert scope.project
    run(*INSTALL)
    subprocess.run(["git", "init", "-q"], cwd=scope.project, check=True, capture_output=True)
    done = subprocess.run(
        ["git", "status", "--short", "-uall"], cwd=scope.project, check=True, capture_output=True, text=True
    )
    assert "setpoint/" not in done.stdout


def test_both_scopes_are_two_tasks(run: Run, scope: Scope, user: Scope) -> None:
    run("install", "returns", "both", "1000", "2500")
    for place in (scope, user):
        assert len(ours(settings(place))) == ENTRIES
    assert "say which with --scope" in run("uninstall", code=1).output
    run("uninstall", "global")
    assert len(ours(settings(scope))) == ENTRIES
    assert ours(settings(user)) == []


def test_the_home_folder_is_no_project(run: Run, user: Scope, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk upward from a folder without marks ends at the user's own .claude."""
    inside = user.folder.parent / "work"
    inside.mkdir()
    monkeypatch.chdir(inside)
    run(*INSTALL)
    assert (inside / ".claude" / "settings.json").exists()
    assert not user.settings().exists()


def test_limits_change_by_a_second_install_and_history_tells(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    run("install", "returns", "project", "800", "2000", "--pass-for", "Explore=600", "--exempt", "auditor-*")
    section = config(scope)["returns"]
    assert (section["passTokens"], section["fileTokens"]) == (800, 2000)
    assert section["byAgentType"] == {"Explore": {"passTokens": 600}}
    assert section["exempt"] == ["auditor-*"]
    assert [row["limits"]["passTokens"] for row in config(scope)["history"]] == [1000, 800]


def test_disable_and_enable_change_only_the_flag(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    text = '{"returns":{"enabled":true,   "passTokens":7,"fileTokens":9}, "mine": [ ]}'
    scope.config.write_text(text)
    before = everything(scope.folder)
    run("disable")
    assert scope.config.read_text() == text.replace("true", "false")
    run("enable")
    assert everything(scope.folder) == before


def test_a_disabled_section_stays_disabled(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    run("disable")
    run("upgrade")
    run("install", "returns", "project", "900", "2500")
    assert config(scope)["returns"]["enabled"] is False


def test_upgrade_mends_and_keeps_the_limits(run: Run, scope: Scope) -> None:
    run("install", "returns", "project", "700", "1900")
    whole = everything(scope.folder)
    (scope.home / "runtime" / "guard.py").unlink()
    (scope.home / "runtime" / "returns.py").write_text("old")
    (scope.home / "runtime" / "gone_module.py").write_text("old")
    broken = settings(scope)
    del broken["hooks"]["SubagentStop"]
    scope.settings().write_text(json.dumps(broken, indent=2) + "\n")
    state = json.loads(run("status", "--json").stdout)["scopes"][0]
    assert state["state"] == "half installed"
    assert len(state["why"]) == 3
    run("upgrade")
    assert set(everything(scope.folder)) == set(whole)
    assert len(ours(settings(scope))) == ENTRIES
    assert config(scope)["returns"]["passTokens"] == 700
    assert json.loads(run("status", "--json").stdout)["scopes"][0]["state"] == "installed"


def test_a_lost_record_is_no_obstacle(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    run(*INSTALL)
    (scope.home / "installed.json").unlink()
    run("upgrade")
    assert json.loads(run("status", "--json").stdout)["scopes"][0]["state"] == "installed"
    (scope.home / "installed.json").unlink()
    run("uninstall")
    assert scope.settings().read_text() == USUAL


EVERYTHING = ("install", *(feature.name for feature in FEATURES), "project", "--yes")


@pytest.mark.parametrize("lost", ["record", "folder", "broken"])
@pytest.mark.parametrize("then", [(), ("upgrade",), EVERYTHING])
def test_what_we_set_goes_even_when_the_record_is_lost(
    run: Run, scope: Scope, lost: str, then: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left behind, a lowered ask point would make the client compact early with nobody to hold it."""
    monkeypatch.delenv("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", raising=False)
    scope.settings().write_text(USUAL)
    run(*EVERYTHING)
    if lost == "record":
        (scope.home / "installed.json").unlink()
    elif lost == "folder":
        shutil.rmtree(scope.home)
    else:
        (scope.home / "installed.json").write_text('{"journals": [1], "features": "x", "python": 5}')
    if then:
        run(*then)
        assert json.loads((scope.home / "installed.json").read_text())["compaction"] == {
            "window": None,
            "percent": None,
        }
    run("uninstall")
    assert scope.settings().read_text() == USUAL


def test_values_of_the_users_own_are_not_taken_for_ours(run: Run, scope: Scope) -> None:
    run(*EVERYTHING)
    run("uninstall")
    own = '{"bashOutputMaxChars": 4000, "env": {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "20"}}\n'
    scope.settings().write_text(own)
    run(*INSTALL)
    run("uninstall")
    assert scope.settings().read_text() == own


@pytest.mark.parametrize(
    "journal",
    [
        {"created": "x"},
        {"created": [[]]},
        {"scalars": [1]},
        {"scalars": [{"path": "x", "set": 1}]},
        {"scalars": [{"path": ["x"]}]},
        {"members": {"a": 1}},
        {"spellings": []},
        {"spellings": {"a": 1}},
        {"bom": "x"},
    ],
)
def test_a_journal_somebody_edited_is_no_fault(run: Run, scope: Scope, journal: dict[str, Any]) -> None:
    run(*EVERYTHING)
    record = json.loads((scope.home / "installed.json").read_text())
    record["journals"]["settings.json"] = journal
    (scope.home / "installed.json").write_text(json.dumps(record))
    run("upgrade")
    run("uninstall")
    assert scope.settings().read_text() == "{}\n"


def test_what_the_user_put_in_place_of_ours_comes_back(run: Run, scope: Scope) -> None:
    run("install", "statusline", "project")
    scope.settings().write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    run("upgrade")
    run("uninstall")
    assert settings(scope)["statusLine"]["command"] == "mine"


def test_one_scope_does_not_take_the_other_for_the_client(
    run: Run, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("install", "compaction", "global")
    monkeypatch.setenv("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "20")  # as in a session of the client
    run("install", "compaction", "project")
    assert json.loads((scope.home / "installed.json").read_text())["compaction"] == {"window": None, "percent": None}


def test_settings_that_became_unreadable_are_named(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    text = scope.settings().read_text() + "// mine\n"
    scope.settings().write_text(text)
    assert "settings.json is no strict JSON" in run("status").stdout
    assert "by hand" in run("uninstall", code=1).output
    assert scope.settings().read_text() == text


def test_the_plan_names_what_is_set_beside_hooks(run: Run) -> None:
    plan = run(*EVERYTHING, "--dry-run").stdout.partition("\n---")[0]
    for part in (
        "env CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
        "statusLine",
        "bashOutputMaxChars",
        "permissions allow",
    ):
        assert part in plan


def test_a_config_that_is_gone_stops_the_upgrade(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    scope.config.unlink()
    assert "install first" in run("upgrade", code=1).output


@pytest.mark.parametrize("text", ["{", "[]", '{"returns": 1,}'])
def test_a_malformed_config_is_refused(run: Run, scope: Scope, text: str) -> None:
    scope.config.write_text(text)
    assert "nothing was changed" in run(*INSTALL, code=1).output
    assert everything(scope.folder) == {"setpoint.json": text.encode()}


def test_what_the_user_wrote_into_the_config_stays(run: Run, scope: Scope) -> None:
    scope.config.write_text('{"mine": 1, "returns": {"spill": true, "passTokens": 1200}}')
    run("install", "returns", "project", "--file", "3000")
    assert config(scope)["mine"] == 1
    section = config(scope)["returns"]
    assert section == {"spill": True, "passTokens": 1200, "enabled": True, "mode": "block", "fileTokens": 3000}


def test_import_takes_over_the_old_config(run: Run, scope: Scope) -> None:
    old = scope.folder / "agent-return.json"
    old.write_text('{"enabled": true, "passTokens": 1500, "fileTokens": 4000, "version": "5.5.0"}')
    run("import", "project")
    section = config(scope)["returns"]
    assert (section["enabled"], section["passTokens"], section["fileTokens"]) == (True, 1500, 4000)
    assert len(ours(settings(scope))) == ENTRIES
    assert old.exists()


@pytest.mark.parametrize("text", ["{", "[]", "5"])
def test_import_refuses_a_malformed_config(run: Run, scope: Scope, text: str) -> None:
    (scope.folder / "agent-return.json").write_text(text)
    assert "nothing was changed" in run("import", "project", code=1).output


def test_import_keeps_an_old_config_that_is_off_off(run: Run, scope: Scope) -> None:
    (scope.folder / "agent-return.json").write_text('{"enabled": "true", "passTokens": -5}')
    run("import", "project")
    section = config(scope)["returns"]
    assert (section["enabled"], section["passTokens"]) == (False, 1000)


def test_sections_of_a_fit_are_taken_with_their_evidence(run: Run, scope: Scope, tmp_path: Path) -> None:
    evidence = {"passTokens": {"n": 412, "interval": [880, 1240], "method": "percentile", "date": "2026-11-30"}}
    fitted = {"returns": {"passTokens": 1100, "fileTokens": 2600, "evidence": evidence}}
    (tmp_path / "fit.json").write_text(json.dumps(fitted))
    run("install", "project", "--sections", str(tmp_path / "fit.json"))
    assert config(scope)["returns"]["evidence"] == evidence
    assert config(scope)["returns"]["passTokens"] == 1100


@pytest.mark.parametrize("name", ["with space", "it's", "$HOME", "ünï漢", 'quo"te', "a&b;c"])
def test_any_path_works_for_real(run: Run, tmp_path: Path, name: str) -> None:
    project = tmp_path / name
    (project / ".claude").mkdir(parents=True)
    run(*INSTALL, "--project", str(project))
    made = Scope("project", project / ".claude", project)
    hook = ours(settings(made))[0][2]
    event = json.dumps({"hook_event_name": "SubagentStart", "agent_type": "x", "agent_id": "a", "session_id": "s"})
    env = {"CLAUDE_PROJECT_DIR": str(project), "HOME": str(tmp_path)}
    done = subprocess.run(
        [hook["command"], *hook["args"]], input=event, env=env, capture_output=True, text=True, check=False
    )
    assert "1000 tokens" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_entries_are_narrow_quick_and_absolute(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    for _, matcher, hook in ours(settings(scope)):
        assert matcher
        assert hook["timeout"] == 5
        assert Path(hook["command"]).is_absolute()
        assert hook["args"][:2] == ["-I", "-S"]
        assert hook["args"][-1] == str(scope.script)
        assert os.path.realpath(hook["command"]) == hook["command"]
        assert not (Path(hook["command"]).parent.parent / "pyvenv.cfg").exists()


def test_two_scopes_answer_once(run: Run, scope: Scope, user: Scope) -> None:
    """Both copies are started by the client; the user's stands down for what the project's serves."""
    run("install", "returns", "both", "1000", "2500")
    event = {"hook_event_name": "SubagentStart", "agent_type": "x", "agent_id": "a", "session_id": "s"}
    env = {"CLAUDE_PROJECT_DIR": str(scope.project), "HOME": str(user.folder.parent)}
    said = []
    for place in (scope, user):
        hook = ours(settings(place))[0][2]
        done = subprocess.run(
            [hook["command"], *hook["args"]],
            input=json.dumps(event),
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(bool(done.stdout))
    assert said == [True, False]
    run("uninstall", "project")
    hook = ours(settings(user))[0][2]
    done = subprocess.run(
        [hook["command"], *hook["args"]], input=json.dumps(event), env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout


REPORT = {
    "hook_event_name": "SubagentStop",
    "session_id": "s",
    "agent_id": "a",
    "agent_type": "x",
    "stop_hook_active": False,
    "last_assistant_message": "x" * 12_000,
}


def judged(place: Scope, scope: Scope, user: Scope, agent_id: str = "a") -> bool:
    """Whether a scope's copy blocks an over-long report, started as the client does in that project."""
    hook = next(hook for event, _, hook in ours(settings(place)) if event == "SubagentStop")
    done = subprocess.run(
        [hook["command"], *hook["args"]],
        input=json.dumps({**REPORT, "agent_id": agent_id}),
        env={"CLAUDE_PROJECT_DIR": str(scope.project), "HOME": str(user.folder.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return '"block"' in done.stdout


def test_an_uninstalled_feature_is_silent_where_its_entry_and_its_config_stay(
    run: Run, scope: Scope, user: Scope
) -> None:
    """`compaction` needs SubagentStop too, and an uninstall keeps setpoint.json."""
    run("install", "returns", "compaction", "project", "--yes")
    assert judged(scope, scope, user)
    run("uninstall", "returns")
    assert not judged(scope, scope, user, "b")


def test_a_scope_serves_only_what_it_installed(run: Run, scope: Scope, user: Scope) -> None:
    """The project's copy reads the user's config too; the report is the user's copy's to judge."""
    run("install", "returns", "global", "1000", "2500")
    run("install", "compaction", "project")
    assert not judged(scope, scope, user)
    assert judged(user, scope, user)


def test_a_full_home_is_one_sentence(run: Run, scope: Scope) -> None:
    scope.home.write_text("in the way")
    result = run(*INSTALL, code=1)
    assert "cannot be written" in result.output
    assert "Traceback" not in result.output
    assert not scope.settings().exists()


def test_status_of_nothing(run: Run) -> None:
    assert run("status").stdout.count("not installed") == 2
    assert run().stdout == run("status").stdout


def test_status_names_limits_and_their_sources(run: Run, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    run(*INSTALL)
    scope.config.write_text('{"returns": {"enabled": true, "passTokens": 800}}')
    monkeypatch.setenv("AGENT_RETURN_FILE", "3000")
    report = json.loads(run("status", "--json").stdout)
    assert (report["schema_version"], report["report"]) == (1, "hooks status")
    feature = report["scopes"][0]["features"][0]
    assert feature["limits"] == {
        "passTokens": {"value": 800, "source": "config"},
        "fileTokens": {"value": 3000, "source": "env"},
    }
    assert feature["config"] == str(scope.config)
    state = report["scopes"][0]
    assert state["files"]["present"] == state["files"]["wanted"] == len(copies.sources())
    assert state["entries"]["present"] == ENTRIES
    assert state["interpreter"]["version"]
    assert state["version"]["installed"] == state["version"]["package"]


def test_status_changes_nothing(run: Run, scope: Scope) -> None:
    scope.settings().write_text(USUAL)
    before = everything(scope.folder)
    run("status")
    assert everything(scope.folder) == before


def test_status_knows_a_moved_hook(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    changed = settings(scope)
    changed["hooks"]["SubagentStop"][0] = {
        "matcher": "Explore",
        "hooks": [FOREIGN, changed["hooks"]["SubagentStop"][0]["hooks"][0]],
    }
    scope.settings().write_text(json.dumps(changed))
    assert json.loads(run("status", "--json").stdout)["scopes"][0]["state"] == "installed"


def test_a_dead_interpreter_is_half_installed_and_mended(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    text = scope.settings().read_text()
    living = ours(settings(scope))[0][2]["command"]
    scope.settings().write_text(text.replace(living, "/nowhere/python3"))
    record = scope.home / "installed.json"
    record.write_text(record.read_text().replace(living, "/nowhere/python3"))
    assert "does not run" in run("status").stdout
    run("upgrade")
    assert scope.settings().read_text() == text


def test_doctor_wants_an_answer_and_says_what_it_got(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    report = json.loads(run("doctor", "--json").stdout)
    trials = report["scopes"][0]["trials"]
    assert {one["verdict"] for one in trials} == {"ok"}
    assert {one["client"] for one in trials} == {"old", "new"}
    (scope.home / "runtime" / "guard.py").write_text("")
    result = run("doctor", code=1)
    assert "failed" in result.output
    assert json.loads(run("status", "--json").stdout)["scopes"][0]["log"]["runs"] == 0


def test_doctor_leaves_no_trace(run: Run, scope: Scope) -> None:
    run(*INSTALL)
    run("doctor")
    assert not list((scope.home / "state").iterdir())


def test_doctor_warns_of_what_is_odd_elsewhere(run: Run, scope: Scope, user: Scope) -> None:
    odd = {
        "PostToolUse": [{"matcher": "Task", "hooks": [{**FOREIGN, "timeout": 5000}]}, {"matcher": "Bash", "hooks": []}]
    }
    user.settings().write_text(json.dumps({"hooks": odd, "disableAllHooks": True}))
    rows = [
        {"type": "hook_success", "command": "/opt/tools/slow.sh --token x", "durationMs": 4000},
        {"type": "hook_non_blocking_error", "command": "/opt/tools/broken.sh"},
        {"type": "hook_cancelled", "command": "/opt/tools/broken.sh"},
    ]
    path = user.folder / "projects" / "p" / "s.jsonl"
    path.parent.mkdir(parents=True)
    lines = [json.dumps({"type": "attachment", "version": "2.1.332", "attachment": row}) for row in rows]
    path.write_text("\n".join(lines) + "\n{half")
    out = run("doctor").stdout
    assert "old name of the Agent tool" in out
    assert "5000 is in seconds" in out
    assert "a group without hooks" in out
    assert "disableAllHooks is set: the client runs no hooks" in out
    assert "slow.sh: p95 4000 ms" in out
    assert "broken.sh: 1 failed, 1 timed out of 2 runs" in out
    assert "--token" not in out
    assert "2.1.332" in out


def test_a_copy_without_its_package_goes_on(run: Run, scope: Scope) -> None:
    """The installed folder needs nothing of the package; without the folder nothing happens."""
    run(*INSTALL)
    hook = ours(settings(scope))[0][2]
    assert str(copies.PACKAGE) not in json.dumps(settings(scope))
    shutil.rmtree(scope.home)
    done = subprocess.run([hook["command"], *hook["args"]], input="{}", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(run("status", "--json").stdout)["scopes"][0]["state"] == "half installed"


def test_a_stale_lock_is_broken_and_a_living_one_waited_for(
    run: Run, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = Path(f"{scope.settings()}.lock")
    lock.mkdir()
    monkeypatch.setattr(files, "LOCK_TRIES", 2)
    monkeypatch.setattr(files, "LOCK_WAIT", 0.01)
    assert "locked by another installer" in run(*INSTALL, code=1).output
    assert set(everything(scope.folder)) == set()
    os.utime(lock, (1, 1))
    run(*INSTALL)
    assert not lock.exists()


def test_a_change_of_others_just_before_the_rename_is_kept(scope: Scope) -> None:
    path = scope.settings()
    path.write_text("old")
    assert not files.replace(path, b"new", lambda: False)
    assert path.read_text() == "old"
    assert list(scope.folder.iterdir()) == [path]


def test_every_feature_is_known_by_name() -> None:
    for feature in FEATURES:
        assert by_name(feature.name) is feature
        for entry in feature.entries:
            assert entry.matcher != ""


@pytest.mark.parametrize("mode", ["status", "doctor"])
def test_json_has_the_envelope_of_every_report(run: Run, mode: str) -> None:
    report = json.loads(run(mode, "--json").stdout)
    keys = ["schema_version", "report", "filters", "totals", "rows", "files", "records", "horizon"]
    assert list(report)[: len(keys)] == keys
    assert report["rows"] == report["scopes"]
    assert report["totals"] == {"scopes": len(report["scopes"])}
