"""What is found for runs of equal rows is what a join or a sort of all rows finds."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from measure.frames.runs import THREAD, along, first_rows, in_thread_order, seats
from measure.frames.steps import step_after, with_segment

ID = st.none() | st.sampled_from("ab")
TIME = st.none() | st.sampled_from([datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2)])
SCHEMA = {"session_id": pl.String, "agent_id": pl.String, "file_ts": pl.Datetime("us", "UTC"), "path": pl.String}
ROWS = st.lists(st.tuples(ID, ID, TIME, ID, st.integers(1, 9)), max_size=20)


def table(rows: list[tuple[Any, ...]], last: str = "line") -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA | {last: pl.Int64}, orient="row")


@given(ROWS, ROWS)
def test_facts_are_those_of_a_join(rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> None:
    facts = table(others, "fact").select(*THREAD, "fact").unique(THREAD, keep="first", maintain_order=True)
    found = table(rows).join(facts, on=THREAD, how="left", nulls_equal=True, maintain_order="left")
    assert_frame_equal(along(table(rows), facts, THREAD), found)


@given(ROWS)
def test_order_is_that_of_a_sort(rows: list[tuple[Any, ...]]) -> None:
    whole = table(rows, "step").unique(maintain_order=True)
    order = whole.sort(*THREAD, "step", nulls_last=False, maintain_order=True)
    columns = [*THREAD, "step"]
    assert_frame_equal(in_thread_order(whole, "step").select(columns), order.select(columns))
    assert_frame_equal(in_thread_order(order, "step"), order)


@given(ROWS, ROWS)
def test_seats_order_rows_of_several_frames_by_thread_and_place(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]]
) -> None:
    frames = [table(rows), table(others)]
    numbered = [frame.hstack(found) for frame, found in zip(frames, seats(*frames), strict=True)]
    whole = pl.concat(numbered).unique()
    last = [False, False, True, True, True]
    assert_frame_equal(whole.sort("seat"), whole.sort(*THREAD, "file_ts", "path", "line", nulls_last=last))
    assert whole.select(*THREAD).n_unique() == whole["thread"].n_unique()


@given(st.lists(st.tuples(ID, ID)))
def test_first_rows_are_numbers_of_equal_rows(rows: list[tuple[Any, ...]]) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    assert first_rows(frame["a"], frame["b"]).to_list() == [rows.index(row) for row in rows]


def test_a_row_is_carried_by_the_next_request_of_its_own_thread() -> None:
    """Thread 0: a boundary at 15, requests at 10 and 20, rows at 5, 12, 25; thread 1: a request at 30, a row at 28."""
    placed = pl.DataFrame({"thread": [0, 0, 1], "seat": [10, 20, 30], "step": [0, 1, 0]})
    rows = pl.DataFrame({"thread": [1, 0, 0, 0, None], "seat": [28, 25, 5, 12, None]})
    assert step_after(rows, placed).to_list() == [0, None, 0, 1, None]
    marks = pl.DataFrame({"thread": [0], "seat": [15], "owned": [True]})
    assert with_segment(rows, marks)["segment"].to_list()[:4] == [0, 1, 0, 0]
