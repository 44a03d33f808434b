"""Cache rebuilds: prompts paid for again as writes, and why; and what another cache life would have cost."""

from __future__ import annotations

import polars as pl

from measure.frames.runs import in_thread_order, runs

THREAD = ("session_id", "agent_id")
LARGE_TOKENS = 2_000
LARGE_SHARE = 0.1
SHORT_SECONDS = 5 * 60
LONG_SECONDS = 60 * 60
SAME_READ_SHARE = 0.01

REASONS = (
    "first request",
    "after a compaction",
    "model switch",
    "idle past the TTL",
    "frozen prefix",
    "unknown",
)


def steps(costs: pl.DataFrame) -> pl.DataFrame:
    """Requests in thread order with what came before them; requests without any prompt token are left out.

    New columns: `prev_*` of the request before in the same thread, `idle_seconds` since it, `first_of_segment`,
    `wrote_ttl` (life of the last write before: "5m", "1h", null unknown), `rate_write` (dollars per token of this
    request's own mix of writes; the plain input rate where it wrote nothing) and `rebuilt_tokens`.
    """
    asked_1h = pl.col("ttl_requested") == "1h"
    ttl = (
        pl.when(pl.col("cache_write_1h_tokens") > 0)
        .then(pl.lit("1h"))
        .when(pl.col("cache_write_5m_tokens") > 0)
        .then(pl.lit("5m"))
        .otherwise(pl.when(asked_1h).then(pl.lit("1h")).otherwise("ttl_requested"))
    )
    frame = in_thread_order(costs.filter(pl.col("context_tokens") > 0), "step")
    thread = pl.col("_thread")

    def before(value: pl.Expr) -> pl.Expr:
        return pl.when(thread == thread.shift(1)).then(value.shift(1))

    frame = (
        frame.with_columns(runs(frame, THREAD)[0].alias("_thread"))
        .with_columns(
            *(
                before(pl.col(name)).alias(f"prev_{name}")
                for name in ("context_tokens", "cache_read_tokens", "segment")
            ),
            prev_model=before(pl.col("price_model").fill_null(pl.col("model"))),
            idle_seconds=(pl.col("ts") - before(pl.col("ts"))).dt.total_milliseconds() / 1000,
            wrote_ttl=before(ttl).forward_fill().over(thread),
            rate_write=write_rate(),
        )
        .drop("_thread")
    )
    first = pl.col("prev_context_tokens").is_null() | (pl.col("segment") != pl.col("prev_segment"))
    writes = pl.col("cache_write_tokens").fill_null(0)
    missed = pl.min_horizontal("prev_context_tokens", "context_tokens") - pl.col("cache_read_tokens").fill_null(0)
    return frame.with_columns(
        first_of_segment=first,
        rebuilt_tokens=pl.when(first).then(writes).otherwise(pl.min_horizontal(missed, writes).clip(lower_bound=0)),
    )


def write_rate() -> pl.Expr:
    """Dollars per written token of a request, by its own mix of 5-minute, 1-hour and unknown writes."""
    dollars = pl.sum_horizontal("cache_write_5m_usd", "cache_write_1h_usd", "cache_write_unknown_usd")
    wrote = (pl.col("cache_write_tokens") > 0) & pl.col("rate_write_5m").is_not_null()
    return pl.when(wrote).then(dollars / pl.col("cache_write_tokens")).otherwise("rate_input")


