"""The installed copy on every Python 3.9 or later that this machine has; none is required."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hooks.interpreter import run_once

NAMES = ("3.9", "3.10", "3.12", "3.13", "3.14")
PLACES = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
FOUND = {name: shutil.which(f"python{name}") for name in NAMES}
PYTHONS = sorted({str(path) for path in [*PLACES, *filter(None, FOUND.values())] if run_once(str(path))})


@pytest.mark.parametrize("python", PYTHONS)
def test_answers_on(copy: Any, events: Any, tmp_path: Path, python: str) -> None:
    home = tmp_path / "own" / "setpoint"
    shutil.copytree(copy.home, home, ignore=shutil.ignore_patterns("__pycache__", "state", "log"))
    copy.command = [python, *copy.command[1:-1], str(home / "run.py")]
    copy.returns(shorten="foreground")
    for _ in range(2):  # the second run reads its byte code
        assert "1000 tokens" in copy.ask(events["start"]()).note
        assert copy.ask(events["stop"]("x" * 12_000)).order
        assert copy.ask(events["stop"]("x" * 12_000, "Explore")).order
        assert copy.ask(events["handback"]("x" * 6_000)).order
        assert copy.ask(events["stop"]("short")).silent
        assert copy.send(b"[" * 100_000).silent
        assert copy.send(b"").silent
        response = {
            "status": "completed",
            "agentId": "a",
            "agentType": "x",
            "content": [{"type": "text", "text": "y\n" * 5000}],
        }
        event = {**events["start"](), "hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_response": response}
        assert "updatedToolOutput" in copy.ask(event).answer["hookSpecificOutput"]
