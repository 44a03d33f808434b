"""The frame `requests`: one row a model response, whole, once, for the thread that owns it."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from measure.columns import schema
from measure.frames.ownership import CLAIM, POSITION, THREAD, with_segment
from measure.frames.projects import projects
from measure.frames.sums import fitting
from measure.transcripts.build import RawFrames

KEY = ("key", "sub")
PROMPT = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
# UTF-16 units that one output token does not exceed on average over a response: above it the figure is a placeholder.
# Of the finished responses above 100 tokens in public transcripts the largest ratio is 6.3, nine in ten are below 3.5.
UNITS_PER_TOKEN = 8


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
    records = _keyed(_write_total(raw["usage"]), raw["api_requests"])
    records = _split(records)
    best = _best(records)
    owner = _owner(records)
    rows = best.join(owner, on=KEY, how="inner").join(_group_facts(records), on=KEY, how="left")
    rows = _ordered(with_segment(_parts(rows), raw["boundaries"]))
    rows = rows.with_columns(
        pl.col("model").replace("", None),
        _lower_bound().alias("output_is_lower_bound"),
        _context().alias("context_tokens"),
        pl.col("path").alias("file"),
    )
    return rows.join(projects(raw, rows), on=("path", "cwd"), how="left", nulls_equal=True)


def _write_total(usage: pl.DataFrame) -> pl.DataFrame:
    """Where no aggregate of cache writes is written, the parts are it."""
    parts = fitting(pl.sum_horizontal(pl.col("cache_write_5m_tokens", "cache_write_1h_tokens").cast(pl.Int128)))
    some = pl.any_horizontal(
        pl.col("cache_write_5m_tokens").is_not_null(), pl.col("cache_write_1h_tokens").is_not_null()
    )
    return usage.with_columns(pl.coalesce("cache_write_tokens", pl.when(some).then(parts)).alias("cache_write_tokens"))


def _keyed(usage: pl.DataFrame, api_requests: pl.DataFrame) -> pl.DataFrame:
    """Add `key` (the response), `prompt` and `evidence` (its api-request stands in this file); drop spare progress."""
    named = pl.col("message_id").replace("", None)
    alone = pl.coalesce("u:" + pl.col("uuid"), pl.concat_str("path", pl.lit(":"), pl.col("line")))
    proof = api_requests.select("file", "request_ref").drop_nulls().unique().with_columns(evidence=True)
    records = usage.with_columns(
        pl.coalesce("m:" + named, alone).alias("key"),
        named.alias("message_id"),
        pl.sum_horizontal(pl.col(PROMPT).cast(pl.Int128)).alias("prompt"),
    )
    if records["from_progress"].any():
        records = records.filter(~pl.col("from_progress") | pl.col("from_progress").all().over("key"))
    records = records.join(proof, on=("file", "request_ref"), how="left", maintain_order="left")
    return records.with_columns(pl.col("evidence").fill_null(value=False).not_().alias("unproved"))


def _split(records: pl.DataFrame) -> pl.DataFrame:
    """Add `sub`: 0, or the number of the request among those that share a message id and differ in their prompt."""
    several = records.group_by("key").agg(pl.col("request_id").n_unique().alias("ids")).filter(pl.col("ids") > 1)
    shared = records.join(several, on="key", how="semi")
    if not shared.height:
        return records.with_columns(pl.lit(0, pl.Int64).alias("sub"))
    firsts = shared.sort(*_BEST, descending=_BEST_DESCENDING, nulls_last=True)
    pairs = firsts.unique(("key", "request_id"), keep="first", maintain_order=True)
    by_key: dict[str, list[tuple[str | None, tuple[int, ...]]]] = {}
    for key, request, *prompt in pairs.select("key", "request_id", *PROMPT).iter_rows():
        by_key.setdefault(key, []).append((request, tuple(value or 0 for value in prompt)))
    rows = [(key, request, sub) for key, pair in by_key.items() for request, sub in _numbered(pair)]
    numbers = pl.DataFrame(rows, schema={"key": pl.String, "request_id": pl.String, "sub": pl.Int64}, orient="row")
    joined = records.join(numbers, on=("key", "request_id"), how="left", nulls_equal=True)
    return joined.with_columns(pl.col("sub").fill_null(0))


def _numbered(pairs: Iterable[tuple[str | None, tuple[int, ...]]]) -> list[tuple[str | None, int]]:
    """A number for each requestId of one message id; equal prompts share it.

    Records without a requestId, and zero placeholders, go with an equal prompt, else with the largest one.
    """
    pairs = list(pairs)
    real = sorted({prompt for request, prompt in pairs if request is not None and any(prompt)}, key=_largest)
    numbers = {prompt: number for number, prompt in enumerate(real)}
    return [(request, numbers.get(prompt, 0)) for request, prompt in pairs]


def _largest(prompt: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return -sum(prompt), prompt


_BEST = ("output_tokens", "prompt", "ts", "line", "uuid", "path")
_BEST_DESCENDING = (True, True, True, True, True, False)
_OWNERS = (*CLAIM[:2], "unproved", *CLAIM[2:])


def _firsts(records: pl.DataFrame, order: tuple[str, ...], descending: tuple[bool, ...]) -> pl.DataFrame:
    """The first record of each request in that order. Only what decides is sorted: the rows are wide."""
    deciding = records.with_row_index("row").select(*KEY, *order, "row")
    deciding = deciding.sort(*order, descending=descending, nulls_last=True)
    return records[deciding.unique(KEY, keep="first", maintain_order=True)["row"]]


def _best(records: pl.DataFrame) -> pl.DataFrame:
    """The record of each request that counts whole."""
    best = _firsts(records, _BEST, _BEST_DESCENDING)
    return best.drop(*CLAIM, "agent_id", "sidechain", "cwd", "version", "file", "unproved", "owned")


def _owner(records: pl.DataFrame) -> pl.DataFrame:
    """Thread, place, folder and version of each request: those of the record with the best claim."""
    kept = records.select(*dict.fromkeys((*KEY, *_OWNERS, *THREAD, *POSITION, "cwd", "version")))
    owner = _firsts(kept, _OWNERS, (False,) * len(_OWNERS))
    return owner.select(*KEY, *THREAD, *POSITION, "rank", "cwd", "version")


def _group_facts(records: pl.DataFrame) -> pl.DataFrame:
    """Over all records of a request: whether another requestId replayed it, and the text it holds (each uuid once)."""
    sizes = pl.sum_horizontal("text_chars", "thinking_chars", "tool_chars")
    texts = records.select(*KEY, "uuid", "block", sizes.alias("held"))
    held = texts.group_by(*KEY, "uuid", "block").agg(pl.col("held").max()).group_by(KEY)
    replay = records.group_by(KEY).agg((pl.col("request_id").drop_nulls().n_unique() > 1).alias("is_replay"))
    return held.agg(pl.col("held").sum()).join(replay, on=KEY)


def _parts(rows: pl.DataFrame) -> pl.DataFrame:
    """Cache writes by kind: 5m + 1h + unknown = the aggregate, always; parts above it are scaled and flagged."""
    total = pl.col("cache_write_tokens").cast(pl.Int128)
    five = pl.col("cache_write_5m_tokens").cast(pl.Int128)
    hour = pl.col("cache_write_1h_tokens").cast(pl.Int128)
    known = five.fill_null(0) + hour.fill_null(0)
    over = (known > total).fill_null(value=False)
    scaled = (five.fill_null(0) * total) // known
    return rows.with_columns(
        over.alias("cache_write_scaled"),
        pl.when(over).then(scaled).otherwise(five).cast(pl.Int64).alias("cache_write_5m_tokens"),
        pl.when(over).then(total - scaled).otherwise(hour).cast(pl.Int64).alias("cache_write_1h_tokens"),
        pl.when(over).then(0).otherwise(total - known).cast(pl.Int64).alias("cache_write_unknown_tokens"),
    )


def _ordered(rows: pl.DataFrame) -> pl.DataFrame:
    """Threads in the order of their ids (main first), requests in the order of their first lines."""
    rows = rows.sort(*THREAD, *POSITION, "key", "sub", nulls_last=[False, False, True, True, True, True, True])
    return rows.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).over(THREAD).alias("step"))


def _lower_bound() -> pl.Expr:
    """The final figure was never written: the record holds more text than its output tokens can have made."""
    return (pl.col("held") > UNITS_PER_TOKEN * pl.col("output_tokens").cast(pl.Int128)).fill_null(pl.col("held") > 0)


def _context() -> pl.Expr:
    parts = ("context_input_tokens", "context_read_tokens", "context_write_tokens")
    total = fitting(pl.sum_horizontal(pl.col(parts).cast(pl.Int128)))
    return pl.when(total > 0).then(total)
