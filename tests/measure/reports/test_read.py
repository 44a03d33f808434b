"""Reading for a report: the foot, and the progress bar."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from measure.reports import read

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "data" / "transcripts"


def home_with(tmp_path: Path, settings: dict[str, object] | None) -> Path:
    folder = tmp_path / "config"
    (folder / "projects" / "-x").mkdir(parents=True)
    first = min(SAMPLE.glob("*/*.jsonl"))
    (folder / "projects" / "-x" / first.name).write_bytes(first.read_bytes())
    if settings is not None:
        (folder / "settings.json").write_text(json.dumps(settings))
    return folder


def test_the_foot_says_when_the_horizon_is_only_the_default(tmp_path: Path) -> None:
    _, source = read.read([home_with(tmp_path, {})])
    assert any("30 days (the default, no cleanupPeriodDays is set)" in note for note in source.notes)


def test_the_foot_says_the_horizon_that_is_set(tmp_path: Path) -> None:
    _, source = read.read([home_with(tmp_path, {"cleanupPeriodDays": 90})])
    assert any("90 days (cleanupPeriodDays)" in note for note in source.notes)


def test_nothing_is_shown_where_nobody_looks() -> None:
    with read.progress() as bar:
        assert bar is None


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal of its own")
def test_a_bar_appears_on_a_terminal_and_never_in_the_output(tmp_path: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    code = "from measure import looking; looking.PATIENCE = 0; from measure.cli import main; main()"
    env = os.environ | {
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "TERM": "xterm",
        "XDG_CACHE_HOME": str(tmp_path),
    }
    command = [sys.executable, "-c", code, "report", "--json", "--no-store", str(SAMPLE)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, check=True, env=env)
    os.close(follower)
    assert b"reading" in os.read(leader, 65536)
    os.close(leader)
    assert json.loads(done.stdout)["totals"]["requests"] > 100


@pytest.mark.skipif(os.name == "nt", reason="needs a terminal of its own")
@pytest.mark.parametrize("command", ["report --json --no-store", "report overview --json"])
def test_a_slow_folder_shows_what_was_found_so_far(tmp_path: Path, command: str) -> None:
    import pty

    leader, follower = pty.openpty()
    code = (
        "import os, time, measure.looking as looking; looking.PATIENCE = looking.PAUSE = 0.0; slow = os.scandir\n"
        "os.scandir = lambda path: time.sleep(0.02) or slow(path)\n"
        "from measure.entry import main; main()"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "SETPOINT_CACHE_DIR": str(tmp_path)}
    line = [sys.executable, "-c", code, *command.split(), str(SAMPLE)]
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "store.sqlite").touch()
    subprocess.run(line, stdout=subprocess.DEVNULL, stderr=follower, check=True, env=env)
    os.close(follower)
    assert b"files found: " in os.read(leader, 65536)
    os.close(leader)
