"""Carry cost: what a text costs from the moment it stands in a context, because every later request sends it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measure.frames.runs import along, runs
from policy.rebuilds import THREAD, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policy.calibrate import Calibration

PLACE = (*THREAD, "_segment")
CELLS = 4_000_000  # comparisons held in memory at once
Rows = NDArray[np.int64]


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
    return carry_on(texts, prepare(steps(costs)), calibration)


def carry_on(texts: pl.DataFrame, thread: pl.DataFrame, calibration: Calibration) -> pl.DataFrame:
    """`carry` on what `prepare` made: for several kinds of texts it is made once."""
    texts, thread = _keyed(texts, thread)
    placed = _place(texts, thread, calibration)
    unsent = pl.col("step").is_null() & pl.col("chars").is_not_null()
    later = pl.col("text_tokens") * pl.col("_reads_after") + pl.col("_rebuilt_usd").fill_null(0.0)
    return (
        placed.with_columns(_rebuilt_usd=_rebuilt(placed, thread))
        .with_columns(
            first_usd=pl.when(unsent).then(0.0).otherwise(pl.col("text_tokens") * pl.col("_write")),
            later_usd=pl.when(unsent).then(0.0).otherwise(later),
            later_requests=pl.when(unsent).then(0).otherwise("_later"),
        )
        .with_columns(carry_usd=pl.col("first_usd") + pl.col("later_usd"))
        .select(*texts.drop("_at").columns, "text_tokens", "first_usd", "later_requests", "later_usd", "carry_usd")
    )


def prepare(thread_steps: pl.DataFrame) -> pl.DataFrame:
    """Requests in thread order with what a text needs of them: where it starts, what is read and written later.

    Takes `policy.rebuilds.steps`.
    """
    frame = thread_steps.rename({"segment": "_segment"})
    place, row = pl.struct(PLACE).rle_id().cast(pl.Int64).alias("_place"), pl.int_range(pl.len()).alias("_row")
    frame = frame.with_columns(place, row)
    # Only steps that are not the first of their thread ask for the answer before.
    answer = pl.col("output_tokens").shift(1).fill_null(0)
    start = pl.when(pl.col("first_of_segment")).then(0).otherwise(pl.col("prev_context_tokens") + answer)
    read = pl.col("cache_read_tokens").fill_null(0)
    rate = pl.col("rate_read")
    return frame.select(
        *THREAD,
        "step",
        "_place",
        pl.col("model").alias("_model"),
        rate.alias("_rate_read"),
        pl.col("rate_write").alias("_write"),
        read.alias("_read"),
        (read + pl.col("cache_write_tokens").fill_null(0)).alias("_cached"),
        start.alias("_start"),
        (pl.col("_row").max().over("_place") - pl.col("_row")).alias("_later"),
        # A later request without a price makes the sum unknown.
        pl.when(_after(rate.is_null().cast(pl.Int64)) == 0).then(_after(rate.fill_null(0.0))).alias("_reads_after"),
    )


def _after(value: pl.Expr) -> pl.Expr:
    """Sum over the later requests of the segment."""
    return value.cum_sum(reverse=True).over("_place") - value


def _keyed(texts: pl.DataFrame, thread: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both with `_at`, one number for a request's thread and step; null for a text that no request here sent."""
    run, heads = runs(thread, THREAD)
    texts = along(texts, heads.with_row_index("_thread"), THREAD)
    at = (pl.col("_thread").cast(pl.Int64) * (1 << 32) + pl.col("step")).alias("_at")
    return texts.with_columns(at).drop("_thread"), thread.with_columns(run.alias("_thread")).select(
        pl.exclude("_thread"), at
    )


def _place(texts: pl.DataFrame, thread: pl.DataFrame, calibration: Calibration) -> pl.DataFrame:
    """Each text beside its first request, with its tokens and where it ends in the context."""
    placed = texts.join(thread.drop(*THREAD, "step"), on="_at", how="left", maintain_order="left").with_columns(
        text_tokens=pl.col("chars") / calibration.chars_per_token(pl.col("_model"))
    )
    tokens = pl.col("text_tokens").fill_null(0.0)
    end = pl.col("_start") + tokens.cum_sum().over("_at")
    cached = pl.col("_cached") > pl.col("_start")
    return placed.with_columns(_end=pl.when(cached).then(pl.min_horizontal(end, "_cached")).otherwise(end))


def _rebuilt(placed: pl.DataFrame, thread: pl.DataFrame) -> pl.Series:
    """What later requests paid over the read price for each text, because their cached prefix ended before it.

    Only requests that read less than some earlier text's end are looked at: in a warm thread there are none. A
    thread whose cache never reaches its texts has texts x requests of them, so they are compared by segment.
    """
    ends = placed.group_by("_at").agg(pl.col("_end").max())
    short = (
        thread.join(ends, on="_at", how="left", maintain_order="left")
        .with_columns(_reach=pl.col("_end").fill_null(0.0).cum_max().shift(1).over("_place"))
        .filter(pl.col("_read") < pl.col("_reach"))
        .select("_place", "step", "_read", (pl.col("_write") - pl.col("_rate_read")).fill_null(0.0).alias("_more"))
    )
    more = np.zeros(placed.height)
    steps, ends_at = placed["step"].to_numpy(), placed["_end"].to_numpy()
    at, read, price = (short[name].to_numpy() for name in ("step", "_read", "_more"))
    for texts, later in _by_segment(placed["_place"], short["_place"]):
        for part in np.array_split(texts, len(texts) * (later.stop - later.start) // CELLS + 1):
            behind = (at[later] > steps[part][:, None]) & (read[later] < ends_at[part][:, None])
            more[part] = behind @ price[later]
    return placed["text_tokens"] * pl.Series("_more", more)


def _by_segment(texts: pl.Series, later: pl.Series) -> Iterator[tuple[Rows, slice]]:
    """For each segment that has both: the rows of its texts, and the run of its later requests (sorted by segment)."""
    known = texts.fill_null(-1).to_numpy()
    order = np.argsort(known, kind="stable")
    ordered, runs = known[order], later.to_numpy()
    for place in np.unique(runs):
        first, last = np.searchsorted(ordered, [place, place + 1])
        start, stop = np.searchsorted(runs, [place, place + 1])
        if last > first:
            yield order[first:last], slice(start, stop)
