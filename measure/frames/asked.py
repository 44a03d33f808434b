"""Which files each call reads or writes, and which lines it asks for: one row a file of a call."""

from __future__ import annotations

import polars as pl

from measure.frames.paths import absolutes
from measure.transcripts.build import RawFrames
from measure.transcripts.values import INT64_MAX

WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_CALL = ("file", "tool_use_id")
_ASKED = ("at", "part", "path", "first", "last", "from_end")


def calls(raw: RawFrames, answered: pl.DataFrame) -> pl.DataFrame:
    """The calls of Read, Bash and the writers, in order: `at` is their row of `answered`.

    `run` counts the segments of threads. `content` is the row of `contents` that holds what came, `stub` its own;
    null where a call gave no text.
    """
    names = ("thread", "segment", *_CALL, "tool", "file_path", "offset", "limit", "cwd", "chars", "is_error")
    rows = answered.select(names).with_row_index("at").filter(pl.col("tool").is_in(["Read", "Bash", *WRITERS]))
    rows = rows.with_columns(pl.struct("thread", "segment").rle_id().alias("run")).drop("thread", "segment")
    contents = raw["contents"].select(*_CALL, "stub").with_row_index("content")
    contents = contents.unique(_CALL, keep="last", maintain_order=True)
    return rows.join(contents, on=_CALL, how="left", maintain_order="left")


def files_read(raw: RawFrames, rows: pl.DataFrame) -> pl.DataFrame:
    """The files that brought content, in the order of their calls (`rows`, of `calls`).

    `files` is how many the call reads, `times` how often its segment reads this one.
    """
    names = ("at", "run", "tool", "chars", "content", "stub")
    rows = rows.filter(pl.col("stub").is_not_null())
    own = rows.filter(pl.col("tool") == "Read")
    printed = rows.filter(pl.col("tool") == "Bash").select("at", *_CALL).join(_printed(raw["printed"]), on=_CALL)
    asked = pl.concat([_asked(own), printed.select(_ASKED)]).sort("at", "part")
    return asked.join(rows.select(names), on="at", how="left", maintain_order="left").with_columns(
        pl.len().over("at").alias("files"), pl.len().over("run", "path").alias("times")
    )


def files_written(rows: pl.DataFrame) -> pl.DataFrame:
    """The files that calls changed: `at`, `run` and `path`."""
    rows = rows.filter(pl.col("tool").is_in(WRITERS) & ~pl.col("is_error").fill_null(value=False))
    return rows.select("at", "run", absolutes(rows["file_path"], rows["cwd"]).alias("path")).drop_nulls()


def _asked(rows: pl.DataFrame) -> pl.DataFrame:
    """What calls of Read ask for; a line number of 0 is the first."""
    first = pl.col("offset").replace(0, None).fill_null(1)
    last = (first.cast(pl.Int128) + pl.col("limit") - 1).clip(upper_bound=INT64_MAX)
    return rows.select(
        "at",
        pl.lit(0, pl.Int64).alias("part"),
        absolutes(rows["file_path"], rows["cwd"]).alias("path"),
        first.alias("first"),
        last.cast(pl.Int64).alias("last"),
        pl.lit(None, pl.Int64).alias("from_end"),
    )


def _printed(rows: pl.DataFrame) -> pl.DataFrame:
    """What Bash calls print, in order; a copy of a call begins again at part 0 and tells nothing new."""
    rows = rows.sort("file", "line", "part").unique((*_CALL, "part"), keep="first", maintain_order=True)
    return rows.select(
        *_CALL,
        "part",
        absolutes(rows["file_path"], rows["cwd"]).alias("path"),
        pl.col("first_line").alias("first"),
        pl.col("last_line").alias("last"),
        "from_end",
    )
