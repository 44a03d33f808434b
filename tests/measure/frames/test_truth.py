"""Sessions written by the real client against the API's own account of them."""

import json
from pathlib import Path

import polars as pl
import pytest

from measure.frames import load

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
FOLDERS = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []
SUMS = {
    "input": "input_tokens",
    "cache_write_5m": "cache_write_5m_tokens",
    "cache_write_1h": "cache_write_1h_tokens",
    "cache_read": "cache_read_tokens",
    "output": "output_tokens",
}


@pytest.mark.shared
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_requests_and_token_sums_of_every_thread_equal_the_truth(folder: Path) -> None:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    frames = load([folder])
    seen = set()
    for thread in truth["threads"]:
        if not thread["requests"].get("loop"):
            continue
        mine = (pl.col("session_id") == thread["session"]) & pl.col("agent_id").eq_missing(pl.lit(thread["agent"]))
        rows = frames.requests.filter(mine)
        seen.add((thread["session"], thread["agent"]))
        assert rows.height == thread["requests"]["loop"], thread["label"]
        assert {key: rows[name].sum() for key, name in SUMS.items()} == thread["tokens"]["loop"], thread["label"]
        assert rows["context_tokens"].max() == thread["max_context"], thread["label"]
        assert not rows["output_is_lower_bound"].any()
    assert set(frames.requests.select("session_id", "agent_id").unique().iter_rows()) == seen


@pytest.mark.shared
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_client_totals_minus_requests_are_the_requests_that_leave_no_record(folder: Path) -> None:
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    frames = load([folder])
    for session, untracked in frames.sessions.select("session_id", "untracked_input_tokens").iter_rows():
        if untracked is None:
            continue
        hidden = [
            tokens["input"]
            for thread in truth["threads"]
            if thread["session"] == session
            for kind, tokens in thread["tokens"].items()
            if kind in {"compact", "aux", "failed", "unfinished"}
        ]
        assert untracked == sum(hidden)
