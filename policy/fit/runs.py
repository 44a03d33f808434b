"""From frames to threads: the context of each request, and what a token of it cost there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from policy.fit.inputs import Priced
from policy.fit.quantiles import Floats
from policy.prices import Prices
from policy.rebuilds import THREAD

MAIN, UNKNOWN = "main", "(unknown)"
STOPPED = ("limit", "stopped", "failed", "running")


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread's requests in order; tokens, dollars per token. `done` is False where it was stopped before its end.

    `price` is what a token of the prompt cost on average where it could have been read: the read price, raised by the
    part that was written again. `surcharge` is what a request paid above the base price of its model, `step` the
    prompt size above which that holds. `growth` is the growth of context before each request, the first context first;
    a drop (a compaction) counts as 0. `rate`, `write` and `output` are the thread's median prices, `rho` the mean of
    `price`, `bases` the context of the first request after each compaction.
    """

    session: str
    agent: str | None
    party: str
    model: str
    context: Floats
    growth: Floats
    read: Floats
    price: Floats
    rate: float
    rho: float
    write: float
    output: float
    surcharge: Floats
    step: float
    segment: np.ndarray
    first_write: float
    done: bool
    fork_first: int | None
    bases: Floats


def base_prices(data: Priced, prices: Prices) -> pl.DataFrame:
    """`data.steps` with `surcharge` (dollars above the model's price for a short prompt) and `tier_above`."""
    tiers = (
        prices.rows.filter(pl.col("tier_start") > 0)
        .group_by("model")
        .agg(pl.col("tier_start").min().alias("tier_above"))
        .rename({"model": "price_model"})
    )
    rows = data.steps.join(tiers, on="price_model", how="left")
    dear = rows.filter(pl.col("price_tier_start") > 0)
    if not len(dear):
        return rows.with_columns(surcharge=pl.lit(0.0))
    keys = [*THREAD, "step"]
    cheap = prices.join(
        dear.select(*keys, "model", "ts", "speed", "service_tier", "inference_geo", prompt_tokens=pl.lit(0))
    )
    tokens = {
        "input_tokens": "rate_input",
        "cache_read_tokens": "rate_read",
        "cache_write_5m_tokens": "rate_write_5m",
        "cache_write_unknown_tokens": "rate_write_5m",
        "cache_write_1h_tokens": "rate_write_1h",
        "output_tokens": "rate_output",
    }
    base = dear.select(*keys, "usd", *tokens).join(
        cheap.select(*keys, *sorted(set(tokens.values()))), on=keys, nulls_equal=True
    )
    paid = pl.sum_horizontal(pl.col(count) * pl.col(rate) for count, rate in tokens.items())
    return rows.join(
        base.select(*keys, surcharge=pl.col("usd") - paid), on=keys, how="left", nulls_equal=True
    ).with_columns(pl.col("surcharge").fill_null(0.0))


def threads(data: Priced, prices: Prices) -> list[Thread]:
    """Every priced thread of two requests or more, main threads as party "main"."""
    if "threads" not in data.made:
        data.made["threads"] = _threads(data, prices)
    found: list[Thread] = data.made["threads"]
    return found


def _threads(data: Priced, prices: Prices) -> list[Thread]:
    agents = data.frames.agents.select(*THREAD, "agent_type", "status", "returns", "mode", "first_context_tokens")
    rows = (
        base_prices(data, prices)
        .filter(pl.col("rate_read").is_not_null())
        .drop("agent_type")
        .join(agents, on=list(THREAD), how="left", nulls_equal=True)
        .sort(*THREAD, "step", nulls_last=False)
    )
    return list(_split(rows)) if len(rows) else []


def _split(rows: pl.DataFrame) -> Iterator[Thread]:
    """Cut the sorted rows at each change of thread: one pass, no group-by in Python."""
    number = rows.select(pl.struct(THREAD).rle_id())[:, 0].to_numpy()
    cuts = np.flatnonzero(np.diff(number, prepend=-1, append=number[-1] + 1))

    def floats(name: str) -> Floats:
        return rows[name].cast(pl.Float64).fill_null(0.0).to_numpy()

    context, read, write = floats("context_tokens"), floats("rate_read"), floats("rate_write")
    again = np.where(rows["first_of_segment"].to_numpy(), 0.0, floats("rebuilt_tokens"))
    price = read + (write - read) * np.clip(again / np.maximum(context, 1.0), 0.0, 1.0)
    surcharge, written = floats("surcharge"), floats("cache_write_tokens")
    above = rows["tier_above"].cast(pl.Float64).fill_null(np.inf).to_numpy()
    segment = rows["segment"].fill_null(0).to_numpy()
    before = np.concatenate(([0.0], context[:-1]))
    before[cuts[:-1]] = 0.0
    growth = np.maximum(0.0, context - before)
    rates = ("rate_read", "rate_write", "rate_output")
    middle = rows.group_by(THREAD, maintain_order=True).agg(pl.col(rates).median()).select(rates).rows()
    names = rows.select("session_id", "agent_id", "agent_type", "model", "status", "returns", "mode")
    moved = segment[1:] > segment[:-1]
    totals = np.concatenate(([0.0], np.cumsum(price)))
    for (start, end), (rate, rate_write, rate_output) in zip(pairwise(cuts), middle, strict=True):
        if end - start < 2:
            continue
        part = slice(start, end)
        who = names.row(int(end) - 1, named=True)
        main = who["agent_id"] is None
        yield Thread(
            session=who["session_id"],
            agent=who["agent_id"],
            party=MAIN if main else who["agent_type"] or UNKNOWN,
            model=who["model"],
            context=context[part],
            growth=growth[part],
            read=read[part],
            price=price[part],
            rate=rate,
            rho=float((totals[end] - totals[start]) / (end - start)),
            write=rate_write or 0.0,
            output=rate_output or 0.0,
            surcharge=surcharge[part],
            step=float(above[part].min()),
            segment=segment[part],
            first_write=float(written[start]),
            done=_done(who),
            fork_first=int(context[start]) if who["mode"] == "fork" else None,
            bases=context[start + 1 : end][moved[start : end - 1]],
        )


def _done(who: dict[str, object]) -> bool:
    """Whether the run ended by itself: a run of unknown status did if it handed something back."""
    if who["status"] in STOPPED:
        return False
    return who["status"] == "completed" or bool(who["returns"])
