"""From frames to what the fits take: every return with the prices that its two threads paid."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from hooks.runtime.returns import READ_ONLY
from policy import kept
from policy.calibrate import Calibration, calibrate
from policy.carry import carry_on, prepare
from policy.cost import cost
from policy.fit.quantiles import Floats, Ints, encode
from policy.fit.returns_cost import Paid
from policy.prices import Prices
from policy.rebuilds import THREAD, steps

OPEN = timedelta(hours=24)
SUMMARY_TOKENS = 2_000  # prior
# Client 2.1.332: a foreground report passes whole up to 41,472 characters and is a preview at 56,000.
PERSISTED_CHARS, PREVIEW_CHARS, NOTIFIED_CHARS = 50_000, 2_048, 100_000


@dataclass(frozen=True)
class Priced:
    """Frames with their prices: what every fit in dollars starts from. `open_sessions` had a record in the last day.

    `made` keeps what several fits of one command need (`valued`, `runs.threads`), so that it is made once, and what
    takes long is made when it is asked for.
    """

    frames: Any
    costs: pl.DataFrame
    open_sessions: frozenset[str] = frozenset()
    made: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def steps(self) -> pl.DataFrame:
        """`policy.rebuilds.steps`."""
        return steps(self.costs)

    @cached_property
    def prepared(self) -> pl.DataFrame:
        """What `policy.carry.carry_on` needs."""
        return prepare(self.steps)

    @cached_property
    def calibration(self) -> Calibration:
        """Characters per token of each model; from `made` where it is there already."""
        found: Calibration | None = self.made.get("calibration")
        if found is None and self.frames.unfiltered is None:
            return kept.calibration(self.frames, self.frames.requests["model"].unique().drop_nulls().sort().to_list())
        return found or calibrate(self.frames.requests, self.frames.tool_calls, self.frames.returns)


def priced(frames: Any, prices: Prices, now: datetime) -> Priced:
    """Price `frames` once. Sessions still open are named, because what their texts will cost is not known yet."""
    ended = frames.sessions.filter(pl.col("ended") >= now - OPEN)["session_id"].to_list()
    return Priced(frames, cost(frames.requests, prices), frozenset(ended))


def sizes(returns: pl.DataFrame) -> pl.DataFrame:
    """Returns whose first size is known: what percentiles are fitted on. One row a return, as in the frame."""
    return returns.filter(pl.col("first_est_tokens") > 0)


def delivered_chars() -> pl.Expr:
    """What the caller gets of a report that nobody blocks: wrapper, the client's preview and its cut included."""
    wrapper = (pl.col("caller_chars") - pl.col("chars")).clip(lower_bound=0).fill_null(0)
    whole = pl.col("first_chars")
    preview = pl.when(whole > PERSISTED_CHARS).then(PREVIEW_CHARS).otherwise(whole)
    cut = pl.when(pl.col("route") == "tool_result").then(preview).otherwise(pl.min_horizontal(whole, NOTIFIED_CHARS))
    whole_seen = (pl.col("tried").fill_null(0) == 0) & (pl.col("chars") == pl.col("first_chars"))
    untouched = whole_seen & pl.col("caller_chars").is_not_null()
    return pl.when(untouched).then("caller_chars").otherwise(cut + wrapper)


def valued(data: Priced) -> pl.DataFrame:
    """One row a return of a closed session whose two threads have prices.

    New columns: `delivered` (characters), `wrapper` (characters around the report), `carry` (dollars a token of it
    cost its caller from delivery on), `later` (the caller's later requests in that segment), `a_*` of the agent's
    request that ended in the return and `k_*` of the caller's request that first carried it: `context`, `read`,
    `write`, `output`, `cpt` (characters per token); `run_seconds` of the agent until then.
    """
    if "valued" not in data.made:
        data.made["valued"] = _valued(data)
    found: pl.DataFrame = data.made["valued"]
    return found


def _valued(data: Priced) -> pl.DataFrame:
    rows = sizes(data.frames.returns).filter(~pl.col("session_id").is_in(sorted(data.open_sessions)))
    rows = rows.with_row_index("_row").with_columns(
        delivered=delivered_chars(),
        wrapper=(pl.col("caller_chars") - pl.col("chars")).clip(lower_bound=0).fill_null(0),
    )
    return _shadow(_caller(_agent(rows, data), data), data).filter(
        pl.col("carry").is_not_null() & pl.col("a_read").is_not_null() & pl.col("k_read").is_not_null()
    )


def _prices(side: str) -> list[pl.Expr]:
    return [
        pl.col("context_tokens").alias(f"{side}_context"),
        pl.col("rate_read").alias(f"{side}_read"),
        pl.col("rate_write").alias(f"{side}_write"),
        pl.col("rate_output").alias(f"{side}_output"),
        pl.col("model").alias(f"{side}_model"),
    ]


def _agent(rows: pl.DataFrame, data: Priced) -> pl.DataFrame:
    """The agent's last request up to the return (its last one at all where the return has no time)."""
    own = data.steps.filter(pl.col("agent_id").is_not_null() & pl.col("ts").is_not_null())
    first = own.group_by(THREAD).agg(pl.col("ts").min().alias("_began"))
    own = own.select(*THREAD, "ts", *_prices("a")).sort("ts")
    rows = rows.with_columns(ts=pl.col("ts").fill_null(datetime(9999, 1, 1).astimezone()))
    joined = rows.sort("ts").join_asof(own, on="ts", by=list(THREAD), strategy="backward", check_sortedness=False)
    return (
        joined.join(first, on=list(THREAD), how="left")
        .with_columns(run_seconds=(pl.col("ts") - pl.col("_began")).dt.total_seconds())
        .with_columns(a_cpt=data.calibration.chars_per_token(pl.col("a_model")))
        .sort("_row")
    )


