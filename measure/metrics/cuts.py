"""Returns that reached their caller shorter than they were written, and whether it read the whole after all."""

from __future__ import annotations

import polars as pl

from hooks.runtime.reports import FILE_NAME

KEY = ("session_id", "agent_id", "delivery")


def cut_returns(returns: pl.DataFrame, reads: pl.DataFrame) -> pl.DataFrame:
    """One row a return that was cut at delivery, by a hook of ours or by the client's own limit.

    It was not blocked (`tried` 0), yet the agent's own text (`first_chars`) is longer than what was delivered
    (`chars`). `read_back` counts the later reads of the saved report by the caller's thread, `read_back_chars` what
    they brought into its context: the price of the cut. The file is known by its name and the agent's last characters.
    """
    cut = returns.filter((pl.col("tried") == 0) & (pl.col("first_chars") > pl.col("chars")))
    wholes = reads.filter(pl.col("path").str.ends_with(f"/{FILE_NAME}")).select(
        "session_id",
        pl.col("agent_id").alias("caller_agent_id"),
        pl.col("path").str.extract(rf"-([A-Za-z0-9]+)/{FILE_NAME.replace('.', '[.]')}$").alias("_run"),
        pl.col("ts").alias("_read_at"),
        pl.col("chars").alias("_read_chars"),
    )
    pairs = cut.with_columns(pl.col("agent_id").str.tail(8).alias("_run")).join(
        wholes, on=["session_id", "caller_agent_id", "_run"], how="left", nulls_equal=True
    )
    later = pl.col("_read_at") >= pl.col("ts")
    sums = pairs.group_by(KEY).agg(
        later.sum().cast(pl.Int64).alias("read_back"),
        pl.col("_read_chars").filter(later).sum().cast(pl.Int64).alias("read_back_chars"),
    )
    return cut.join(sums, on=list(KEY), how="left")


def summed(cut: pl.DataFrame) -> pl.DataFrame:
    """One row an agent type: cut returns, est. tokens before and after, and what was read back."""
    return (
        cut.group_by(pl.col("agent_type").fill_null("(unknown)"))
        .agg(
            pl.len().cast(pl.Int64).alias("cut"),
            pl.col("first_est_tokens").sum(),
            pl.col("est_tokens").sum(),
            (pl.col("read_back") > 0).sum().cast(pl.Int64).alias("read_back"),
            pl.col("read_back_chars").sum(),
        )
        .sort("cut", "agent_type", descending=[True, False])
    )
