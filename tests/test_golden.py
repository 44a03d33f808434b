"""Every report on the bundled sample, as a person reads it. `just golden` writes them anew; review the diff."""

import os
from pathlib import Path

import pytest

from measure import cli

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
COMMANDS = {entry.name: ["report", entry.name] for entry in cli.reports() if not entry.separate}
COMMANDS |= {"fit": ["fit"], "replay": ["replay"]}


@pytest.fixture(autouse=True)
def pinned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in (("COLUMNS", "80"), ("TZ", "UTC"), ("NO_COLOR", "1"), ("HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "AGENT_RETURN_PASS", "AGENT_RETURN_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_report_on_the_sample(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run([*COMMANDS[name], "--or-sample"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    text = "\n".join(line.rstrip() for line in out.splitlines()) + "\n"
    assert all(len(line) <= 80 for line in text.splitlines()), "fits 80 columns"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("SETPOINT_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8")
