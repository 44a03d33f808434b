"""The status line in the interactive client."""

import json
import re

import pytest
from lab.workspace import Step, Workspace

pytestmark = pytest.mark.e2e


def test_the_status_line_shows_context_window_limit_and_cost(workspace: Workspace) -> None:
    workspace.setpoint("hooks", "install", "statusline", "--scope", "project", "--yes")
    keys = [(8.0, "[[main]] hi"), (1.0, "\r"), (8.0, "")]
    run = workspace.run({"main": [{"text": "Hello.", "context": 52_000}]}, Step(keys=keys))
    shown = re.sub(r"\x1b\[[0-9;?]*[ -/]*[@-~]", " ", (run.out / "step1.out").read_text("utf-8", "replace"))
    plain = re.sub(r"\s+", "", shown)
    # the screen is redrawn in pieces: only what changed is written again
    assert "52kof1.0M(5%)" in plain
    assert "compactsat967k" in plain
    assert re.search(r"\|\$0\.\d\d", plain)


def test_uninstalled_it_is_gone_from_the_settings(workspace: Workspace) -> None:
    workspace.settings(statusLine={"type": "command", "command": "mine"})
    before = (workspace.work / ".claude" / "settings.json").read_text()
    workspace.setpoint("hooks", "install", "statusline", "--scope", "project", "--yes")
    assert "run.py" in json.dumps(workspace.read_settings()["statusLine"])
    workspace.setpoint("hooks", "uninstall", "--scope", "project", "--yes")
    assert (workspace.work / ".claude" / "settings.json").read_text() == before
