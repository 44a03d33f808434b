"""The report start: what each thread pays before any work."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import polars as pl

from measure import columns
from measure.reports.model import Filters
from measure.reports.start import build, rows

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def frames(*requests: dict[str, Any]) -> Any:
    made = [{"session_id": "s", "ts": NOW, "model": "m", "is_replay": False, **one} for one in requests]
    return SimpleNamespace(requests=pl.DataFrame(made, schema=columns.schema("requests")))


SAMPLE = frames(
    {"agent_id": None, "agent_type": None, "step": 0, "context_tokens": 14_000},
    {"agent_id": None, "agent_type": None, "step": 1, "context_tokens": 90_000},
    {"agent_id": "a", "agent_type": "Explore", "step": 1, "context_tokens": 12_000},
    {"agent_id": "a", "agent_type": "Explore", "step": 0, "context_tokens": 9_000},
    {"agent_id": "b", "agent_type": "Explore", "step": 0, "context_tokens": 11_000},
    {"agent_id": "f", "agent_type": "fork", "step": 0, "context_tokens": 50_000, "is_replay": True},
    {"agent_id": "f", "agent_type": "fork", "step": 1, "context_tokens": 51_000},
    {"agent_id": "u", "agent_type": "Explore", "step": 0, "context_tokens": None},
)


def test_the_first_own_request_of_each_thread_counts_alone() -> None:
    table = rows(SAMPLE, Filters())
    assert dict(zip(table["agent_id"], table["context_tokens"], strict=True)) == {
        "f": 51_000,
        None: 14_000,
        "b": 11_000,
        "a": 9_000,
    }


def test_by_kind_main_first() -> None:
    kinds = build(SAMPLE, Filters(bound=10_000)).extra["by_kind"]
    assert [
        (one["agent_type"], one["threads"], one["p50_tokens"], one["max_tokens"], one["above"]) for one in kinds
    ] == [
        ("main", 1, 14_000, 14_000, 1),
        ("Explore", 2, kinds[1]["p50_tokens"], 11_000, 1),
        ("fork", 1, 51_000, 51_000, 1),
    ]


def test_without_a_bound_nothing_is_above_or_below_it() -> None:
    assert build(SAMPLE, Filters()).totals["above"] is None
    assert build(SAMPLE, Filters(bound=51_000)).totals["above"] == 0
