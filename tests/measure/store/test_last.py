"""The answer that was kept is given again in exactly the state it was made in, and in no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_transcripts import agent, assistant, lines, session, user

from measure import entry
from measure.cli import run
from measure.store import last, place
from measure.transcripts.find import tree

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv(place.ON, "1")
    return tmp_path / "cache" / "store"


@pytest.fixture
def root(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A read place whose answer is kept."""
    session(tmp_path / "r", [user(1), assistant(2)])
    agent(tmp_path / "r", [user(3), assistant(4, "m2", request="r2")])
    assert run(["report", "overview", "--json", str(tmp_path / "r")]) == 0
    printed = capsys.readouterr().out
    assert asked(tmp_path / "r", capsys) == printed
    assert kept(tmp_path / "r") == printed
    return tmp_path / "r"


def asked(root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert entry._answer([str(root)])
    return capsys.readouterr().out


def kept(root: Path) -> str | None:
    found = tree([root])
    return last.look_up(found, last.state_of(found))


def test_the_kept_answer_needs_no_slow_import(root: Path, own_cache: Path) -> None:
    code = (
        "import sys; before = set(sys.modules); from measure.entry import main; main(); "
        "print(*set(sys.modules) - before, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "report", "overview", "--json", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ)
    assert done.stdout == kept(root)
    slow = {"json", "sqlite3", "re", "dataclasses", "pathlib", "typing", "datetime", "hashlib", "platformdirs"}
    assert not slow & set(done.stderr.split())


@pytest.mark.parametrize("change", ["grown", "touched", "new", "gone", "meta", "settings", "zone", "code"])
def test_whatever_the_answer_follows_from_makes_another_state(
    root: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = next(root.rglob("agent-*.jsonl"))
    if change == "grown":
        path.write_bytes(path.read_bytes() + lines([user(5)]))
    elif change == "touched":
        os.utime(path, ns=(1, 1))
    elif change == "new":
        session(root, [user(6)], "another")
    elif change == "gone":
        path.unlink()
    elif change == "meta":
        path.with_name("agent-a1.meta.json").write_text("{}")
    elif change == "settings":
        (root / "settings.json").write_text('{"cleanupPeriodDays": 7}')
    elif change == "zone":
        monkeypatch.setenv("TZ", "Asia/Tokyo")
    else:
        monkeypatch.setattr(last, "layout", lambda _: "another version")
    assert kept(root) is None


def test_growth_is_told_and_kept_in_its_turn(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = next(root.rglob("agent-*.jsonl"))
    path.write_bytes(path.read_bytes() + lines([assistant(5, "m3", request="r3", isSidechain=True, agentId="a1")]))
    told = asked(root, capsys)
    assert json.loads(told)["totals"]["requests"] == 3
    assert kept(root) == told
    assert run(["report", "overview", "--json", str(root), "--no-store"]) == 0
    assert capsys.readouterr().out == told


def test_the_horizon_is_the_one_that_is_set_now(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "settings.json").write_text('{"cleanupPeriodDays": 7}')
    assert json.loads(asked(root, capsys))["horizon"]["days"] == 7


def test_a_torn_file_is_no_answer(root: Path, own_cache: Path) -> None:
    (file,) = (own_cache / last.FOLDER).iterdir()
    whole = file.read_bytes()
    for torn in (b"", whole[:-2], whole[:40], b"\xff\xfe", whole.replace(b"requests", b"REQUESTS")):
        file.write_bytes(torn)
        assert kept(root) is None
    file.unlink()
    file.mkdir()
    assert kept(root) is None


def test_a_stream_that_cannot_print_it_is_left_to_the_whole_command(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(os.devnull, "w", encoding="ascii") as ascii_only:  # noqa: PTH123
        monkeypatch.setattr("sys.stdout", ascii_only)
        assert not entry._answer([str(root)])


def test_answers_of_many_places_do_not_pile_up(tmp_path: Path, own_cache: Path) -> None:
    for at in range(last.MOST + 5):
        session(tmp_path / f"p{at}", [user(1)])
        found = tree([tmp_path / f"p{at}"])
        last.keep(found, last.state_of(found), "text\n")
    assert len(list((own_cache / last.FOLDER).iterdir())) == last.MOST
    assert kept(tmp_path / f"p{last.MOST + 4}") == "text\n"


def test_store_clear_takes_it_along(root: Path, own_cache: Path) -> None:
    assert run(["store", "clear"]) == 0
    assert not own_cache.exists()
