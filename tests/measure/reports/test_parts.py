"""The overview counted part by part is the overview of all frames, however the files fall into parts."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_transcripts import OTHER, SESSION, agent, assistant, base, lines, session, usage, user

from measure.frames import load
from measure.reports import parts
from measure.reports.model import Filters
from measure.reports.overview import count, told
from measure.reports.read import source
from measure.reports.run import write
from measure.transcripts import cut, processes
from measure.transcripts.build import RawFrames
from measure.transcripts.find import META_SUFFIX, Listing, listing
from measure.transcripts.scan import Progress

SHARED = Path(__file__).resolve().parents[4] / "shared"
Record = dict[str, Any]


def same(root: Path, size: int) -> int:
    """Hold the parts against the whole; the number of parts."""
    whole, found = load([root], store=False), listing([root])
    frames, counts = parts.overview(found, size=size)
    assert counts == count(whole)
    assert source(frames, places=[str(root)]) == source(whole, places=[str(root)])
    return len(cut.parts(found, size))


class World:
    """Sessions that share what sessions share: copies, ids, agents; drawn at random."""

    def __init__(self, root: Path, draw: Random) -> None:
        self.root, self.draw, self.at = root, draw, 0
        self.sessions = [str(UUID(int=draw.getrandbits(128))) for _ in range(4)]
        self.written: list[tuple[str, list[Record]]] = []

    def next(self) -> int:
        self.at += 1
        return self.at

    def answer(self, name: str, content: Any = None, **more: Any) -> Record:
        """An assistant record; the id of its response may be an earlier one's, or missing."""
        draw, at = self.draw, self.next()
        message = draw.choice([f"m{at}", f"m{at}", f"m{draw.randint(1, at)}", f"m{draw.randint(1, at)}", None, ""])
        figures = usage(draw.choice([3, 4]), draw.choice([1, 9, None]), draw.choice([100, None, 2**62]))
        given = {"usage": figures, "model": draw.choice(["claude-opus-5-5", "claude-haiku-4-5", None])}
        content = content or [{"type": "text", "text": "x" * draw.choice([1, 90])}]
        request = draw.choice([f"r{at}", f"r{draw.randint(1, at)}"])
        cwd = draw.choice(["/nowhere/repo", "/nowhere/other", "/elsewhere"])
        return assistant(at, message, request=request, content=content, sessionId=name, cwd=cwd, **(given | more))

    def launch(self, name: str) -> list[Record]:
        """A call of an agent, and perhaps its result; several calls may have one id."""
        draw = self.draw
        call = f"toolu_{draw.randint(1, 3)}"
        asked = {"prompt": "x", "subagent_type": draw.choice(["Explore", "Plan"])}
        tool = draw.choice(["Agent", "Agent", "Read"])
        block = {"type": "tool_use", "id": call, "name": tool, "input": asked}
        records = [self.answer(name, [block])]
        result = {"type": "tool_result", "tool_use_id": call, "content": "x" * draw.choice([1, 90])}
        told_of = {"status": "completed", "agentId": f"a{draw.randint(1, 3)}", "content": "x"}
        more = draw.choice([{}, {"toolUseResult": told_of}])
        records.append(user(self.next(), [result], sessionId=name, **more))
        return records if draw.random() < 0.8 else draw.choice([records[:1], records[1:]])

    def notified(self, name: str) -> Record:
        text = (
            f"<task-notification>\n<task-id>a{self.draw.randint(1, 4)}</task-id>\n"
            f"<tool-use-id>toolu_{self.draw.randint(1, 3)}</tool-use-id>\n<status>completed</status>\n"
            "<result>so far</result></task-notification>"
        )
        return user(self.next(), text, sessionId=name)

    def progress(self, name: str) -> Record:
        inner = self.answer(name)
        data = {"type": "agent_progress", "agentId": f"a{self.draw.randint(1, 3)}", "message": inner}
        return base("progress", self.next(), name, data=data)

    def talk(self, name: str) -> list[Record]:
        """What one conversation says."""
        records = [user(self.next(), sessionId=name)]
        for _ in range(self.draw.randint(1, 4)):
            kind = self.draw.randint(0, 8)
            if kind == 0:
                records += self.launch(name)
            elif kind == 1:
                records.append(self.notified(name))
            elif kind == 2:
                records.append(self.progress(name))
            elif kind == 3:
                first = user(self.next(), sessionId=name, isSidechain=True)
                records += [first, self.answer(name, isSidechain=True, parentUuid=first["uuid"])]
            else:
                records.append(self.answer(name))
        return records

    def copied(self, name: str) -> list[Record]:
        """The beginning, or any piece, of what was written before, as a fork or under its own session's id."""
        if not self.written:
            return []
        _, records = self.draw.choice(self.written)
        low = self.draw.choice([0, 0, self.draw.randint(0, len(records))])
        taken = copy.deepcopy(records[low : self.draw.randint(low, len(records))])
        for record in taken:
            if self.draw.random() < 0.5:
                record["sessionId"] = name
        return taken

    def write(self) -> None:
        """One more file."""
        draw = self.draw
        name, project = draw.choice(self.sessions), draw.choice(["p", "q"])
        records = (self.copied(name) if draw.random() < 0.5 else []) + self.talk(name)
        if draw.random() < 0.1:
            for record in records:
                record.pop("sessionId", None)
        kind, own = draw.choice(["main", "main", "main", "agent", "old"]), f"a{draw.randint(1, 3)}"
        if kind != "main":
            for record in records:
                record.update(isSidechain=True, agentId=own)
        folder = self.root / "projects" / project
        path = folder / f"{name}.jsonl"
        if kind == "agent":
            path = folder / name / "subagents" / f"agent-{own}.jsonl"
        elif kind == "old":
            path = folder / f"agent-{own}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines([*records, *(["{torn"] if draw.random() < 0.1 else [])]))
        if kind == "agent" and draw.random() < 0.7:
            where = path.with_name(draw.choice([path.stem, "agent-a9"]) + META_SUFFIX)
            where.write_text(json.dumps({"agentType": "Made", "toolUseId": f"toolu_{draw.randint(1, 3)}"}))
        self.written.append((name, records))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.integers(1, 9), st.sampled_from([1, 3_000, 9_000]), st.booleans())
