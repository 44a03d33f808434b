"""The frame `tool_calls`: one row a tool_use, with the size of its result as the model read it."""

from __future__ import annotations

import polars as pl

from measure.frames.labels import labelled
from measure.frames.ownership import CLAIM
from measure.frames.runs import POSITION, THREAD, seats
from measure.frames.steps import step_after, with_segment
from measure.transcripts.build import RawFrames

KEY = ("message_id", "tool_use_id")
RESULT = ("chars", "images", "is_error", "persisted", "hook_denied", "denial", "interrupted")
UNITS_PER_TOKEN = 4
_CALL = (*THREAD, *POSITION, "thread", "seat", "file", "ts", "cwd", *KEY, "tool", "file_path", "offset", "limit")


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
    calls = _calls(raw["tool_uses"])
    results = raw["tool_results"].filter("owned").select("file", "line", "file_ts", "path", "tool_use_id", *RESULT)
    results = results.with_columns(_nth(results)).rename({name: f"{name}_of_result" for name in POSITION})
    answers = results.drop("path_of_result", "file_ts_of_result")
    keys = ("file", "tool_use_id", "nth")
    rows = calls.with_columns(_nth(calls)).join(answers, on=keys, how="left", maintain_order="left").drop("nth")
    after = rows.select("thread", pl.col("seat") - pl.col("line") + pl.col("line_of_result"))
    rows = rows.with_columns(step_after(after, placed).alias("result_step"))
    rows = _from_other_files(rows, results, placed)
    seen = pl.col("line_of_result").is_not_null()
    rows = rows.with_columns(
        # The client writes is_error only where it is true.
        pl.when(seen).then(pl.col("is_error").fill_null(value=False)).alias("is_error"),
        pl.when(seen).then("result_step").alias("result_step"),
        (pl.col("hook_denied") | pl.col("denial").is_not_null()).alias("denied"),
    )
    return with_segment(rows, raw["boundaries"])


def _calls(uses: pl.DataFrame) -> pl.DataFrame:
    """Calls in their order, without copies: fork agents hold the parent's call under another uuid, in another file."""
    uses = uses.filter("owned").select(*_CALL, "rank", "unnamed").sort("seat", maintain_order=True)
    twice = _twice(uses)
    if not twice.any():
        return uses.drop("rank", "unnamed")
    numbered = uses.with_row_index("row").filter(twice, *(pl.col(name).is_not_null() for name in KEY))
    best = numbered.sort(*CLAIM, nulls_last=True).unique(KEY, keep="first", maintain_order=True)
    owner = best.select(*KEY, pl.col("file").alias("owner_file"))
    copies = numbered.join(owner, on=KEY).filter(pl.col("file") != pl.col("owner_file"))
    return uses.drop("rank", "unnamed").filter(~pl.int_range(pl.len(), dtype=pl.UInt32).is_in(copies["row"].implode()))


def _twice(rows: pl.DataFrame) -> pl.Series:
    """Whether the tool_use_id of each row may stand in another row too; two ids of one hash pass for such."""
    return rows["tool_use_id"].hash().is_duplicated()


def _nth(rows: pl.DataFrame) -> pl.Series:
    """Which of the rows of one file that share a tool_use_id each row is."""
    none = pl.repeat(0, rows.height, dtype=pl.Int64, eager=True).alias("nth")
    twice = rows.select("file", "line", "tool_use_id").with_row_index("row").filter(_twice(rows))
    if not twice.height:
        return none
    twice = twice.sort("file", "line", maintain_order=True)
    nth = twice.select("row", pl.int_range(pl.len()).over("file", "tool_use_id").alias("nth")).filter(pl.col("nth") > 0)
    return none.scatter(nth["row"], nth["nth"])


def _from_other_files(rows: pl.DataFrame, results: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Answers of calls whose session went on in another file."""
    rows = rows.with_row_index("row")
    waiting = rows.filter(pl.col("line_of_result").is_null() & pl.col("tool_use_id").is_not_null())
    answers = results.filter(pl.col("tool_use_id").is_in(waiting["tool_use_id"].implode())).drop("file", "nth")
    answers = answers.unique("tool_use_id", keep="none")
    if not answers.height:
        return rows.drop("row")
    found = waiting.select("row", *THREAD, "tool_use_id").join(answers, on="tool_use_id")
    own, steps = seats(found.rename({f"{name}_of_result": name for name in POSITION}), placed)
    found = found.with_columns(step_after(own, placed.select("step").hstack(steps)).alias("result_step"))
    names = ("row", *RESULT, "line_of_result", "result_step")
    return rows.update(found.select(names), on="row", how="left", include_nulls=False).drop("row")
