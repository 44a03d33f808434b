"""The bundled sample is what its script makes, and holds what data/README.md promises."""

import importlib
import sys
from pathlib import Path

import polars as pl
import pytest

from measure.columns import FRAMES
from measure.frames import Frames, load

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_script_makes_the_committed_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(DATA)
    module = importlib.import_module("make_sample")
    monkeypatch.setattr(module, "TARGET", tmp_path / "transcripts")
    module.main()
    sys.modules.pop("make_sample")
    assert contents(tmp_path / "transcripts") == contents(DATA / "transcripts")


@pytest.fixture(scope="module")
def frames() -> Frames:
    return load([DATA / "transcripts"])


def test_every_record_of_the_sample_is_understood(frames: Frames) -> None:
    assert frames.records["unknown"] == 0
    assert frames.records["damaged"] == 0
    assert {file["reason"] for file in frames.skipped} == {"no transcript: a workflow's journal"}


def test_every_read_gives_the_same_frames(frames: Frames) -> None:
    for _ in range(3):
        again = load([DATA / "transcripts"])
        for name in FRAMES:
            assert again.frame(name).equals(frames.frame(name)), name


def test_the_sample_shows_every_kind_of_thing(frames: Frames) -> None:
    assert set(frames.agents["mode"].drop_nulls()) >= {"main", "foreground", "background", "fork", "workflow"}
    assert frames.agents["depth"].max() == 2
    assert set(frames.returns["route"]) >= {"tool_result", "notification", "handback"}
    assert set(frames.reads["repeat"]) == {"none", "same", "contained", "overlap"}
    assert set(frames.reads["via"]) == {"Read", "Bash"}
    assert frames.compactions["agent_id"].null_count() >= 2
    assert frames.compactions["agent_id"].count() >= 1
    assert frames.sessions["forked_from"].count() == 1
    assert set(frames.events["kind"]) >= {"api_error", "interrupt", "hook", "synthetic"}
    assert frames.returns.filter(pl.col("tried") > 0).height > 0


def test_the_sample_is_large_enough_for_a_fit(frames: Frames) -> None:
    assert frames.returns.height >= 60
    assert frames.returns["session_id"].n_unique() >= 12


def test_the_clients_own_totals_agree_with_the_requests(frames: Frames) -> None:
    rest = frames.sessions.select(pl.col("^untracked_.*$"))
    # What is not in the records are the requests of the three compactions.
    assert rest.select(pl.min_horizontal(pl.all()).min()).item() == 0
    assert rest["untracked_output_tokens"].sum() == 3 * 1200
