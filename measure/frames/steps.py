"""Which request carries a text: the first one of the thread that begins after it."""

from __future__ import annotations

import polars as pl

from measure.frames.ownership import POSITION, THREAD


def with_step(rows: pl.DataFrame, placed: pl.DataFrame, name: str) -> pl.DataFrame:
    """`rows` (with thread and position columns) plus `name`: step of the first request that begins after the row.

    Null where none followed. A message that streams while its tools already answer began before those answers, so
    it is not the one that carries them. `placed` is `requests.placed`.
    """
    numbered = rows.with_row_index("row")
    places = numbered.select(*THREAD, *POSITION, "row")
    both = pl.concat([places, placed.select(*THREAD, *POSITION, pl.col("step").alias(name))], how="diagonal")
    both = both.sort(*POSITION, nulls_last=True)
    both = both.with_columns(pl.col(name).fill_null(strategy="backward").over(THREAD))
    found = both.filter(pl.col("row").is_not_null()).select("row", name)
    return numbered.drop(name, strict=False).join(found, on="row", how="left").sort("row").drop("row")
