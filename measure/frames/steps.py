"""Where in its thread a row stands: which segment holds it, and which request carries it."""

from __future__ import annotations

import polars as pl


def with_segment(rows: pl.DataFrame, boundaries: pl.DataFrame) -> pl.DataFrame:
    """`rows` (with `thread` and `seat`) plus `segment`: the owned boundaries of the thread before each row."""
    marks = boundaries.filter("owned").select("thread", "seat").sort("seat")
    if not marks.height:
        return rows.with_columns(pl.lit(0, pl.Int64).alias("segment"))
    before = marks["seat"].search_sorted(rows["seat"].fill_null(0), side="left").cast(pl.Int64)
    elsewhere = marks["thread"].search_sorted(rows["thread"].fill_null(0), side="left").cast(pl.Int64)
    return rows.with_columns((before - elsewhere).alias("segment"))


def step_after(rows: pl.DataFrame, placed: pl.DataFrame) -> pl.Series:
    """For each row (with `thread` and `seat`) the `step` of the first request of its thread that begins after it.

    Null where none followed. A message that streams while its tools already answer began before those answers, so
    it is not the one that carries them. `placed` is `requests.placed`.
    """
    asked = rows.select("thread", pl.col("seat").fill_null(-1)).with_row_index("row").sort("seat")
    steps = placed.select("seat", "step", pl.col("thread").alias("whose")).sort("seat")
    found = asked.join_asof(steps, on="seat", strategy="forward")
    found = found.select("row", pl.when(pl.col("thread") == pl.col("whose")).then("step").alias("step"))
    return found.sort("row")["step"]
