"""The frame `events`: API errors, interrupts, hook runs, denials, local notices and compactions without a boundary."""

from __future__ import annotations

import polars as pl

from measure.frames.labels import in_order, labelled
from measure.frames.runs import POSITION, THREAD
from measure.transcripts.build import RawFrames

_COLUMNS = (*THREAD, *POSITION, "ts", "kind", "name", "command", "outcome", "duration_ms")


def events(raw: RawFrames, answered: pl.DataFrame, types: pl.DataFrame) -> pl.DataFrame:
    """One row an event, in the order of threads and lines. `raw` is prepared, `answered` is `tool_calls.answered`.

    A hook run that blocked has no duration where the client wrote none. A denial is named after the tool that was
    refused. `compact_unseen` is a summary that no `compact_boundary` announced.
    """
    parts = [raw["events"].filter("owned"), _denials(answered), _unseen(raw)]
    rows = pl.concat([part.select(_COLUMNS) for part in parts])
    return labelled("events", in_order(rows, *POSITION), raw, types)


def _denials(answered: pl.DataFrame) -> pl.DataFrame:
    by = pl.when("hook_denied").then(pl.lit("hook")).otherwise(pl.col("denial"))
    nothing = pl.lit(None, pl.String)
    return answered.filter("denied").with_columns(
        pl.lit("denial").alias("kind"),
        pl.col("tool").alias("name"),
        nothing.alias("command"),
        by.alias("outcome"),
        pl.lit(None, pl.Int64).alias("duration_ms"),
    )


def _unseen(raw: RawFrames) -> pl.DataFrame:
    """Summaries before which the thread has no boundary since its last summary."""
    names = (*THREAD, *POSITION, "ts")
    summaries = raw["turns"].filter(pl.col("owned") & (pl.col("kind") == "compact_summary"))
    boundaries = raw["boundaries"].filter("owned")
    marks = pl.concat(
        [
            summaries.select(*names, pl.lit("compact_unseen").alias("kind")),
            boundaries.select(*names, pl.lit("boundary").alias("kind")),
        ]
    ).sort(*POSITION, nulls_last=True)
    announced = (pl.col("kind").shift(1).over(THREAD) == "boundary").fill_null(value=False)
    nothing = pl.lit(None, pl.String)
    return marks.filter((pl.col("kind") == "compact_unseen") & ~announced).with_columns(
        nothing.alias("name"),
        nothing.alias("command"),
        nothing.alias("outcome"),
        pl.lit(None, pl.Int64).alias("duration_ms"),
    )
