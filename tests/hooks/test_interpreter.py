"""The interpreter in the settings entries: absolute, alive, and not in a place that passes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hooks import interpreter
from hooks.errors import HooksError
from hooks.interpreter import choose, passing, run_once


@pytest.mark.parametrize(
    "path",
    [
        "/home/x/.cache/uv/archive/bin/python3",
        "/home/x/.pyenv/shims/python3",
        "/home/x/.local/pipx/venvs/setpoint/bin/python",
        "/home/x/.local/share/uv/tools/setpoint/bin/python",
        "C:\\Users\\x\\AppData\\Local\\Microsoft\\WindowsApps\\python3.exe",
        "/Users/x/Library/Caches/uv/python3",
    ],
)
def test_places_that_pass(path: str) -> None:
    assert passing(path)


def test_a_virtual_environment_passes_too(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").touch()
    assert passing(str(tmp_path / "bin" / "python3"))
    assert passing("/usr/bin/python3.11") is None


def test_the_choice_lasts_and_runs() -> None:
    found = choose()
    assert Path(found.path).is_absolute()
    assert passing(found.path) is None
    assert run_once(found.path) == found.version


def test_presence_is_not_liveness(tmp_path: Path) -> None:
    stub = tmp_path / "python3"
    stub.write_text("#!/bin/sh\nexit 49\n")
    stub.chmod(0o755)
    assert run_once(str(stub)) is None
    old = tmp_path / "python2"
    old.write_text("#!/bin/sh\necho 2.7.18\n")
    old.chmod(0o755)
    assert run_once(str(old)) is None
    assert run_once(str(tmp_path / "nothing")) is None


def test_no_interpreter_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "candidates", lambda: [sys.executable, "/nowhere/python3"])
    if passing(sys.executable) is None:
        pytest.skip("the tests run outside a virtual environment")
    with pytest.raises(HooksError, match="--python"):
        choose()
