"""The frame `tool_calls`: one row a tool_use, with the size of its result as the model read it."""

from __future__ import annotations

import polars as pl

from measure.frames.labels import in_order, labelled
from measure.frames.ownership import CLAIM, POSITION, with_segment
from measure.frames.steps import with_step
from measure.transcripts.build import RawFrames

KEY = ("message_id", "tool_use_id")
RESULT = ("chars", "images", "is_error", "persisted", "hook_denied", "denial", "interrupted")
UNITS_PER_TOKEN = 4


def tool_calls(raw: RawFrames, placed: pl.DataFrame, types: pl.DataFrame) -> pl.DataFrame:
    """One row a call, in the order of threads and lines. `raw` is prepared, `placed` is `requests.placed`.

    A result belongs to the call of its id in the same file; where an id stands several times, the nth result to
    the nth call. Null sizes: no result was seen.
    """
    return framed(answered(raw, placed), raw, types)


def framed(rows: pl.DataFrame, raw: RawFrames, types: pl.DataFrame) -> pl.DataFrame:
    """The columns of the frame, of rows that `answered` gave."""
    rows = rows.rename({"chars": "result_chars"})
    return labelled("tool_calls", rows.with_columns(est_tokens("result_chars", "result_est_tokens")), raw, types)


def est_tokens(chars: str, name: str) -> pl.Expr:
    """ceil(UTF-16 units / 4), system A's heuristic; null where the size is unknown."""
    return ((pl.col(chars) + UNITS_PER_TOKEN - 1) // UNITS_PER_TOKEN).alias(name)


def answered(raw: RawFrames, placed: pl.DataFrame) -> pl.DataFrame:
    """The calls with the place of each, the columns `RESULT` of its answer, `denied` and `result_step`."""
    calls = _numbered(_calls(raw["tool_uses"]))
    results = _numbered(raw["tool_results"].filter("owned"))
    answer = results.select(
        "file", "tool_use_id", "nth", *RESULT, pl.col("line").alias("result_line"), "file_ts", "path"
    )
    rows = calls.join(answer, on=("file", "tool_use_id", "nth"), how="left", suffix="_of_result")
    rows = _from_other_files(rows, answer)
    rows = rows.with_columns(
        # The client writes is_error only where it is true.
        pl.when(pl.col("result_line").is_not_null()).then(pl.col("is_error").fill_null(value=False)).alias("is_error"),
        (pl.col("hook_denied") | pl.col("denial").is_not_null()).alias("denied"),
    )
    return in_order(_result_step(with_segment(rows, raw["boundaries"]), placed), *POSITION)


def _calls(uses: pl.DataFrame) -> pl.DataFrame:
    """Calls without their copies: fork agents hold the parent's call under another uuid, in another file."""
    uses = uses.filter("owned")
    named = uses.filter(pl.all_horizontal(pl.col(KEY).is_not_null()))
    best = named.sort(*CLAIM, nulls_last=True).unique(KEY, keep="first", maintain_order=True)
    owner = best.select(*KEY, pl.col("file").alias("owner_file"))
    uses = uses.join(owner, on=KEY, how="left")
    return uses.filter(pl.col("owner_file").is_null() | (pl.col("file") == pl.col("owner_file"))).drop("owner_file")


def _numbered(rows: pl.DataFrame) -> pl.DataFrame:
    """Add `nth`: which of the rows of one file that share a tool_use_id."""
    rows = rows.sort("file", "line")
    return rows.with_columns(pl.int_range(pl.len()).over("file", "tool_use_id").alias("nth"))


def _from_other_files(rows: pl.DataFrame, answer: pl.DataFrame) -> pl.DataFrame:
    """Answers of calls whose session went on in another file."""
    open_calls = rows.filter(pl.col("result_line").is_null() & pl.col("tool_use_id").is_not_null())
    if not open_calls.height:
        return rows
    answers = answer.unique("tool_use_id", keep="none").drop("file", "nth").rename({"path": "path_of_result"})
    answers = answers.rename({"file_ts": "file_ts_of_result"})
    names = [*RESULT, "result_line", "path_of_result", "file_ts_of_result"]
    found = open_calls.drop(names).join(answers, on="tool_use_id", how="left").select(rows.columns)
    kept = rows.filter(pl.col("result_line").is_not_null() | pl.col("tool_use_id").is_null())
    return pl.concat([kept, found])


def _result_step(rows: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Add `result_step`; null where no result was seen."""
    own = rows.rename({"line": "call_line", "path": "call_path", "file_ts": "call_file_ts"})
    at = own.with_columns(
        pl.coalesce("result_line", "call_line").alias("line"),
        pl.coalesce("path_of_result", "call_path").alias("path"),
        pl.coalesce("file_ts_of_result", "call_file_ts").alias("file_ts"),
    )
    at = with_step(at, placed, "result_step").drop("line", "path", "file_ts")
    rows = at.rename({"call_line": "line", "call_path": "path", "call_file_ts": "file_ts"})
    return rows.with_columns(pl.when(pl.col("result_line").is_not_null()).then("result_step").alias("result_step"))