def _shadow(rows: pl.DataFrame, data: Priced) -> pl.DataFrame:
    """`shadow`: what a token costs where an AUTOMATIC compaction ended the caller's segment; null elsewhere.

    w + r (R_rem - n/2) + K/(T - b): a token less lets the segment last longer. R_rem later requests, n requests of the
    segment, T its context at the end, b the context after it, K the rewrite of the base and what it read: an estimate.
    """
    ended = data.frames.compactions.filter(
        (pl.col("trigger") == "auto") & (pl.col("pre_tokens") > pl.col("post_tokens"))
    ).select(
        "session_id",
        pl.col("agent_id").alias("caller_agent_id"),
        pl.col("segment").alias("caller_segment"),
        pl.col("requests_since_last").alias("_n"),
        pl.col("pre_tokens").alias("_end"),
        pl.col("post_tokens").alias("_base"),
    )
    key = ["session_id", "caller_agent_id", "caller_segment"]
    rows = rows.join(ended.unique(key, keep="first"), on=key, how="left", nulls_equal=True)
    cost = SUMMARY_TOKENS * pl.col("k_output") + pl.col("_base") * pl.col("k_write")
    price = (
        pl.col("k_write")
        + pl.col("k_read") * (pl.col("later") - pl.col("_n") / 2)
        + cost / (pl.col("_end") - pl.col("_base"))
    )
    return rows.with_columns(shadow=price).drop("_n", "_end", "_base").sort("_row")


def _caller(rows: pl.DataFrame, data: Priced) -> pl.DataFrame:
    """What carrying one token of each return cost, and the caller's request that first sent it."""
    texts = rows.select(
        "_row",
        "session_id",
        pl.col("caller_agent_id").alias("agent_id"),
        pl.col("caller_step").alias("step"),
        pl.col("caller_chars").fill_null(pl.col("chars")).clip(lower_bound=1).alias("chars"),
    )
    carried = carry_on(texts, data.prepared, data.calibration).select(
        "_row",
        carry=pl.when(pl.col("step").is_null()).then(0.0).otherwise(pl.col("carry_usd") / pl.col("text_tokens")),
        later=pl.col("later_requests"),
    )
    key = ["session_id", "caller_agent_id", "caller_step"]
    caller = data.steps.select(
        "session_id",
        pl.col("agent_id").alias("caller_agent_id"),
        pl.col("step").alias("caller_step"),
        *_prices("k"),
    )
    unsent = pl.col("caller_step").is_null()
    return (
        rows.join(carried, on="_row", how="left")
        .join(caller, on=key, how="left", nulls_equal=True)
        .with_columns(k_cpt=data.calibration.chars_per_token(pl.col("k_model")))
        # Nobody sent it on: it cost its caller nothing, at any price.
        .with_columns(
            pl.when(unsent).then(0.0).otherwise(f"k_{c}").alias(f"k_{c}") for c in ("read", "write", "output")
        )
        .with_columns(k_context=pl.when(unsent).then(0).otherwise("k_context"))
        .sort("_row")
    )


@dataclass(frozen=True, slots=True)
class Returns:
    """`valued` as arrays: one entry a return. `codes` number the sessions, `kinds` name the agent types.

    `shadow` is NaN where no automatic compaction ended the caller's segment.
    """

    est: Floats
    codes: Ints
    kinds: np.ndarray
    delivered: Floats
    wrapper: Floats
    carry: Floats
    shadow: Floats
    later: Floats
    foreground: np.ndarray
    short_run: np.ndarray
    can_write: np.ndarray
    a_context: Floats
    k_context: Floats
    a_cpt: Floats
    k_cpt: Floats
    agent: Paid[Floats]
    caller: Paid[Floats]

    @property
    def sessions(self) -> int:
        """Sessions among the returns."""
        return int(self.codes.max()) + 1 if len(self.codes) else 0


def arrays(rows: pl.DataFrame) -> Returns:
    """The columns of `valued` as NumPy arrays."""

    def floats(name: str) -> Floats:
        return rows[name].cast(pl.Float64).fill_null(0.0).to_numpy().astype(np.float64)

    kinds = rows["agent_type"].fill_null("(unknown)")
    return Returns(
        est=floats("first_est_tokens"),
        codes=encode(rows["session_id"].to_list()),
        kinds=kinds.to_numpy(),
        delivered=floats("delivered"),
        wrapper=floats("wrapper"),
        carry=floats("carry"),
        shadow=rows["shadow"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        later=floats("later"),
        foreground=(rows["route"] == "tool_result").fill_null(value=False).to_numpy(),
        short_run=(rows["run_seconds"] < 300).fill_null(value=False).to_numpy(),
        can_write=(~kinds.is_in(list(READ_ONLY))).to_numpy(),
        a_context=floats("a_context"),
        k_context=floats("k_context"),
        a_cpt=floats("a_cpt"),
        k_cpt=floats("k_cpt"),
        agent=Paid(floats("a_read"), floats("a_write"), floats("a_output")),
        caller=Paid(floats("k_read"), floats("k_write"), floats("k_output")),
    )
