"""The compaction hook's log beside the compactions of the transcripts."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from measure import columns
from measure.reports.decisions import rows, table


@pytest.fixture
def frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "user"))
    sessions = pl.DataFrame([{"session_id": "s", "project": None}], schema=columns.schema("sessions"))
    made = [
        {"session_id": "s", "agent_id": "a1", "agent_type": "Explore", "pre_tokens": 46_000},
        {"session_id": "s", "agent_id": "a2", "agent_type": "Explore", "pre_tokens": 47_000},
    ]
    return SimpleNamespace(sessions=sessions, compactions=pl.DataFrame(made, schema=columns.schema("compactions")))


def log(folder: Path, *lines: dict[str, Any] | str) -> None:
    path = folder / ".claude" / "setpoint" / "log" / "2026-11-30.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))


def row(decision: str, agent: str | None = "a1", **more: Any) -> dict[str, Any]:
    kind = "Explore" if agent else None
    return {"feature": "compaction", "session": "s", "agent": agent, "type": kind, "decision": decision, **more}


def test_decisions_are_counted_by_party_beside_the_transcripts(frames: Any, tmp_path: Path) -> None:
    log(
        tmp_path,
        row("nudge", tokens=21_000, limit=45_000),
        row("held", tokens=40_000, limit=45_000),
        row("armed+nudge"),
        row("passed", tokens=46_000, limit=45_000),
        row("held", None, tokens=70_000, limit=90_000),
        {**row("held"), "session": "another"},
        {**row("block"), "feature": "returns"},
        '{"torn": ',
    )
    found = {one["agent_type"]: one for one in rows(frames, []).to_dicts()}
    assert list(found) == ["main", "Explore"]
    explore = found["Explore"]
    assert (explore["compactions"], explore["passed"], explore["held"], explore["nudge"], explore["armed"]) == (
        2,
        1,
        1,
        2,
        1,
    )
    assert explore["limit_tokens"] == 45_000
    assert (found["main"]["compactions"], found["main"]["held"], found["main"]["limit_tokens"]) == (0, 1, 90_000)


def test_without_a_log_there_is_no_table(frames: Any) -> None:
    assert table(frames) == ([], [])


def test_a_log_that_cannot_be_read_is_named_and_the_others_count(frames: Any, tmp_path: Path) -> None:
    log(tmp_path, row("held", tokens=40_000, limit=45_000))
    bad = tmp_path / ".claude" / "setpoint" / "log" / "2026-11-29.jsonl"
    bad.mkdir()  # a folder in its place: whoever reads, root too, is refused
    tables, notes = table(frames)
    assert tables[0].rows["held"].to_list() == [1]
    assert len(notes) == 1
    assert str(bad) in notes[0]
