"""One process or several: the same frames."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from made_transcripts import OTHER, agent, assistant, session, user

from measure.columns import FRAMES
from measure.frames import load
from measure.transcripts import processes


@pytest.fixture
def root(tmp_path: Path) -> Path:
    session(tmp_path, [user(1), assistant(2, "m1"), "{torn"])
    agent(tmp_path, [user(3), assistant(4, "m2", request="r2")])
    session(tmp_path, [user(1, sessionId=OTHER), assistant(5, "m3", request="r3", sessionId=OTHER)], OTHER)
    return tmp_path


@pytest.mark.parametrize("store", [False, True])
def test_two_processes_give_the_frames_of_one(root: Path, monkeypatch: pytest.MonkeyPatch, store: bool) -> None:
    monkeypatch.setattr(processes, "PART_BYTES", 1)
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(root / "cache"))
    alone = load([root])
    monkeypatch.setenv("SETPOINT_PROCESSES", "2")
    seen: list[int] = []
    both = load([root], store=store, progress=lambda done, _: seen.append(done))
    for name in FRAMES:
        assert alone.frame(name).equals(both.frame(name)), name
    assert len(seen) >= 3


@pytest.mark.skipif(os.name == "nt", reason="abort asks the user there")
def test_processes_that_die_are_done_without(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = load([root])
    monkeypatch.setenv("SETPOINT_PROCESSES", "2")
    monkeypatch.setattr(processes, "_quiet", os.abort)
    died = load([root])
    for name in FRAMES:
        assert alone.frame(name).equals(died.frame(name)), name


def test_little_is_read_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SETPOINT_PROCESSES", raising=False)
    assert processes.workers(1000) == 1
    assert processes.workers(10**9) >= 1


def spread(task: object, there: object, here: object) -> dict[int, object]:
    done: dict[int, object] = {}
    processes.spread([task, task], [1, 1], 2, done, there=there, taken=lambda one: one, here=here, progress=None)  # type: ignore[arg-type]
    return done


def test_ctrl_c_does_not_reach_a_process_that_only_starts() -> None:
    blocked = partial(signal.pthread_sigmask, signal.SIG_BLOCK)  # says what is held back there
    assert signal.SIGINT in spread([], blocked, lambda *_: None)[0]  # type: ignore[operator]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_ctrl_c_stops_though_another_process_died() -> None:
    def here(*_: object) -> None:
        time.sleep(2)  # the other one is gone by now
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spread(1, os._exit, here)
