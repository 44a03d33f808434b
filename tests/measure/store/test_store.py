"""The store gives the same frames as reading everything, whatever happened in between."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checked_store import checked, grow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_transcripts import OTHER, SESSION, agent, assistant, base, lines, session, usage, user

from measure.frames import load
from measure.store import place, quick, segments
from measure.transcripts.find import META_SUFFIX

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "store"


def test_second_read_takes_the_frames_from_the_store(tmp_path: Path) -> None:
    root = tmp_path / "r"
    session(root, [user(1), assistant(2)])
    assert checked(root).stored is None
    again = checked(root)
    assert again.stored is not None
    assert quick.overview([root]) is not None


def test_growth_is_parsed_from_the_last_whole_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1")])
    checked(root)
    offset = path.stat().st_size
    grow(path, [user(3), assistant(4, "m2", request="r2")])
    seen = []
    from measure.transcripts import scan

    monkeypatch.setattr(scan.Scanner, "read", lambda self, job: seen.append(job) or original(self, job))
    load([root], store=True)
    assert [(job.offset, job.known) for job in seen] == [(offset, True)]
    monkeypatch.undo()


original = __import__("measure.transcripts.scan", fromlist=["Scanner"]).Scanner.read


def test_response_that_straddles_the_offset_is_corrected(tmp_path: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(1, "m0", request="r0"), assistant(2, "m1", usage=usage(3, 1))])
    checked(root)
    grow(path, [assistant(3, "m1", usage=usage(3, 427))])
    assert quick.overview([root]) is not None
    assert checked(root).requests["output_tokens"].to_list() == [10, 427]


def test_quick_overview_adds_new_responses_and_leaves_the_rest_to_the_frames(tmp_path: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1")])
    checked(root)
    grow(path, [assistant(4, "m2", request="r2"), user(5)])
    told = quick.overview([root])
    assert told is not None
    assert told[0].totals["requests"] == 2
    checked(root)
    launch = {"type": "tool_use", "id": "t1", "name": "Agent", "input": {"prompt": "x"}}
    for risky in (
        assistant(6, "m3", request="r3", content=[launch]),
        assistant(7, "m4", request="r4", model="another"),
        assistant(8, "m5", request="r5", cwd="/elsewhere"),
        assistant(9, "m1", request="r9"),
        assistant(10, "m6", request="r6", isSidechain=True, agentId="a9"),
    ):
        grow(path, [risky])
        assert quick.overview([root]) is None
        checked(root)


def test_replaced_truncated_moved_and_deleted_files_are_noticed(tmp_path: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1"), assistant(3, "m2", request="r2")])
    other = session(root, [user(1, sessionId=OTHER), assistant(4, "m3", request="r3", sessionId=OTHER)], OTHER)
    checked(root)
    path.write_bytes(lines([user(1), assistant(9, "m9", request="r9"), assistant(3, "m2", request="r2")]))
    assert checked(root).requests.height == 3
    path.write_bytes(lines([user(1)]))
    assert checked(root).requests.height == 1
    moved = session(root, [], OTHER, project="moved")
    other.rename(moved)
    assert checked(root).requests.height == 1
    moved.unlink()
    assert checked(root).requests.height == 0


def test_meta_files_and_new_agents_are_noticed(tmp_path: Path) -> None:
    root = tmp_path / "r"
    session(root, [user(1), assistant(2, "m1")])
    checked(root)
    path = agent(root, [user(3), assistant(4, "m2", request="r2")])
    checked(root)
    meta = path.with_name(path.name.removesuffix(".jsonl") + META_SUFFIX)
    meta.write_text('{"agentType":"Explore"}')
    assert quick.overview([root]) is None
    assert checked(root).agents["agent_type"].drop_nulls().to_list() == ["Explore"]


def test_unfinished_last_line_is_read_each_time_and_stored_once_it_is_whole(tmp_path: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1")])
    text = json.dumps(assistant(3, "m2", request="r2")).encode()
    whole = path.read_bytes()
    for size in (1, len(text) // 2, len(text), len(text) + 1):
        path.write_bytes(whole + (text + b"\n")[:size])
        frames = checked(root)
        assert frames.requests.height == (2 if size >= len(text) else 1)
        assert frames.records["damaged"] == (0 if size >= len(text) else 1)


def test_a_store_that_is_damaged_or_of_another_version_is_built_anew_and_says_which(
    tmp_path: Path, own_cache: Path
) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1")])
    checked(root)
    for victim in own_cache.glob("segments/*/*.parquet"):
        victim.write_bytes(b"no parquet")
    grow(path, [assistant(3, "m2", request="r2")])
    damaged = "The store was damaged: it was built anew from the transcripts."
    assert checked(root).notes == [damaged]
    (own_cache / place.DATABASE).write_bytes(b"no database" * 1000)
    assert checked(root).notes == [damaged]
    checked(root)
    db = sqlite3.connect(own_cache / place.DATABASE)
    db.execute("UPDATE meta SET value = 'older'")
    db.commit()
    db.close()
    other = "The store was written by another version of setpoint: it was built anew from the transcripts."
    assert checked(root).notes == [other]
    assert not checked(root).notes


def test_file_that_could_not_be_read_is_read_once_it_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1")])
    session(root, [user(1, sessionId=OTHER), assistant(4, "m3", request="r3", sessionId=OTHER)], OTHER)

    def refuse(name: str, mode: str) -> object:
        # root may read everything: the refusal has to be made
        if name == str(path):
            raise PermissionError(13, "Permission denied", name)
        return open(name, mode)  # noqa: PTH123

    with monkeypatch.context() as patch:
        patch.setattr("measure.transcripts.scan.open", refuse, raising=False)
        assert [one["reason"] for one in checked(root).skipped] == ["permission denied"]
        told = quick.overview([root])
        assert told is not None
        assert len(told[1].skipped) == 1
    path.chmod(0o600)
    assert quick.overview([root]) is None
    assert checked(root).skipped == []


def test_store_that_cannot_be_used_costs_no_answer(tmp_path: Path, own_cache: Path) -> None:
    root = tmp_path / "r"
    session(root, [user(1), assistant(2, "m1")])
    own_cache.parent.mkdir(parents=True)
    own_cache.write_text("a file where the folder should be")
    frames = load([root], store=True)
    assert frames.requests.height == 1
    assert "could not be used" in frames.notes[0]


def test_small_segments_become_one(tmp_path: Path, own_cache: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), assistant(2, "m1")])
    for at in range(segments.COMPACT_AT + 2):
        grow(path, [assistant(10 + at, f"x{at}", request=f"x{at}")], touch=at)
        load([root], store=True)
    checked(root)
    db = sqlite3.connect(own_cache / place.DATABASE)
    assert db.execute("SELECT count(*) FROM segments").fetchone()[0] < segments.COMPACT_AT
    db.close()


def test_store_holds_no_message_text(tmp_path: Path, own_cache: Path) -> None:
    root = tmp_path / "r"
    secret = "correct-horse-battery"
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"echo {secret}"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": secret}
    session(root, [user(1, secret), assistant(2, content=[call]), user(3, [result])])
    load([root], store=True)
    for path in own_cache.rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path


RECORDS = [
    user(1),
    assistant(2, "m1", usage=usage(3, 1)),
    assistant(3, "m1", usage=usage(3, 50)),
    user(4, [{"type": "tool_result", "tool_use_id": "t", "content": "1\ta\n2\tb"}]),
    base("system", 5, subtype="compact_boundary", compactMetadata={"preTokens": 5}),
    assistant(
        6, "m2", request="r2", content=[{"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "/f"}}]
    ),
    "{torn",
    assistant(7, None),
    {"type": "mode", "sessionId": SESSION},
    assistant(8, "m1", request="other"),
    base("queue-operation", 9, operation="enqueue"),
]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(RECORDS), st.lists(st.integers(1, 5000), max_size=3), st.booleans())
def test_random_growth_steps_end_in_the_same_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: list[object], cuts: list[int], forked: bool
) -> None:
    root = tmp_path / f"{random.random()}"
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(root / "cache"))
    data = lines([user(0), *records])  # type: ignore[list-item]
    path = session(root, [])
    if forked:
        session(root, [base("mode", 30, OTHER), *RECORDS[:4], assistant(40, "own", sessionId=OTHER)], OTHER)
    for cut in sorted({min(cut, len(data)) for cut in cuts} | {len(data)}):
        path.write_bytes(data[:cut])
        checked(root)


def _reader(root: Path) -> list[str]:
    code = "import sys; from measure.frames import load; print(load([sys.argv[1]], store=True).requests.height)"
    return [sys.executable, "-c", code, str(root)]


def test_two_processes_at_once_give_the_same_answer(tmp_path: Path) -> None:
    root = tmp_path / "r"
    for at in range(4):
        name = f"{at}" * 8
        session(root, [user(1, sessionId=name), assistant(at, f"m{at}", request=f"r{at}", sessionId=name)], name)
    both = [subprocess.Popen(_reader(root), stdout=subprocess.PIPE, cwd=ROOT) for _ in range(2)]
    assert [one.communicate()[0].strip() for one in both] == [b"4", b"4"]
    checked(root)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_kill_at_any_moment_loses_no_truth(tmp_path: Path, how: signal.Signals) -> None:
    from benchmarks.corpus import make

    root = make(tmp_path / "r", 12_000_000)
    newest = max(root.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    draw = random.Random(5)
    for at in range(50):
        one = subprocess.Popen(_reader(root), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        time.sleep(draw.uniform(0.05, 1.6))
        one.send_signal(how)
        one.wait()
        grow(newest, [assistant(at, f"kill{at}", request=f"kill{at}")])
        if at % 10 == 9:
            checked(root)
    checked(root)


@pytest.mark.shared
def test_store_and_no_store_agree_on_all_transcripts() -> None:
    for _ in range(2):
        checked(SHARED / "transcripts")
        checked(SHARED / "corpus")
