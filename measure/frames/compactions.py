"""The frame `compactions`: one row a compact_boundary, once, for the thread that owns it."""

from __future__ import annotations

import polars as pl

from measure.frames.labels import in_order, labelled
from measure.frames.runs import POSITION, THREAD
from measure.transcripts.build import RawFrames


def compactions(raw: RawFrames, placed: pl.DataFrame, types: pl.DataFrame) -> pl.DataFrame:
    """One row a boundary, in the order of threads and segments. `raw` is prepared, `placed` is `requests.placed`.

    `segment` is the one that the boundary ended, `requests_since_last` the requests of that segment. The request of
    the compaction itself leaves no record.
    """
    rows = in_order(raw["boundaries"].filter("owned"), *POSITION)
    rows = rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over(THREAD).alias("segment"))
    counted = placed.group_by(*THREAD, "segment").agg(pl.len().cast(pl.Int64).alias("requests_since_last"))
    rows = rows.join(counted, on=(*THREAD, "segment"), how="left", nulls_equal=True, maintain_order="left")
    rows = rows.with_columns(pl.col("requests_since_last").fill_null(0))
    return labelled("compactions", rows, raw, types)