def rebuilds(thread_steps: pl.DataFrame) -> pl.DataFrame:
    """One row a rebuild: a request that wrote at least 2,000 tokens and a tenth of its prompt although the request
    before had held them, and the first request of each segment, which has nothing to reuse but a shared prefix.

    `reason` is one of REASONS; `write_usd` is what writing `rebuilt_tokens` cost, `extra_usd` by how much that is more
    than reading them. Takes `steps`.
    """
    large = (pl.col("rebuilt_tokens") >= LARGE_TOKENS) & (
        pl.col("rebuilt_tokens") >= LARGE_SHARE * pl.col("context_tokens")
    )
    frozen = (pl.col("cache_read_tokens") - pl.col("prev_cache_read_tokens")).abs() <= (
        SAME_READ_SHARE * pl.col("prev_cache_read_tokens")
    )
    model = pl.col("price_model").fill_null(pl.col("model"))
    reason = (
        pl.when(pl.col("prev_context_tokens").is_null())
        .then(pl.lit("first request"))
        .when(pl.col("first_of_segment"))
        .then(pl.lit("after a compaction"))
        .when(model != pl.col("prev_model"))
        .then(pl.lit("model switch"))
        .when(pl.col("idle_seconds") > ttl_seconds(pl.col("wrote_ttl")))
        .then(pl.lit("idle past the TTL"))
        .when(frozen & (pl.col("prev_cache_read_tokens") > 0))
        .then(pl.lit("frozen prefix"))
        .otherwise(pl.lit("unknown"))
    )
    return thread_steps.filter(large).with_columns(
        reason=reason,
        write_usd=pl.col("rebuilt_tokens") * pl.col("rate_write"),
        extra_usd=pl.col("rebuilt_tokens") * (pl.col("rate_write") - pl.col("rate_read")),
    )


def ttl_seconds(ttl: pl.Expr) -> pl.Expr:
    """Life of a cache entry; an unknown one is taken for the shorter."""
    return pl.when(ttl == "1h").then(LONG_SECONDS).otherwise(SHORT_SECONDS)


def by_reason(found: pl.DataFrame) -> pl.DataFrame:
    """One row a reason in the order of REASONS: requests, tokens and dollars. Takes `rebuilds`."""
    order = pl.DataFrame({"reason": REASONS}, schema={"reason": pl.String()}).with_row_index("_order")
    return (
        found.group_by("reason")
        .agg(
            pl.len().cast(pl.Int64).alias("requests"),
            pl.col("rebuilt_tokens").sum(),
            summed("write_usd"),
            summed("extra_usd"),
        )
        .join(order, on="reason")
        .sort("_order")
        .drop("_order")
    )


def summed(column: str) -> pl.Expr:
    """Sum that is null, not 0, where every value is unknown."""
    return pl.when(pl.col(column).count() > 0).then(pl.col(column).sum()).alias(column)


def other_ttl(thread_steps: pl.DataFrame) -> pl.DataFrame:
    """What each thread kind's requests would have cost with one cache life throughout: an estimate. Takes `steps`.

    One row a thread kind: `usd` as it was, `usd_5m`, `usd_1h`. All writes are priced at that life. With 5 minutes,
    what a request read after an idle time past 5 minutes, thanks to a 1-hour write, is written again. With 1 hour,
    what was rebuilt after an idle time between 5 minutes and 1 hour is read. Nothing else changes.
    """
    idle = pl.col("idle_seconds")
    lost = pl.when((idle > SHORT_SECONDS) & (idle <= LONG_SECONDS) & (pl.col("wrote_ttl") == "1h")).then(
        pl.min_horizontal("prev_context_tokens", "cache_read_tokens")
    )
    kept = pl.when(
        (idle > SHORT_SECONDS)
        & (idle <= LONG_SECONDS)
        & (pl.col("wrote_ttl").fill_null("5m") == "5m")
        & ~pl.col("first_of_segment")
        & (pl.col("price_model").fill_null(pl.col("model")) == pl.col("prev_model"))
    ).then("rebuilt_tokens")
    writes = pl.col("cache_write_tokens").fill_null(0)
    actual = pl.sum_horizontal("cache_write_5m_usd", "cache_write_1h_usd", "cache_write_unknown_usd")
    rest = pl.col("usd") - actual
    lost_tokens, kept_tokens = lost.fill_null(0), kept.fill_null(0)
    return (
        thread_steps.with_columns(
            usd_5m=rest
            + writes * pl.col("rate_write_5m")
            + lost_tokens * (pl.col("rate_write_5m") - pl.col("rate_read")),
            usd_1h=rest + (writes - kept_tokens) * pl.col("rate_write_1h") + kept_tokens * pl.col("rate_read"),
        )
        .group_by("thread_kind")
        .agg(summed("usd"), summed("usd_5m"), summed("usd_1h"))
        .sort("usd", "thread_kind", descending=[True, False], nulls_last=True)
    )
