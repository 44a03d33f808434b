"""The one question that is answered before typer is imported, and everything else, which is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_transcripts import assistant, session, user

from measure.cli import run
from measure.entry import main, plain_overview

ROOT = Path(__file__).resolve().parents[2]
ENTRY = "import sys; from measure.entry import main; main(); print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize(
    "line",
    [
        "report",
        "report overview",
        "report overview --json --since 7d",
        "report overview --json models",
        "report overview returns --json",
        "report models --json",
        "report overview --json --no-store",
        "report --json",
        "--help",
    ],
)
def test_any_other_question_goes_to_the_command_line(line: str) -> None:
    assert plain_overview(line.split()) is None


def test_places_that_look_like_places_are_taken() -> None:
    assert plain_overview(["report", "overview", "--json"]) == []
    assert plain_overview(["report", "overview", "/a", "-j", "./sessions"]) == ["/a", "./sessions"]


def test_same_answer_as_the_whole_command_without_its_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2)])
    arguments = ["report", "overview", "--json", str(root)]

    def entry() -> tuple[str, set[str]]:
        command = [sys.executable, "-c", ENTRY, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ)
        return done.stdout, set(done.stderr.split())

    assert run([*arguments, "--no-store"]) == 0
    whole = capsys.readouterr().out
    first, _ = entry()
    second, modules = entry()
    assert first == second == whole
    assert not {"polars", "typer", "rich", "matplotlib"} & modules
    path.unlink()
    empty, _ = entry()
    assert '"requests": 0' in empty


def test_ctrl_c_while_modules_are_imported_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.argv", ["setpoint", "report"])
    monkeypatch.setattr("measure.cli.main", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "setpoint: stopped.\n"
