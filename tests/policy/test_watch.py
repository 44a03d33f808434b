"""`setpoint watch` on sessions made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_transcripts import agent, assistant, session, usage, user

from measure.cli import run
from measure.frames import load
from policy.watch import threads


def made(root: Path) -> Path:
    repo = root / "repo"
    (repo / ".claude").mkdir(parents=True)
    config = {"context": {"enabled": True, "maxTokens": 50_000}}
    (repo / ".claude" / "setpoint.json").write_text(json.dumps(config))
    session(root, [user(1, cwd=str(repo)), assistant(2, "m1", cwd=str(repo))])
    agent(
        root, [user(3, cwd=str(repo)), assistant(4, "m2", request="r2", cwd=str(repo), usage=usage(3, 10, 24_977, 20))]
    )
    return root


def test_context_stands_beside_the_limit_of_its_thread(tmp_path: Path) -> None:
    rows = {row["agent_id"]: row for row in threads(load([made(tmp_path)]))}
    assert (rows["a1"]["context_tokens"], rows["a1"]["limit"]) == (25_000, 50_000)
    # a main thread has no bound
    assert (rows[None]["context_tokens"], rows[None]["limit"]) == (123, None)
    assert rows["a1"]["usd"] > 0


def test_one_look_prints_and_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", "--once", str(made(tmp_path))]) == 0
    assert "50%" in capsys.readouterr().out


@pytest.mark.parametrize("columns", [40, 60])
def test_a_narrow_screen_leaves_columns_out_and_cuts_no_number(
    columns: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["watch", "--once", str(made(tmp_path))]) == 0
    out = capsys.readouterr().out
    assert {"25,000", "$0.00033"} <= set(out.split())
    assert "requests" not in out
    assert all(len(line.rstrip()) <= columns for line in out.splitlines())


def test_nothing_running_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", "--once", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "No session was written to in the last 60 minutes.\n"
