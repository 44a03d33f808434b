"""passTokens and fileTokens by what they would have saved: every past return, under every candidate limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from policy.fit.folds import Choice, by_session, choose, interval
from policy.fit.inputs import Returns
from policy.fit.quantiles import Floats, nearest_rank, readable
from policy.fit.returns_cost import PRIORS, Paid, break_even_size, compress, file_order, read_back, spill

CHARS = 4  # a limit counts est. tokens: UTF-16 units / 4
NEVER = 1 << 40
LEAST_TARGET = 250  # est. tokens: a path, a verdict and three lines; no report is asked to be shorter
ACTIONS = ("compress", "file", "spill", "shorten")


@dataclass(frozen=True, slots=True)
class Assumed:
    """The named parameters of the cost model; `policy.fit.returns_cost.PRIORS` says where each comes from."""

    compressed: float = PRIORS["compressed"].value
    pointer_tokens: float = PRIORS["pointer_tokens"].value
    thinking_tokens: float = PRIORS["thinking_tokens"].value
    read_back_share: float = PRIORS["read_back_share"].value
    ttl_push_share: float = PRIORS["ttl_push_share"].value


def assumptions(steps: Any) -> Assumed:
    """The cost model's parameters; thinking tokens from the agents' own requests where they are recorded."""
    own = steps.filter(steps["agent_id"].is_not_null())["thinking_tokens"].drop_nulls()
    return Assumed(thinking_tokens=float(own.median())) if len(own) else Assumed()


@dataclass(frozen=True, slots=True)
class Effect:
    """What one action does to each return: dollars net, and tokens that the caller's context does not get."""

    net_usd: Floats
    saved_tokens: Floats


def effect(data: Returns, action: str, target: float, assumed: Assumed) -> Effect:
    """Net effect of `action` on every return, whatever its size, for an announced target of `target` est. tokens.

    NET = V - B - read-back - TTL push, with V the tokens saved times what carrying one cost this caller.
    """
    wanted = {"compress": assumed.compressed * target, "shorten": target}.get(action, assumed.pointer_tokens)
    tokens = data.est * CHARS / data.a_cpt
    after = wanted * CHARS / data.a_cpt
    # The wrapper stays. Where the client's own preview was delivered there is none, and little or nothing to save.
    saved = (data.delivered - data.wrapper - wanted * CHARS) / data.k_cpt
    net = saved * data.carry - block_cost(data, action, tokens, after, assumed)
    if action != "compress":
        net = net - assumed.read_back_share * read_back(data.k_context, tokens, data.carry, data.caller)
    if action != "shorten":
        pushed = data.foreground & data.short_run
        net = net - assumed.ttl_push_share * pushed * data.k_context * (data.caller.write - data.caller.read)
    return Effect(net, saved)


def block_cost(data: Returns, action: str, tokens: Floats, after: Floats, assumed: Assumed) -> Floats:
    """Dollars that the order itself costs the agent; nothing for a cut at delivery."""
    if action == "shorten":
        return np.zeros(len(tokens))
    if action == "file":
        return file_order(data.a_context, tokens, after, data.agent, th=assumed.thinking_tokens)
    formula = spill if action == "spill" else compress
    return formula(data.a_context, tokens, after, data.agent, th=assumed.thinking_tokens)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Announce `target`, block above `trigger`, send to a file above `file` (NEVER: no such tier)."""

    target: int
    trigger: int
    file: int

    @property
    def slack(self) -> int:
        """slackTokens."""
        return self.trigger - self.target


@dataclass(frozen=True, slots=True)
class CostFit:
    """The choice over candidates, in dollars: `best`, what it would have saved, its plateau, where blocking pays."""

    best: Candidate
    choice: Choice
    plateau: list[Candidate]
    break_even: float | None
    lost_below: float
    n_below: int
    n_blocked: int


def grid(est: Floats, extra: tuple[int, ...] = ()) -> list[int]:
    """Candidate limits: readable quantiles of the sizes in steps of 5 %, and those of today."""
    ordered = np.sort(est)
    found = {readable(nearest_rank(ordered, p / 20)) for p in range(1, 20)}
    return sorted({max(value, LEAST_TARGET) for value in found} | set(extra))


def candidates(est: Floats, today: tuple[int, int]) -> list[Candidate]:
    """Every ordered triple on the grid, and blocking nothing."""
    values = grid(est, today)
    above = [*values, NEVER]
    return [
        Candidate(target, trigger, file)
        for target in values
        for trigger in above
        if trigger >= target
        for file in above
        if file > trigger or trigger == file == NEVER
    ]


def saved_by(data: Returns, tried: list[Candidate], assumed: Assumed) -> Floats:
    """Dollars saved in each session (rows) by each candidate (columns)."""
    targets = sorted({c.target for c in tried})
    edges = sorted({c.trigger for c in tried} | {c.file for c in tried})
    above = data.est[:, None] > np.array(edges, dtype=np.float64)[None, :]
    at = {edge: i for i, edge in enumerate(edges)}
    # An agent that cannot write is never sent to a file: it is asked to compress.
    written = effect(data, "file", 0, assumed).net_usd
    out = np.zeros((data.sessions, len(tried)))
    for target in targets:
        squeezed = effect(data, "compress", target, assumed).net_usd
        short = by_session(squeezed[:, None] * above, data.codes, data.sessions)
        filed = by_session(np.where(data.can_write, written, squeezed)[:, None] * above, data.codes, data.sessions)
        for j, c in enumerate(tried):
            if c.target == target:
                out[:, j] = short[:, at[c.trigger]] - short[:, at[c.file]] + filed[:, at[c.file]]
    return out


def fit(data: Returns, today: tuple[int, int], assumed: Assumed) -> CostFit:
    """The candidate that would have saved most, with its cross-validated saving and the limits within 5 % of it."""
    tried = candidates(data.est, today)
    choice = choose(saved_by(data, tried, assumed), near=0.05)
    best = tried[choice.best]
    pays, between, lost = band(data, best.target, assumed)
    return CostFit(
        best=best,
        choice=choice,
        plateau=[tried[i] for i in choice.plateau],
        break_even=pays,
        lost_below=-lost,
        n_below=between,
        n_blocked=int((data.est > best.trigger).sum()),
    )


def mean_break_even(data: Returns, target: float, assumed: Assumed) -> float | None:
    """t0 in est. tokens for the average return above `target`, at its prices and its caller's carry; None: never."""
    long = data.est > target
    if not long.any():
        return None
    agent = Paid(*(float(x[long].mean()) for x in (data.agent.read, data.agent.write, data.agent.output)))
    scale = CHARS / float(data.a_cpt[long].mean())
    carry = float((data.carry / data.k_cpt)[long].mean() * data.a_cpt[long].mean())
    size = break_even_size(
        assumed.compressed * target * scale,
        float(data.a_context[long].mean()),
        carry,
        agent,
        th=assumed.thinking_tokens,
    )
    return None if size is None else size / scale


