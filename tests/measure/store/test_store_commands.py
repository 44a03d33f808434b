"""`setpoint store`: what it says of a store, whole, of another version or damaged."""

import json
import sqlite3
from pathlib import Path

import pytest
from made_transcripts import assistant, session, user

from measure.cli import run
from measure.store.place import DATABASE


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The database of a store with one file."""
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))
    session(tmp_path / "r", [user(1), assistant(2)])
    assert run(["report", "sessions", str(tmp_path / "r")]) == 0
    capsys.readouterr()
    return tmp_path / "cache" / "store" / DATABASE


def test_info_counts_one_file_in_the_singular(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", "info"]) == 0
    assert "rows of 1 file " in capsys.readouterr().out
    assert run(["store", "info", "-j"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["exists"], found["files"], found["folder"]) == (True, 1, str(kept.parent))


def test_info_says_that_another_version_wrote_the_store(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(kept) as db:
        db.execute("UPDATE meta SET value = 'older'")
    db.close()
    assert run(["store", "info"]) == 1
    assert "written by another version of setpoint). The next report builds it anew" in capsys.readouterr().err


def test_a_cleared_store_is_gone(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", "clear"]) == 0
    assert not kept.exists()
    capsys.readouterr()
    assert run(["store", "info"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is stored yet.")
