"""The frame `requests`: one row a model response, whole, once, for the thread that owns it."""

from __future__ import annotations

import polars as pl

from measure.columns import schema
from measure.frames.projects import with_project
from measure.frames.responses import keys, responses
from measure.frames.runs import POSITION, THREAD, same_as_before
from measure.frames.steps import with_segment
from measure.frames.sums import fitting, roomy
from measure.transcripts.build import RawFrames

# UTF-16 units that one output token does not exceed on average over a response: above it the figure is a placeholder.
# Of the finished responses above 100 tokens in public transcripts the largest ratio is 6.3, nine in ten are below 3.5.
UNITS_PER_TOKEN = 8
CONTEXT = ("context_input_tokens", "context_read_tokens", "context_write_tokens")
WRITES = ("cache_write_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens")
# What the record that counts tells of a request, and what the record with the best claim does.
FIGURES = (
    *("message_id", "request_id", "ts", "model", "input_tokens", "cache_read_tokens", *WRITES, "output_tokens"),
    *("thinking_tokens", *CONTEXT, "stop_reason", "service_tier", "speed", "inference_geo", "web_searches"),
    *("ttl_requested", "from_progress"),
)
# Of these columns only `placed` makes use.
TOLD = tuple(name for name in FIGURES if name not in {"message_id", "ts", "from_progress"})
OWN = (*THREAD, *POSITION, "thread", "seat", "rank", "cwd", "version")


def requests(raw: RawFrames) -> pl.DataFrame:
    """The frame. `raw` is prepared (`ownership.prepare`)."""
    return framed(placed(raw))


def framed(rows: pl.DataFrame) -> pl.DataFrame:
    """The columns of the frame, of rows that `placed` gave (with `agent_type` where that was added)."""
    if "agent_type" not in rows.columns:
        rows = rows.with_columns(pl.lit(None, pl.String).alias("agent_type"))
    return rows.select(pl.col(name).cast(dtype) for name, dtype in schema("requests").items())


def placed(raw: RawFrames) -> pl.DataFrame:
    """One row a request, in the order of threads and steps, with the place of its first record (`POSITION`).

    A request is one `message.id` over all files; of its records the one with the most output tokens counts whole
    (ties: larger prompt, later time, later line, larger uuid). The same id under another requestId is the same
    request where the prompt counters are equal (a replay), else another. Records without an id count one by one.
    """
    records = _write_total(_without_spares(raw["usage"]))
    found = responses(records, raw["api_requests"])
    found = found[records["seat"].gather(found["owner"]).arg_sort()]
    own, figures = records.select(OWN)[found["owner"]], records.select(FIGURES)[found["best"]]
    rows = pl.concat([own, figures, found.select("held", "is_replay")], how="horizontal")
    first = ~same_as_before(rows["thread"])
    number = pl.int_range(pl.len(), dtype=pl.Int64)
    rows = rows.with_columns(
        (number - pl.when(first).then(number).forward_fill()).alias("step"),
        pl.col("message_id", "model").replace("", None),
        _lower_bound(roomy(rows, "output_tokens")).alias("output_is_lower_bound"),
        _context(roomy(rows, *CONTEXT)).alias("context_tokens"),
        pl.col("path").alias("file"),
    )
    return with_project(raw, with_segment(_parts(rows), raw["boundaries"]))


def _without_spares(usage: pl.DataFrame) -> pl.DataFrame:
    """Without the `progress` copies of responses that also stand in a record of their own."""
    if not usage["from_progress"].any():
        return usage
    return usage.filter(~pl.col("from_progress") | pl.col("from_progress").all().over(keys(usage)))


def _write_total(usage: pl.DataFrame) -> pl.DataFrame:
    """Where no aggregate of cache writes is written, the parts are it."""
    if not usage["cache_write_tokens"].null_count():
        return usage
    parts = fitting(pl.sum_horizontal(pl.col(WRITES[1:]).cast(pl.Int128)))
    some = pl.any_horizontal(pl.col(WRITES[1:]).is_not_null())
    return usage.with_columns(pl.coalesce("cache_write_tokens", pl.when(some).then(parts)).alias("cache_write_tokens"))


def _parts(rows: pl.DataFrame) -> pl.DataFrame:
    """Cache writes by kind: 5m + 1h + unknown = the aggregate, always; parts above it are scaled and flagged."""
    kind = roomy(rows, *WRITES)
    total, five, hour = (pl.col(name).cast(kind) for name in WRITES)
    known = five.fill_null(0) + hour.fill_null(0)
    rows = rows.with_columns((known > total).fill_null(value=False).alias("cache_write_scaled"))
    if rows["cache_write_scaled"].any():
        over, kind = pl.col("cache_write_scaled"), pl.Int128()
        total, five, hour = (pl.col(name).cast(kind) for name in WRITES)
        known = five.fill_null(0) + hour.fill_null(0)
        scaled = (five.fill_null(0) * total) // known
        five = pl.when(over).then(scaled).otherwise(five)
        hour = pl.when(over).then(total - scaled).otherwise(hour)
        known = pl.when(over).then(total).otherwise(known)
    return rows.with_columns(
        five.cast(pl.Int64).alias(WRITES[1]),
        hour.cast(pl.Int64).alias(WRITES[2]),
        (total - known).cast(pl.Int64).alias("cache_write_unknown_tokens"),
    )


def _lower_bound(kind: pl.DataType) -> pl.Expr:
    """The final figure was never written: the record holds more text than its output tokens can have made."""
    return (pl.col("held") > UNITS_PER_TOKEN * pl.col("output_tokens").cast(kind)).fill_null(pl.col("held") > 0)


def _context(kind: pl.DataType) -> pl.Expr:
    total = fitting(pl.sum_horizontal(pl.col(CONTEXT).cast(kind)))
    return pl.when(total > 0).then(total)
