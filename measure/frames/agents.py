"""The frame `agents`: one row a thread, with the sums over its requests: every agent run, and every main thread."""

from __future__ import annotations

import polars as pl

from measure.frames.ends import statuses
from measure.frames.labels import in_order, labelled
from measure.frames.launches import INLINE
from measure.frames.runs import POSITION, THREAD
from measure.frames.sums import whole, whole_of
from measure.transcripts.build import RawFrames

PROMPT = ("input_tokens", "cache_read_tokens", "cache_write_tokens")

COUNTS = ("requests", "compactions", *PROMPT, "total_input_tokens", "output_tokens")


def agents(
    raw: RawFrames, placed: pl.DataFrame, launched: pl.DataFrame, compactions: pl.DataFrame, returns: pl.DataFrame
) -> pl.DataFrame:
    """One row a thread, main threads (`agent_id` null, mode main) before their agents. `raw` is prepared.

    `returns` is null where none was seen: not every return leaves a record. `inherited_tokens` is the context of
    the request that a fork went out from; it is part of the context of each of its own requests.
    """
    rows = threads(raw, placed, launched)
    for facts in (launched, _sums(placed), _spans(raw), _counts(returns, "returns"), statuses(raw, launched, returns)):
        rows = rows.join(facts, on=THREAD, how="left", nulls_equal=True, maintain_order="left")
    counts = _counts(compactions, "compactions")
    rows = rows.join(counts, on=THREAD, how="left", nulls_equal=True, maintain_order="left")
    rows = rows.join(_inherited(raw, placed, launched), on=THREAD, how="left", nulls_equal=True, maintain_order="left")
    main = pl.col("agent_id").is_null()
    rows = rows.with_columns(
        pl.when(main).then(pl.lit("main")).otherwise("mode").alias("mode"),
        pl.when(main).then(0).otherwise("depth").alias("depth"),
        pl.coalesce("model", "model_known").alias("model"),
        pl.coalesce("started", "launched_at").alias("started"),
        pl.col("path").alias("file"),
        # Of a run whose own file is missing nothing is known; one with a file and no request has made none.
        *(pl.when(pl.col("path").is_not_null()).then(pl.col(name).fill_null(0)).alias(name) for name in COUNTS),
    )
    types = rows.select(*THREAD, "agent_type")
    return labelled("agents", in_order(rows), raw, types)


def threads(raw: RawFrames, placed: pl.DataFrame, launched: pl.DataFrame) -> pl.DataFrame:
    """Every thread once: those with requests, those launched, and the main thread of every main file."""
    mains = raw["spans"].filter(
        (pl.col("rank") == 0) & pl.col("agent_id").is_null() & pl.col("session_id").is_not_null()
    )
    parts = [placed.select(THREAD), launched.select(THREAD), mains.select(THREAD)]
    return pl.concat(parts).unique(maintain_order=True)


def _sums(placed: pl.DataFrame) -> pl.DataFrame:
    """Sums and the curve's ends of each thread; `placed` is in the order of threads and steps."""
    context = pl.col("context_tokens").drop_nulls()
    models = pl.col("model").drop_nulls().mode(maintain_order=True).first()
    return (
        placed.group_by("thread", maintain_order=True)
        .agg(
            pl.col(THREAD).first(),
            pl.len().cast(pl.Int64).alias("requests"),
            context.first().alias("first_context_tokens"),
            context.max().alias("peak_context_tokens"),
            context.last().alias("final_context_tokens"),
            *map(whole, (*PROMPT, "output_tokens")),
            whole_of(*PROMPT).alias("total_input_tokens"),
            models.alias("model"),
        )
        .drop("thread")
    )


def _spans(raw: RawFrames) -> pl.DataFrame:
    """First and last time, folder, version and file of each thread, of the records that its best file holds."""
    spans = raw["spans"].filter(pl.col("rank") < INLINE)
    spans = spans.filter(pl.col("rank") == pl.col("rank").min().over(THREAD))
    # A main file has one span for all inline chains in it: theirs come from the records themselves.
    chains = raw["usage"].select(*THREAD, *POSITION, "ts", "cwd", "version", "owned", "rank")
    chains = chains.filter(pl.col("owned") & (pl.col("rank") >= INLINE)).with_columns(pl.col("ts").alias("last_ts"))
    names = (*THREAD, *POSITION, "ts", "last_ts", "cwd", "version")
    rows = pl.concat([spans.select(names), chains.select(names)]).sort(*POSITION, nulls_last=True)
    return rows.group_by(THREAD, maintain_order=True).agg(
        pl.col("ts").min().alias("started"),
        pl.col("last_ts").max().alias("ended"),
        pl.col("cwd").drop_nulls().first(),
        pl.col("version").drop_nulls().last(),
        pl.col("path").first(),
    )


def _counts(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    return rows.group_by(THREAD).agg(pl.len().cast(pl.Int64).alias(name))


def _inherited(raw: RawFrames, placed: pl.DataFrame, launched: pl.DataFrame) -> pl.DataFrame:
    """Context of the request that each fork went out from: of fork agents the launch, of sessions the last copy."""
    forks = launched.filter(pl.col("mode") == "fork").select(*THREAD, "launched_by")
    calls = raw["tool_uses"].select("session_id", pl.col("tool_use_id").alias("launched_by"), "message_id", "owned")
    calls = calls.filter(pl.col("owned") & pl.col("launched_by").is_in(forks["launched_by"].drop_nulls().implode()))
    calls = calls.unique(("session_id", "launched_by"), keep="first", maintain_order=True)
    forks = forks.join(calls, on=("session_id", "launched_by"), maintain_order="left")
    doubtful = raw["usage"].select("uuid", "path", "line", "file_session", "message_id", "rank", "owned", "copied")
    doubtful = doubtful.filter(pl.col("copied") & pl.col("uuid").is_not_null())
    copies = doubtful.filter(~pl.col("owned") & (pl.col("rank") == 0))
    owners = doubtful.filter("owned").select("uuid", pl.col("file_session").alias("owner")).drop_nulls()
    copies = copies.join(owners.unique("uuid", keep="first", maintain_order=True), on="uuid")
    copies = copies.filter(pl.col("file_session") != pl.col("owner")).sort("path", "line")
    last = copies.group_by("file_session", maintain_order=True).agg(pl.col("message_id").drop_nulls().last())
    mains = last.select(
        pl.col("file_session").alias("session_id"), pl.lit(None, pl.String).alias("agent_id"), "message_id"
    )
    found = pl.concat([forks.select(*THREAD, "message_id"), mains]).unique(THREAD, keep="first", maintain_order=True)
    contexts = placed.select("message_id", pl.col("context_tokens").alias("inherited_tokens")).filter(
        pl.col("message_id").is_in(found["message_id"].drop_nulls().implode())
        & pl.col("inherited_tokens").is_not_null()
    )
    contexts = contexts.unique("message_id", keep="first", maintain_order=True)
    return found.join(contexts, on="message_id", how="inner").drop("message_id")
