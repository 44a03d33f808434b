"""The live view's frames are those of reading everything, from tails alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

from made_transcripts import OTHER, agent, assistant, lines, session, user

from measure.columns import FRAMES
from measure.frames import load
from measure.live import Live


def test_tails_end_in_the_frames_of_the_whole(tmp_path: Path) -> None:
    path = session(tmp_path, [user(1), assistant(2, "m1")])
    live = Live([tmp_path], 60)
    assert live.frames().requests.height == 1
    with path.open("ab") as file:
        file.write(lines([assistant(3, "m2", request="r2")]))
    agent(tmp_path, [user(4), assistant(5, "m3", request="r3")])
    found, whole = live.frames(), load([tmp_path])
    for name in FRAMES:
        assert found.frame(name).equals(whole.frame(name)), name


def test_sessions_that_ended_long_ago_are_left_out_and_waiting_callers_are_not(tmp_path: Path) -> None:
    main = session(tmp_path, [user(1), assistant(2, "m1")])
    agent(tmp_path, [user(3), assistant(4, "m2", request="r2")])
    old = session(tmp_path, [user(1, sessionId=OTHER), assistant(5, "m3", request="r3", sessionId=OTHER)], OTHER)
    for path in (main, old):
        os.utime(path, (time.time() - 7200, time.time() - 7200))
    assert sorted(Live([tmp_path], 60).frames().requests["message_id"]) == ["m1", "m2"]
    assert Live([tmp_path], 60).frames(now=time.time() + 86_400).requests.height == 0
