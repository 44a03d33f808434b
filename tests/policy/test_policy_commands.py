"""`setpoint policy show` and `agents`: what holds, from where, and the edits of definitions."""

import json
from pathlib import Path
from typing import Any

import pytest

from measure import cli

DEFINITION = "---\nname: worker\nmodel: haiku\nmaxTurns: 30\nautoCompact: 40%\n---\nYou work.\n"
CONFIG = {
    "context": {"enabled": True, "reportMaxWords": 300},
    "compaction": {"enabled": True, "main": {"forceAt": "50%"}, "byAgentType": {"Explore": {"forceAt": "45k"}}},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "p"
    (folder / ".claude" / "agents").mkdir(parents=True)
    (folder / ".claude" / "agents" / "w.md").write_text(DEFINITION)
    (folder / ".claude" / "setpoint.json").write_text(json.dumps(CONFIG))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "home"))
    monkeypatch.chdir(folder)
    return folder


def as_json(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert cli.run(["policy", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capfd.readouterr().out)
    reports: list[dict[str, Any]] = found.get("reports") or [found]
    return reports[0]


def test_every_party_has_its_policy_and_its_source(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = {row["party"]: row for row in as_json(capfd, "show")["rows"]}
    assert (rows["main"]["force_at_tokens"], rows["main"]["origin"]["forceAt"]) == (500_000, "main")
    assert (rows["Explore"]["force_at_tokens"], rows["Explore"]["origin"]["forceAt"]) == (45_000, "byAgentType")
    assert (rows["worker"]["force_at_tokens"], rows["worker"]["window_tokens"]) == (80_000, 200_000)
    assert rows["worker"]["origin"]["nudgeFrom"] == "default"
    assert rows["Plan"]["force_at_tokens"] == 600_000


def test_agents_are_listed_with_what_is_to_mend(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    row = as_json(capfd, "agents")["rows"][0]
    assert (row["agent_type"], row["max_turns"], row["report_words"]) == ("worker", 30, None)
    assert row["problems"] == ["no report rule", "no spare turn"]
    assert cli.run(["policy", "agents", "--check"]) == 1


def test_apply_is_checked_and_reverted(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, instructions = project / ".claude" / "agents" / "w.md", project / "CLAUDE.md"
    instructions.write_text("# Ours\n")
    assert cli.run(["policy", "agents", "--apply", "--callers"]) == 0
    text = path.read_text()
    assert "maxTurns: 31" in text
    assert "at most 300 words" in text
    assert "do not resume the run" in instructions.read_text()
    assert cli.run(["policy", "agents", "--check"]) == 0
    assert cli.run(["policy", "agents", "--apply", "--callers"]) == 0
    assert path.read_text() == text
    assert cli.run(["policy", "agents", "--revert", "--callers"]) == 0
    assert path.read_text() == DEFINITION
    assert instructions.read_text() == "# Ours\n"


def test_a_changed_limit_is_found_by_the_check(project: Path) -> None:
    assert cli.run(["policy", "agents", "--apply"]) == 0
    config = {**CONFIG, "context": {"enabled": True, "reportMaxWords": 200}}
    (project / ".claude" / "setpoint.json").write_text(json.dumps(config))
    assert cli.run(["policy", "agents", "--check"]) == 1


def test_the_text_form_fits_eighty_columns(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["show"], ["agents"]):
        assert cli.run(["policy", *words]) == 0
        out = capfd.readouterr().out
        assert "worker" in out
        assert all(len(line.rstrip()) <= 80 for line in out.splitlines())
