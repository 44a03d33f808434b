"""Whatever the frames hold, within their schemas, every report can be built and written in every form."""

import io
import json
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from measure import cli
from measure.columns import FRAMES, Column, schema
from measure.frames import Frames
from measure.lazy import resolve
from measure.reports.machine import as_csv, as_json
from measure.reports.model import Filters, Source
from measure.reports.render import as_markdown, as_text
from measure.reports.select import select

ENTRIES = [entry for entry in cli.reports() if not entry.separate]
SOURCE = Source(
    1, (("a\x1b[31m|b", "why"),), dict.fromkeys(("read", "used", "bookkeeping", "unknown", "damaged"), 0), {}
)
FILTERS = [
    Filters(),
    Filters(top=1, over=0, timezone="Asia/Kolkata"),
    Filters(agent_types=("main", "x"), models=("a",)),
]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "String": st.sampled_from(
        ["", "a", "x", "|[red]`\n", "\x1b[2J", "漢字" * 30, "/home/u/" + "d/" * 60, "claude-opus-5-5"]
    ),
    "Int64": st.one_of(st.integers(0, 5), st.sampled_from([-1, 10**6, 2**53, 2**62])),
    "Float64": st.floats(allow_nan=False, allow_infinity=False),
    "Boolean": st.booleans(),
    "Datetime": st.datetimes(datetime(2024, 1, 1), datetime(2027, 1, 1)).map(lambda t: t.replace(tzinfo=UTC)),  # noqa: DTZ001
}
COUNTED = {
    "segment",
    "step",
    "result_step",
    "caller_step",
    "caller_segment",
    "delivery",
    "depth",
    "requests_since_last",
}
ALWAYS = {
    "output_is_lower_bound",
    "is_replay",
    "from_progress",
    "cache_write_scaled",
    "repeat",
    "avoidable_chars",
    "kind",
}


def value(column: Column) -> st.SearchStrategy[Any]:
    """A value of the column; null wherever the frames allow it."""
    known = {"repeat": ["none", "same", "contained", "overlap"], "kind": ["hook", "api_error"]}
    if column.name in known:
        return st.sampled_from(known[column.name])
    values = st.integers(0, 6) if column.name in COUNTED else VALUES[column.dtype]
    return values if column.name in ALWAYS | {"session_id"} else st.one_of(st.none(), values)


def rows(name: str) -> st.SearchStrategy[pl.DataFrame]:
    row = st.fixed_dictionaries({column.name: value(column) for column in FRAMES[name]})
    return st.lists(row, max_size=4).map(lambda made: pl.DataFrame(made, schema=schema(name), orient="row"))


frames = st.builds(Frames, **{name: rows(name) for name in FRAMES if name != "files"})


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(frames, st.sampled_from(FILTERS))
def test_every_report_can_be_told(given_frames: Frames, filters: Filters) -> None:
    chosen = select(given_frames, filters)
    for entry in ENTRIES:
        report = resolve(entry.target)(chosen, filters)
        out = io.StringIO()
        as_text([report], filters, SOURCE, out)
        assert "\x1b" not in out.getvalue(), entry.name
        assert "\x1b" not in as_markdown([report], filters, SOURCE), entry.name
        assert json.loads(as_json([report], filters, SOURCE))["report"] == entry.name
        as_csv(report)
