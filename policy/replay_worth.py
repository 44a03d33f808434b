"""What replayed decisions would have saved and cost, with intervals over sessions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from hooks.runtime import returns as budget
from policy.fit import compaction as compacting
from policy.fit import context as stopping
from policy.fit.folds import interval
from policy.fit.inputs import Returns
from policy.fit.quantiles import Floats, encode
from policy.fit.returns_choice import Assumed, effect
from policy.fit.survival import wilson
from policy.replay import Compacted, Told

ACTIONS = {budget.COMPRESS: "compress", budget.FILE: "file", budget.SPILL: "spill", budget.CUT: "shorten"}


@dataclass(frozen=True, slots=True)
class Worth:
    """One group: `acted` of `n` were acted on; dollars and tokens saved (net of what acting cost), with intervals."""

    n: int
    acted: int
    sessions: int
    share_low: float
    share_high: float
    saved_usd: float
    usd_low: float
    usd_high: float
    saved_tokens: float
    tokens_low: float
    tokens_high: float


def worth(sessions: list[str], acted: np.ndarray, usd: Floats, tokens: Floats) -> Worth:
    """Totals of one group with 95 % intervals: Wilson for the share, over sessions for the sums."""
    codes = encode(sessions) if sessions else np.zeros(0, np.int64)
    count = int(codes.max()) + 1 if len(codes) else 0

    def sums(values: Floats) -> Floats:
        return np.bincount(codes, weights=values, minlength=count).astype(np.float64)

    (usd_low, usd_high), (tokens_low, tokens_high) = interval(sums(usd)), interval(sums(tokens))
    low, high = wilson(int(acted.sum()), len(acted))
    return Worth(
        n=len(acted),
        acted=int(acted.sum()),
        sessions=count,
        share_low=low,
        share_high=high,
        saved_usd=float(usd.sum()),
        usd_low=usd_low,
        usd_high=usd_high,
        saved_tokens=float(tokens.sum()),
        tokens_low=tokens_low,
        tokens_high=tokens_high,
    )


def of_returns(data: Returns, decided: pl.DataFrame, assumed: Assumed) -> tuple[Floats, Floats]:
    """(net dollars, tokens the caller did not get) of each return; `decided` has one row a return of `data`."""
    action, target = decided["action"].to_numpy(), decided["pass_tokens"].cast(pl.Float64).to_numpy()
    usd, tokens = np.zeros(len(action)), np.zeros(len(action))
    for name, kind in ACTIONS.items():
        hit = action == name
        # The announced target differs by type: value each once.
        for limit in np.unique(target[hit]):
            made, part = effect(data, kind, float(limit), assumed), hit & (target == limit)
            usd[part], tokens[part] = made.net_usd[part], made.saved_tokens[part]
    return usd, tokens


def of_context(
    told: list[Told], restarts: dict[str, stopping.Restart], obey: float, lag: int
) -> tuple[np.ndarray, Floats, Floats]:
    """(stopped, net dollars, tokens not read) of each run, as the fit replays it, at the run's own bound."""
    stops, usd, tokens = np.zeros(len(told), bool), np.zeros(len(told)), np.zeros(len(told))
    for i, each in enumerate(told):
        if each.stopped is None:
            continue
        run, inherited = each.thread, each.thread.fork_first or 0
        past = stopping.Run(run.context - inherited, run.price, run.surcharge, run.step - inherited)
        saved, count, unread = stopping.replay(past, each.bound, restarts[run.party], lag, obey)
        stops[i], usd[i], tokens[i] = count > 0, saved, unread
    return stops, usd, tokens


def of_compaction(made: list[Compacted], base: dict[str, float], k0: dict[str, float]) -> tuple[Floats, Floats]:
    """(dollars saved against what happened, its own compactions included, and tokens not read) of each thread."""
    usd, tokens = np.zeros(len(made)), np.zeros(len(made))
    for i, each in enumerate(made):
        thread, party = each.thread, each.thread.party
        read = thread.rate
        steps = compacting.Steps(thread.growth, thread.price, read)
        real = np.flatnonzero(np.diff(thread.segment) > 0)
        before = float((thread.price * thread.context).sum())
        before += float((k0[party] + thread.price[real + 1] * thread.context[real]).sum()) if len(real) else 0.0
        after, unread = compacting.replay_at(steps, each.forced, base[party], k0[party])
        usd[i], tokens[i] = before - after, float(thread.context.sum()) - unread
    return usd, tokens
