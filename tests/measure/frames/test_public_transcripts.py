"""Some 240 transcripts of public repositories, 1.0.x to 2.1.218, and the logs of other tools beside them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from measure.frames import Frames, load
from measure.transcripts.find import listing

SHARED = Path(__file__).resolve().parents[4] / "shared"
ROOT = SHARED / "transcripts"
FOLDERS = sorted(ROOT.iterdir()) if ROOT.is_dir() else []
CORPUS = sorted((SHARED / "corpus").iterdir()) if (SHARED / "corpus").is_dir() else []
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def everything() -> Frames:
    return load([ROOT])


def accounted(frames: Frames) -> bool:
    parts = pl.sum_horizontal("used", "bookkeeping", "unknown", "damaged")
    return bool(frames.files.select((pl.col("records") == parts).all()).item())


def test_every_record_of_all_transcripts_is_accounted_for(everything: Frames) -> None:
    assert accounted(everything)
    lines = 0
    for path in everything.files.filter(pl.col("skipped").is_null())["file"]:
        lines += sum(1 for line in Path(path).read_bytes().split(b"\n") if line.strip(b" \t\r"))
    assert everything.records["read"] == lines


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_folder_alone_is_read(folder: Path) -> None:
    frames = load([folder])
    assert accounted(frames)
    if folder.name in {"not_claude", "codex"}:
        assert frames.records["read"] == 0
        assert len(frames.skipped) == len(listing([folder]).files)
        assert all(one["reason"].startswith("no transcript: ") for one in frames.skipped)
    else:
        assert frames.requests.height > 0


def first_record_rule(files: list[str]) -> int:
    """Output tokens if the FIRST record of each response counted."""
    first: dict[str, int] = {}
    for path in files:
        for line in Path(path).read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
                message = record["message"]
                tokens = message["usage"]["output_tokens"]
            except (ValueError, KeyError, TypeError):
                continue
            if record.get("type") == "assistant" and isinstance(message.get("id"), str):
                first.setdefault(message["id"], tokens)
    return sum(first.values())


def test_first_record_of_each_response_would_give_less_output(everything: Frames) -> None:
    # two in three would do: the placeholder of a streamed response is 1 to 9 tokens
    files = everything.files.filter(pl.col("skipped").is_null())["file"].to_list()
    ours = everything.requests.filter(pl.col("message_id").is_not_null() & ~pl.col("from_progress"))
    assert first_record_rule(files) < ours["output_tokens"].sum()


def test_order_of_roots_does_not_matter(everything: Frames) -> None:
    backwards = load(FOLDERS[::-1])
    for name in ("requests", "sessions", "files"):
        assert backwards.frame(name).equals(everything.frame(name)), name


@pytest.mark.parametrize("folder", [*FOLDERS, *CORPUS], ids=lambda folder: folder.name)
def test_sums_over_sessions_days_and_models_are_the_totals(folder: Path) -> None:
    frames = load([folder])
    requests = frames.requests
    total = requests.select(pl.col(TOKENS).sum()).row(0)
    day = pl.col("ts").dt.convert_time_zone("Asia/Kolkata").dt.date()
    for key in (pl.col("session_id"), day, pl.col("model"), pl.col("project"), pl.col("file")):
        parts = requests.group_by(key.alias("key")).agg(pl.col(TOKENS).sum())
        assert parts.select(pl.col(TOKENS).sum()).row(0) == total
    assert frames.sessions.select(pl.col(TOKENS).sum()).row(0) == total
    writes = pl.sum_horizontal("cache_write_5m_tokens", "cache_write_1h_tokens", "cache_write_unknown_tokens")
    assert requests.select((writes == pl.col("cache_write_tokens").fill_null(0)).all()).item()
