"""Every report on all shared transcripts, together and each folder alone: exit 0, nothing on stderr."""

from pathlib import Path

import pytest

from measure import cli

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
FOLDERS = [path for name in ("transcripts", "corpus") if SHARED.is_dir() for path in sorted((SHARED / name).iterdir())]


def check(path: Path, capfd: pytest.CaptureFixture[str]) -> str:
    names = [entry.name for entry in cli.reports() if not entry.separate]
    assert cli.run(["report", *names, str(path)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


@pytest.fixture(autouse=True)
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.shared
@pytest.mark.parametrize("name", ["transcripts", "corpus"])
def test_all_together(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    check(SHARED / name, capfd)


@pytest.mark.shared
@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)
def test_each_folder_alone(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = check(path, capfd)
    if path.name in ("not_claude", "codex"):
        assert "Skipped" in out
        assert "No transcripts found" in out or "0 damaged" in out
