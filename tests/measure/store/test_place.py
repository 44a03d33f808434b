"""The store lies where platformdirs says, which is asked only where that is not plain."""

from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs import user_cache_path

from measure.store.place import folder


@pytest.mark.parametrize(
    ("cache", "home"),
    [("", "/home/x"), ("/var/c", "/home/x"), ("relative", "/home/x"), ("", "/home/x/"), ("/var/c/", ""), ("", "")],
)
def test_same_folder_as_platformdirs(cache: str, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SETPOINT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", cache)
    monkeypatch.setenv("HOME", home)
    assert folder() == user_cache_path("setpoint") / "store"


def test_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path))
    assert folder() == tmp_path / "store"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SETPOINT_CACHE_DIR", "~/c")
    assert folder() == tmp_path / "c" / "store"
