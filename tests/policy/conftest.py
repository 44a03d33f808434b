"""Frames by hand: rows as dicts, the rest of the schema filled in."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from measure.columns import empty

START = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
Make = Callable[..., pl.DataFrame]


def request(row: dict[str, Any], index: int) -> dict[str, Any]:
    """A request of the main thread of session "s", one a minute; `w5`, `w1h`, `wu`, `i`, `r`, `o` are its counters."""
    w5, w1h, wu = row.pop("w5", 0), row.pop("w1h", 0), row.pop("wu", 0)
    fresh, read, output = row.pop("i", 0), row.pop("r", 0), row.pop("o", 0)
    seconds = row.pop("at", 60 * index)
    return {
        "session_id": "s",
        "agent_id": None,
        "message_id": f"msg_{index}",
        "step": index,
        "segment": 0,
        "model": "claude-sonnet-5",
        "ts": START + dt.timedelta(seconds=seconds),
        "project": "/p",
        "input_tokens": fresh,
        "cache_read_tokens": read,
        "cache_write_tokens": w5 + w1h + wu,
        "cache_write_5m_tokens": w5,
        "cache_write_1h_tokens": w1h,
        "cache_write_unknown_tokens": wu,
        "output_tokens": output,
        "context_tokens": fresh + read + w5 + w1h + wu,
        "web_searches": 0,
        "output_is_lower_bound": False,
        "is_replay": False,
        "from_progress": False,
    } | row


def fill(frame: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows in the frame's own schema, missing columns null."""
    schema = empty(frame).schema
    unknown = {key for row in rows for key in row} - set(schema)
    assert not unknown, unknown
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


@pytest.fixture
def requests_of() -> Make:
    return lambda *rows: fill("requests", [request(dict(row), index) for index, row in enumerate(rows)])


@pytest.fixture
def frame_of() -> Callable[[str, list[dict[str, Any]]], pl.DataFrame]:
    return fill
