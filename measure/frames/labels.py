"""What every frame says of a row besides its thread: the project, and the type of the agent."""

from __future__ import annotations

import polars as pl

from measure.columns import schema
from measure.frames.projects import with_project
from measure.frames.runs import THREAD, along
from measure.transcripts.build import RawFrames


def labelled(frame: str, rows: pl.DataFrame, raw: RawFrames, types: pl.DataFrame) -> pl.DataFrame:
    """`rows` as the frame called `frame`: `project` and `agent_type` added, its columns in its order.

    `rows` have their thread and `path`; `cwd` where the record told it (else the project is that of the file's
    start). `types` has one row a thread: session_id, agent_id, agent_type.
    """
    if "cwd" not in rows.columns:
        rows = rows.with_columns(pl.lit(None, pl.String).alias("cwd"))
    rows = typed(with_project(raw, rows), types)
    return rows.select(pl.col(name).cast(dtype) for name, dtype in schema(frame).items())


def typed(rows: pl.DataFrame, types: pl.DataFrame) -> pl.DataFrame:
    """`rows` with the `agent_type` of their thread."""
    rows, types = rows.drop("agent_type", strict=False), types.select(*THREAD, "agent_type")
    return along(rows, types, THREAD)


def in_order(rows: pl.DataFrame, *within: str) -> pl.DataFrame:
    """`rows` by thread (main before its agents), then by `within`, nulls last."""
    return rows.sort(*THREAD, *within, nulls_last=[False, False, *(True for _ in within)])
