"""The command as a user runs it: a child process, in a home of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """An environment with nothing of the machine's user in it; the width and the zone are pinned."""
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "SYSTEMROOT", "LANG")}
    return kept | {"HOME": str(home), "USERPROFILE": str(home), "COLUMNS": "80", "TZ": "UTC", "PYTHONUTF8": "1"}


@pytest.fixture
def setpoint(environment: dict[str, str], tmp_path: Path) -> Run:
    """Run `setpoint` with arguments; keyword `env` adds variables."""

    def run(*arguments: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from measure.cli import main; main()", *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path,
            env=environment | {"PYTHONPATH": str(ROOT)} | (env or {}),
        )  # fmt: skip

    return run


@pytest.fixture(scope="session", autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands that run in this process keep nothing in the user's cache folder."""
    before = os.environ.get("SETPOINT_CACHE_DIR")
    os.environ["SETPOINT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["SETPOINT_CACHE_DIR"]
    else:
        os.environ["SETPOINT_CACHE_DIR"] = before


@pytest.fixture(autouse=True)
def store_as_it_was() -> Iterator[None]:
    """A command that runs in this process switches the store on for itself, not for the tests after it."""
    before = os.environ.get("SETPOINT_STORE")
    yield
    os.environ.pop("SETPOINT_STORE", None)
    if before is not None:
        os.environ["SETPOINT_STORE"] = before


@pytest.fixture(autouse=True)
def transcripts_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transcripts of tests are whole: nothing is waited for before a compaction is decided."""
    from hooks.runtime import keeper

    monkeypatch.setattr(keeper, "WAIT", 0)
