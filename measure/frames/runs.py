"""Joins and orders over long columns of few distinct keys: done once for each run of equal rows, not row by row.

The rows of one file follow each other, so the strings that name a thread, a file or a folder change once in hundreds
of rows. A run is found by comparing neighbours; everything that hashes or sorts strings then sees the runs alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

THREAD = ("session_id", "agent_id")
# Order of rows inside one thread: files in the order of their first time, lines inside a file as they stand.
POSITION = ("file_ts", "path", "line")
_PLACE = (*THREAD, *POSITION[:2])
_LINE_BITS = 36
_NO_LINE = (1 << _LINE_BITS) - 1


def runs(rows: pl.DataFrame, keys: Sequence[str]) -> tuple[pl.Series, pl.DataFrame]:
    """The number of the run that each row is in, and the `keys` of each run."""
    found = rows.select(pl.struct(keys).rle_id().alias("run"), *keys)
    starts = (found["run"] != found["run"].shift()).fill_null(value=True)
    return found["run"], found.filter(starts).drop("run")


def along(rows: pl.DataFrame, facts: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """`rows` with the other columns of `facts`, which has a row for each combination of `keys` that it knows."""
    run, heads = runs(rows, keys)
    found = heads.join(facts, on=keys, how="left", nulls_equal=True, maintain_order="left").drop(keys)
    return rows.hstack(found[run].get_columns())


def in_thread_order(rows: pl.DataFrame, within: str) -> pl.DataFrame:
    """`rows` by thread (main before its agents), then `within`; frames are already, which is seen without sorting."""
    run, heads = runs(rows, THREAD)
    falls = ((run == run.shift()) & (rows[within] < rows[within].shift())).any()
    if not falls and heads.equals(heads.unique().sort(THREAD, nulls_last=False)):
        return rows
    return rows.sort(*THREAD, within, nulls_last=False)


def pairs(places: pl.DataFrame) -> pl.DataFrame:
    """Of each row `thread` and `pair`, numbers of its thread and of its (thread, file).

    `thread` counts the threads in the order of their ids (main before its agents), `pair` their files in the order of
    the first times and paths; what has no place comes last in its thread.
    """
    known = places.select(_PLACE).unique().sort(_PLACE, nulls_last=[False, False, True, True])
    known = known.select(
        *_PLACE,
        pl.struct(THREAD).rle_id().alias("thread"),
        pl.int_range(pl.len(), dtype=pl.Int64).alias("pair"),
    )
    found = places.join(known, on=_PLACE, how="left", nulls_equal=True, maintain_order="left")
    return found.select("thread", "pair")


def seat_of(line: pl.Series) -> pl.Expr:
    """`seat`, a number that orders rows of all tables by thread, file and line; made from their `pair`."""
    return (pl.col("pair") * (1 << _LINE_BITS) + line.fill_null(_NO_LINE)).alias("seat")


def seats(*frames: pl.DataFrame) -> list[pl.DataFrame]:
    """Of the rows of each frame `thread` and `seat`, comparable between these frames."""
    cut = [runs(frame, _PLACE) for frame in frames]
    numbers = pairs(pl.concat([heads for _, heads in cut]))
    out, at = [], 0
    for frame, (run, heads) in zip(frames, cut, strict=True):
        out.append(numbers[at : at + heads.height][run].select("thread", seat_of(frame["line"])))
        at += heads.height
    return out


def same_as_before(*columns: pl.Series) -> pl.Series:
    """Whether each row equals the row before it in all columns; false for the first."""
    rows = pl.DataFrame([column.alias(str(at)) for at, column in enumerate(columns)])
    same = pl.all_horizontal(pl.all().eq_missing(pl.all().shift()))
    return rows.select(same & (pl.int_range(pl.len()) > 0)).to_series()


def first_rows(*keys: pl.Series) -> pl.Series:
    """For each row the number of the first row that has the same keys."""
    rows = pl.DataFrame([key.alias(str(at)) for at, key in enumerate(keys)]).with_row_index("row")
    return rows.select(pl.col("row").first().over(str(at) for at in range(len(keys)))).to_series()
