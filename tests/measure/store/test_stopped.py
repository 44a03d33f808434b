"""Ctrl-C in the midst of a first read keeps what was read, and the next run goes on from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from checked_store import checked
from made_transcripts import assistant, session, user

from measure.frames import load
from measure.transcripts import processes, scan

FILES = 6


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for at in range(FILES):
        name = f"{at}" * 8
        session(
            tmp_path / "r", [user(1, sessionId=name), assistant(at, f"m{at}", request=f"r{at}", sessionId=name)], name
        )
    return tmp_path / "r"


def read_next(root: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that the next run reads; its frames are right."""
    seen: list[str] = []
    read = scan.Scanner.read

    def noted(self: scan.Scanner, job: scan.Job) -> None:
        seen.append(Path(job.found.path).name[:1])
        read(self, job)

    with monkeypatch.context() as patch:
        patch.setattr(scan.Scanner, "read", noted)
        load([root], store=True)
    checked(root)
    return seen


@pytest.mark.parametrize("flushed", [True, False])
def test_files_that_were_flushed_are_kept(root: Path, monkeypatch: pytest.MonkeyPatch, flushed: bool) -> None:
    lines = scan.Scanner._lines

    def interrupted(self: scan.Scanner, job: scan.Job, seen: scan.Seen, file: object) -> None:
        lines(self, job, seen, file)
        if len(self.seen) == 3:  # rows of the fourth file are there, its account is not
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(scan.Scanner, "_lines", interrupted)
        patch.setattr(scan, "BATCH_BYTES", 0 if flushed else scan.BATCH_BYTES)
        with pytest.raises(KeyboardInterrupt):
            load([root], store=True)
    assert read_next(root, monkeypatch) == [f"{at}" for at in range(3 if flushed else 0, FILES)]


def test_an_interrupt_while_the_last_tables_are_joined_keeps_all(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    merged, calls = scan.totals.merged_files, []

    def interrupted(rows: object) -> object:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return merged(rows)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(scan.totals, "merged_files", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load([root], store=True)
    assert read_next(root, monkeypatch) == []


def test_groups_that_several_processes_have_read_are_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(processes, "PART_BYTES", 1)
        patch.setenv("SETPOINT_PROCESSES", "2")
        with pytest.raises(KeyboardInterrupt):
            load([root], store=True, progress=interrupted)
    assert len(read_next(root, monkeypatch)) < FILES


def test_without_a_store_nothing_is_left_behind(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scan.Scanner, "read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load([root], store=False)
    assert not (tmp_path / "cache").exists()