def test_any_split_gives_the_overview_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw: Random, files: int, size: int, guessed: bool
) -> None:
    root = tmp_path / f"{Random().random()}"
    world = World(root, draw)
    for _ in range(files):
        world.write()
    with monkeypatch.context() as patch:
        if not guessed:
            patch.setattr(cut, "_hints", lambda path, own: [])
        same(root, size)


def apart(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sessions of which nothing but their answers tells that one is the other's fork, each a part of its own."""
    monkeypatch.setattr(cut, "_hints", lambda path, own: [])
    answers = [assistant(2, "m1", usage=usage(5, 7)), assistant(3, "m2", request="r2", usage=usage(5, 11))]
    session(root, [user(1), *answers])
    copies = [copy.deepcopy(one) | {"sessionId": OTHER} for one in answers]
    copies[1]["requestId"] = "again"
    own = assistant(5, "m3", request="r3", usage=usage(5, 13), sessionId=OTHER)
    session(root, [base("mode", 4, OTHER), *copies, own], OTHER, "q")


def test_a_fork_in_another_part_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apart(tmp_path, monkeypatch)
    assert same(tmp_path, 1) == 2
    _, counts = parts.overview(listing([tmp_path]), size=1)
    totals = counts.totals
    # Five answers are written, two of them a second time, one of these under another request id.
    assert (totals["requests"], totals["input_tokens"], totals["output_tokens"]) == (3, 15, 7 + 11 + 13)
    assert (counts.sessions, counts.agents, counts.projects, counts.replays) == (2, 0, 1, 1)
    assert counts.by_thread[0]["threads"] == 2


def test_only_what_is_linked_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apart(tmp_path, monkeypatch)
    third = "3" * 8
    session(tmp_path, [user(7, sessionId=third), assistant(8, "m8", request="r8", sessionId=third)], third)
    seen: list[list[str]] = []
    read = parts._raw

    def noted(found: Listing, progress: Progress | None) -> RawFrames:
        seen.append([Path(one.path).stem for one in found.files])
        return read(found, progress)

    monkeypatch.setattr(parts, "_raw", noted)
    parts.overview(listing([tmp_path]), size=1)
    assert seen == [[SESSION], [third], [OTHER], [SESSION, OTHER]]


def test_sums_beyond_int64_are_clamped_and_unknown_ones_stay_unknown(tmp_path: Path) -> None:
    for at in range(4):
        name = f"{at}" * 8
        figures = usage(2**62, None, None)
        session(tmp_path, [assistant(at, f"m{at}", request=f"r{at}", sessionId=name, usage=figures)], name)
    assert same(tmp_path, 1) == 4
    _, counts = parts.overview(listing([tmp_path]), size=1)
    assert counts.totals["input_tokens"] == 2**63 - 1
    assert counts.totals["output_tokens"] is None


def several(root: Path) -> Path:
    for at in range(5):
        name = f"{at}" * 8
        session(
            root, [user(20 + at, sessionId=name), assistant(at, f"m{at // 2}", request=f"r{at}", sessionId=name)], name
        )
        agent(root, [assistant(10 + at, f"a{at}", request=f"a{at}", sessionId=name)], name=name)
    return root


def test_two_processes_count_what_one_does_and_tell_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = several(tmp_path)
    monkeypatch.setenv("SETPOINT_PROCESSES", "2")
    assert same(root, 1) >= 5
    told_of: list[tuple[int, int]] = []
    parts.overview(listing([root]), lambda done, total: told_of.append((done, total)), size=1)
    assert told_of == sorted(told_of)
    assert told_of[-1][0] == told_of[-1][1]


@pytest.mark.skipif(os.name == "nt", reason="abort asks the user there")
def test_parts_of_processes_that_die_are_counted_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETPOINT_PROCESSES", "2")
    monkeypatch.setattr(processes, "_quiet", os.abort)
    same(several(tmp_path), 1)


def test_ctrl_c_ends_the_count(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parts.overview(listing([several(tmp_path)]), stop, size=1)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "csv"])
def test_every_form_of_the_report_is_that_of_the_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: Any
) -> None:
    from measure.reports import REPORTS
    from measure.reports.run import produce

    root = several(tmp_path)
    torn = session(root, ["{torn", user(1)], "torn")
    (torn.parent / "empty.jsonl").touch()
    whole = load([root], store=False)
    write([told(count(whole), Filters())], Filters(), source(whole, places=[str(root)]), form)
    expected = capsys.readouterr().out
    entry = next(one for one in REPORTS if one.name == "overview")
    produce([entry], [root], Filters(), form=form, or_sample=True)
    assert capsys.readouterr().out == expected
    assert "2" in expected


@pytest.mark.shared
@pytest.mark.parametrize("size", [200_000, 10_000_000])
def test_public_transcripts_in_parts_are_those_as_a_whole(size: int) -> None:
    assert same(SHARED / "transcripts", size) > 1
    assert same(SHARED / "corpus", size // 10) > 1
