"""Carry cost: what a text costs from the moment it stands in a context, because every later request sends it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from policy.rebuilds import THREAD, steps

if TYPE_CHECKING:
    from policy.calibrate import Calibration

PLACE = (*THREAD, "_segment")


def carry(texts: pl.DataFrame, costs: pl.DataFrame, calibration: Calibration) -> pl.DataFrame:
    """`texts` plus what each cost its context; dollars at the prices of the thread that carries it.

    A text is (session_id, agent_id of the thread that received it, step of the first request that sent it, chars).
    New columns: `text_tokens` (chars by the model's factor), `first_usd` (its cache write), `later_requests` of the
    same segment, `later_usd`, `carry_usd` = first + later. A later request reads the text where its cached prefix
    reaches past the text, else it pays the write price again. The text lies behind the prompt and the answer of the
    request before, after the texts that came with it, and within what the first request left in the cache.
    A text that no request sent costs 0; unknown chars, a request that is missing or without a price: null.
    The request of a compaction leaves no usage and is not counted.
    """
    thread = _thread(costs)
    placed = _place(texts, thread, calibration)
    unsent = pl.col("step").is_null() & pl.col("chars").is_not_null()
    later = pl.col("text_tokens") * pl.col("_reads_after") + pl.col("_rebuilt_usd").fill_null(0.0)
    return (
        placed.join(_rebuilt(placed, thread), on="_text", how="left")
        .sort("_text")
        .with_columns(
            first_usd=pl.when(unsent).then(0.0).otherwise(pl.col("text_tokens") * pl.col("_write")),
            later_usd=pl.when(unsent).then(0.0).otherwise(later),
            later_requests=pl.when(unsent).then(0).otherwise("_later"),
        )
        .with_columns(carry_usd=pl.col("first_usd") + pl.col("later_usd"))
        .select(*texts.columns, "text_tokens", "first_usd", "later_requests", "later_usd", "carry_usd")
    )


def _thread(costs: pl.DataFrame) -> pl.DataFrame:
    """Requests in thread order with what a text needs of them: where it starts, what is read and written later."""
    frame = steps(costs).rename({"segment": "_segment"})
    answer = pl.col("output_tokens").shift(1).over(THREAD).fill_null(0)
    start = pl.when(pl.col("first_of_segment")).then(0).otherwise(pl.col("prev_context_tokens") + answer)
    read = pl.col("cache_read_tokens").fill_null(0)
    rate = pl.col("rate_read")
    return frame.select(
        *PLACE,
        "step",
        pl.col("model").alias("_model"),
        rate.alias("_rate_read"),
        pl.col("rate_write").alias("_write"),
        read.alias("_read"),
        (read + pl.col("cache_write_tokens").fill_null(0)).alias("_cached"),
        start.alias("_start"),
        (pl.len() - pl.int_range(1, pl.len() + 1)).over(PLACE).cast(pl.Int64).alias("_later"),
        # A later request without a price makes the sum unknown.
        pl.when(_after(rate.is_null().cast(pl.Int64)) == 0).then(_after(rate.fill_null(0.0))).alias("_reads_after"),
    )


def _after(value: pl.Expr) -> pl.Expr:
    """Sum over the later requests of the segment."""
    return value.cum_sum(reverse=True).over(PLACE) - value


def _place(texts: pl.DataFrame, thread: pl.DataFrame, calibration: Calibration) -> pl.DataFrame:
    """Each text beside its first request, with its tokens and where it ends in the context."""
    key = (*THREAD, "step")
    placed = (
        texts.with_row_index("_text")
        .join(thread, on=key, how="left", nulls_equal=True)
        .sort("_text")
        .with_columns(text_tokens=pl.col("chars") / calibration.chars_per_token(pl.col("_model")))
    )
    tokens = pl.col("text_tokens").fill_null(0.0)
    end = pl.col("_start") + tokens.cum_sum().over(key)
    cached = pl.col("_cached") > pl.col("_start")
    return placed.with_columns(_end=pl.when(cached).then(pl.min_horizontal(end, "_cached")).otherwise(end))


def _rebuilt(placed: pl.DataFrame, thread: pl.DataFrame) -> pl.DataFrame:
    """What later requests paid over the read price for each text, because their cached prefix ended before it.

    Only requests that read less than some earlier text's end are joined: in a warm thread there are none, so the
    work stays far below texts times requests.
    """
    ends = placed.group_by(*THREAD, "step").agg(pl.col("_end").max())
    short = (
        thread.join(ends, on=[*THREAD, "step"], how="left", nulls_equal=True)
        .sort(*THREAD, "step", nulls_last=False)
        .with_columns(_reach=pl.col("_end").fill_null(0.0).cum_max().shift(1).over(PLACE))
        .filter(pl.col("_read") < pl.col("_reach"))
        .select(
            *PLACE,
            pl.col("step").alias("_later_step"),
            pl.col("_read").alias("_later_read"),
            (pl.col("_write") - pl.col("_rate_read")).alias("_more"),
        )
    )
    return (
        placed.select("_text", *PLACE, "step", "_end", "text_tokens")
        .join(short, on=PLACE, nulls_equal=True)
        .filter((pl.col("_later_step") > pl.col("step")) & (pl.col("_later_read") < pl.col("_end")))
        .group_by("_text")
        .agg((pl.col("text_tokens") * pl.col("_more")).sum().alias("_rebuilt_usd"))
    )
