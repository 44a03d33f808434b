"""Sums over sessions = over days = over models = totals: on random rows, on the sample, on all shared data."""

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measure.columns import schema
from measure.frames import Frames, load
from measure.metrics import usage
from measure.reports import agents, days, models, projects, sessions
from measure.reports.model import Filters
from measure.reports.select import select

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared"
SAMPLE = ROOT / "data" / "transcripts"
SUMS = ("requests", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
START = datetime(2026, 10, 20, tzinfo=UTC)


def check(frames: Frames, filters: Filters) -> None:
    """Every grouping of `frames` has the same sums as the requests."""
    totals = {name: value or 0 for name, value in usage.totals(frames.requests).items()}
    for module in (days, models, projects, sessions, agents):
        table = module.rows(frames, filters)
        for column in SUMS:
            assert (table[column].sum() or 0) == totals[column], f"{module.__name__} {column}"
    kinds = ("cache_write_5m_tokens", "cache_write_1h_tokens", "cache_write_unknown_tokens")
    assert sum(totals[kind] for kind in kinds) == totals["cache_write_tokens"]


@cache
def loaded(path: Path) -> Frames:
    return load([path])


tokens = st.one_of(st.none(), st.integers(0, 2**40))
row = st.fixed_dictionaries(
    {
        "session_id": st.sampled_from(["s1", "s2", "s3"]),
        "agent_id": st.sampled_from([None, "a1", "a2"]),
        "agent_type": st.sampled_from([None, "Explore"]),
        "model": st.sampled_from([None, "opus", "haiku"]),
        "project": st.sampled_from([None, "/x/one", "/x/two"]),
        "ts": st.one_of(st.none(), st.integers(0, 40 * 86400).map(lambda s: START + timedelta(seconds=s))),
        "input_tokens": tokens,
        "cache_read_tokens": tokens,
        "output_tokens": tokens,
        "context_tokens": tokens,
    }
)
filters = st.builds(
    Filters,
    since=st.one_of(st.none(), st.integers(0, 40).map(lambda d: START + timedelta(days=d))),
    until=st.one_of(st.none(), st.integers(0, 40).map(lambda d: START + timedelta(days=d))),
    timezone=st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "Pacific/Apia"]),
    projects=st.sampled_from([(), ("one",), ("/x/two",), ("none",)]),
    sessions=st.sampled_from([(), ("s1",), ("s",)]),
    agent_types=st.sampled_from([(), ("main",), ("Explore", "main")]),
    models=st.sampled_from([(), ("OPUS",), ("a",)]),
)


def made(rows: list[dict[str, object]]) -> Frames:
    requests = pl.DataFrame(rows, schema=schema("requests"), orient="row")
    zero = pl.lit(0, pl.Int64)
    requests = requests.with_columns(
        *(zero.alias(c) for c in requests.columns if c.startswith("cache_write") and c.endswith("tokens"))
    )
    keys = ["session_id", "agent_id"]
    threads = requests.select(*keys, "agent_type", "project").unique(keys).to_dicts()
    owners = requests.select("session_id", "project").unique("session_id").to_dicts()
    return Frames(
        requests=requests,
        agents=pl.DataFrame(threads, schema=schema("agents"), orient="row"),
        sessions=pl.DataFrame(owners, schema=schema("sessions"), orient="row"),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(row, max_size=25), filters)
def test_random_rows_have_equal_sums_under_every_filter(rows: list[dict[str, object]], chosen: Filters) -> None:
    # A row belongs to its thread: type and project are those of the thread, as in real frames.
    for each in rows:
        each["agent_type"] = None if each["agent_id"] in (None, "a2") else "Explore"
        each["project"] = {"s1": "/x/one", "s2": "/x/two", "s3": None}[str(each["session_id"])]
    frames = made(rows)
    window = Filters(since=START - timedelta(days=1), until=START + timedelta(days=400), timezone=chosen.timezone)
    check(select(frames, window), window)
    if chosen != Filters(timezone=chosen.timezone):
        check(select(frames, chosen), chosen)


def test_the_sample_has_equal_sums() -> None:
    check(loaded(SAMPLE), Filters())


@pytest.mark.parametrize(
    "chosen",
    [
        Filters(since=datetime(2026, 11, 10, tzinfo=UTC), until=datetime(2026, 11, 14, 12, tzinfo=UTC)),
        Filters(projects=("lantern",)),
        Filters(agent_types=("Explore",)),
        Filters(agent_types=("main",), models=("opus",)),
        Filters(models=("haiku",), timezone="Asia/Tokyo"),
    ],
    ids=str,
)
def test_a_filter_on_the_sample_keeps_equal_sums(chosen: Filters) -> None:
    frames = select(loaded(SAMPLE), chosen)
    assert 0 < frames.requests.height < loaded(SAMPLE).requests.height
    check(frames, chosen)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["corpus", "transcripts"])
def test_all_shared_data_has_equal_sums(name: str) -> None:
    check(loaded(SHARED / name), Filters())
    narrowed = Filters(models=("opus",), timezone="America/New_York")
    check(select(loaded(SHARED / name), narrowed), narrowed)
