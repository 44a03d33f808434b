"""What each compaction cost: the rewrite of the context right after it, and the request that wrote the summary."""

from __future__ import annotations

import polars as pl

from policy.fit.compaction_choice import SUMMARY_PRIOR
from policy.rebuilds import THREAD, steps

BASES = ("client's totals", "estimate")
UNTRACKED = {"input": "input", "cache_read": "read", "cache_write": "write", "output": "output"}


def compaction_costs(compactions: pl.DataFrame, costs: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """`compactions` in their order, each with what surrounds it in its thread and its dollars.

    `context_before` and `context_after` are the prompts of the last request before and the first one after;
    `rewrite_tokens` and `rewrite_usd` what that first one wrote to the cache. `request_usd` is the compaction's own
    request, which leaves no usage in transcripts. Its `request_basis` is "client's totals" where the session's totals
    hold tokens beyond all requests (shared among its compactions by their size; side requests such as titles are in
    them), else "estimate": the context read once from a warm cache plus a summary of SUMMARY_PRIOR tokens written.
    Null where there is no such request or no price.
    """
    thread = steps(costs)
    last = thread.group_by(*THREAD, "segment", maintain_order=True).agg(
        pl.col("context_tokens").last().alias("context_before"),
        pl.col("rate_input", "rate_read", "rate_write", "rate_output").last(),
    )
    written = pl.sum_horizontal("cache_write_5m_usd", "cache_write_1h_usd", "cache_write_unknown_usd")
    first = thread.group_by(*THREAD, "segment", maintain_order=True).agg(
        pl.col("context_tokens").first().alias("context_after"),
        pl.col("cache_write_tokens").first().alias("rewrite_tokens"),
        pl.when(pl.col("usd").is_not_null()).then(written).first().alias("rewrite_usd"),
    )
    place = [*THREAD, "segment"]
    return (
        compactions.with_row_index("_row")
        .join(last, on=place, how="left", nulls_equal=True)
        .join(first.with_columns(pl.col("segment") - 1), on=place, how="left", nulls_equal=True)
        .join(_untracked(sessions), on="session_id", how="left")
        .sort("_row")
        .with_columns(_size=pl.col("pre_tokens").fill_null(pl.col("context_before")))
        .with_columns(_share=_share(), _known=pl.col("_read").is_not_null())
        .with_columns(
            request_usd=pl.when("_known").then(_from_totals()).otherwise(_estimate()),
            request_basis=pl.when("_known").then(pl.lit(BASES[0])).otherwise(pl.lit(BASES[1])),
        )
        .with_columns(request_basis=pl.when(pl.col("request_usd").is_not_null()).then("request_basis"))
        .select(
            *compactions.columns,
            "context_before",
            "context_after",
            "rewrite_tokens",
            "rewrite_usd",
            "request_usd",
            "request_basis",
        )
    )


def _untracked(sessions: pl.DataFrame) -> pl.DataFrame:
    """Sessions whose own totals hold more than their requests."""
    counters = [pl.col(f"untracked_{name}_tokens").alias(f"_{short}") for name, short in UNTRACKED.items()]
    beyond = pl.sum_horizontal(f"_{short}" for short in UNTRACKED.values()) > 0
    return sessions.select("session_id", *counters).filter(beyond & pl.col("_read").is_not_null())


def _share() -> pl.Expr:
    """Part of the session's compactions by the context they began with."""
    total = pl.col("_size").sum().over("session_id")
    return pl.when(total > 0).then(pl.col("_size") / total).otherwise(1 / pl.len().over("session_id"))


def _from_totals() -> pl.Expr:
    tokens = {short: pl.col(f"_{short}").clip(lower_bound=0) for short in UNTRACKED.values()}
    return pl.col("_share") * sum(
        (tokens[short] * pl.col(f"rate_{short}") for short in ("read", "write", "output")),
        start=tokens["input"] * pl.col("rate_input"),
    )


def _estimate() -> pl.Expr:
    return pl.col("_size") * pl.col("rate_read") + SUMMARY_PRIOR * pl.col("rate_output")
