"""Killed at any step: the old file or the new one. Two installers at once: nothing lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the helper forks")


def helper(what: str, folder: Path, number: int) -> Any:
    """What crash_steps.py found."""
    command = [sys.executable, str(ROOT / "tests" / "hooks" / "crash_steps.py"), what, str(folder), str(number)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_killed_at_some_steps(tmp_path: Path) -> None:
    seen = helper("kill", tmp_path, 45)
    assert seen["steps"] == seen["old"] + seen["new"]
    assert seen["old"]
    assert seen["new"]


@pytest.mark.slow
def test_killed_at_every_step(tmp_path: Path) -> None:
    seen = helper("kill", tmp_path, 1)
    assert seen["steps"] > 100
    assert seen["old"] + seen["new"] == seen["steps"]


def test_two_installers_at_once(tmp_path: Path) -> None:
    assert helper("race", tmp_path, 3) == {"rounds": 3, "lost": 0}


@pytest.mark.slow
def test_two_installers_at_once_a_hundred_times(tmp_path: Path) -> None:
    assert helper("race", tmp_path, 100) == {"rounds": 100, "lost": 0}