def band(data: Returns, target: float, assumed: Assumed) -> tuple[float | None, int, float]:
    """(t0, returns between the target and t0, dollars that blocking those loses): trigger is not target."""
    pays = mean_break_even(data, target, assumed)
    below = (data.est > target) & (data.est <= (NEVER if pays is None else pays))
    return pays, int(below.sum()), -float(effect(data, "compress", target, assumed).net_usd[below].sum())


EDGES = (500, 1000, 1500, 2500, 5000, 10_000)


def by_size(data: Returns, target: int, assumed: Assumed) -> list[dict[str, Any]]:
    """For each class of sizes: how many returns, what they cost their callers, what each action would have saved."""
    effects = {action: effect(data, action, target, assumed) for action in ACTIONS}
    rows: list[dict[str, Any]] = []
    for low, high in zip((0, *EDGES), (*EDGES, NEVER), strict=True):
        inside = (data.est > low) & (data.est <= high)
        if not inside.any():
            continue
        paid = data.carry * data.delivered / data.k_cpt
        row: dict[str, Any] = {
            "above": low,
            "to": None if high == NEVER else high,
            "n": int(inside.sum()),
            "sessions": len(np.unique(data.codes[inside])),
            "later_requests": float(np.median(data.later[inside])),
            "carry_usd": float(paid[inside].sum()),
        }
        for action, made in effects.items():
            row[f"{action}_usd"] = float(made.net_usd[inside].sum())
        options = {"pass": 0.0, **{a: float(effects[a].net_usd[inside].sum()) for a in ACTIONS}}
        row["best"] = max(options, key=options.__getitem__) if high > target else "pass"
        rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class ContextFit:
    """The objective "context": tokens kept out of the callers' contexts, per return, at a bounded share of blocks."""

    saved_tokens: float
    low: float
    high: float
    net_usd: float
    net_low: float
    net_high: float
    blocked: int


def context_objective(data: Returns, limits: Candidate, assumed: Assumed) -> ContextFit:
    """What a pair of limits keeps out of the callers' contexts, and what it costs, over all returns of `data`."""
    squeezed, written = effect(data, "compress", limits.target, assumed), effect(data, "file", 0, assumed)
    to_file = (data.est > limits.file) & data.can_write
    blocked = data.est > limits.trigger
    tokens = np.where(to_file, written.saved_tokens, squeezed.saved_tokens) * blocked
    usd = np.where(to_file, written.net_usd, squeezed.net_usd) * blocked
    per_session = by_session(np.stack([tokens, usd], axis=1), data.codes, data.sessions)
    low, high = interval(per_session[:, 0])
    net_low, net_high = interval(per_session[:, 1])
    return ContextFit(float(tokens.sum()), low, high, float(usd.sum()), net_low, net_high, int(blocked.sum()))
