"""passTokens and fileTokens by percentile: overall and per agent type, in est. tokens of `first_chars`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from measure.reports.words import counted
from policy.fit.limit import Limit
from policy.fit.quantiles import Floats, Ints, encode, estimate, readable
from policy.fit.shrink import MIN_TYPES, Shrunk, TypeSample, enough, shrink

PASS_P, FILE_P = 0.5, 0.78
MIN_RETURNS, MIN_SESSIONS = 30, 10
METHOD = "p{:.0f}, nearest rank; interval: score test over sessions"
InForce = Callable[[str, str | None], int]
"""(key, agent type or None) -> the limit in force today."""


def few(n: int, sessions: int) -> str:
    """Why nothing is fitted; empty where there is enough."""
    if n >= MIN_RETURNS and sessions >= MIN_SESSIONS:
        return ""
    return f"kept: {counted(n, 'return')} in {counted(sessions, 'session')}, {MIN_RETURNS} in {MIN_SESSIONS} are needed"


def percentile(rows: pl.DataFrame, in_force: InForce, pass_p: float = PASS_P, file_p: float = FILE_P) -> list[Limit]:
    """Both limits overall, then per type. `rows` are returns with a known first size (`inputs.sizes`)."""
    values = rows["first_est_tokens"].to_numpy().astype(np.float64)
    codes = encode(rows["session_id"].to_list()) if len(rows) else np.zeros(0, np.int64)
    kinds = rows["agent_type"].fill_null("(unknown)").to_numpy()
    limits = [
        limit
        for key, p in (("passTokens", pass_p), ("fileTokens", file_p))
        for limit in (
            overall(values, codes, key, p, in_force(key, None)),
            *types(values, codes, kinds, key, p, in_force),
        )
    ]
    return [ordered_pair(limit, limits) for limit in limits]


def overall(values: Floats, codes: Ints, key: str, p: float, today: int) -> Limit:
    """One limit over all types. The interval for independent returns is given beside it, as too narrow."""
    sessions = int(codes.max()) + 1 if len(codes) else 0
    why = few(len(values), sessions)
    if not len(values):
        return Limit("returns", key, "est. tokens", today, None, 0, 0, "returns", METHOD.format(100 * p), why=why)
    found = estimate(values, codes, p)
    extra = {"independent_interval": list(found.independent), "would_be": readable(found.value)}
    if why:
        # Below the gate no interval is shown: with few sessions it is mostly unbounded.
        return Limit(
            "returns",
            key,
            "est. tokens",
            today,
            None,
            found.n,
            found.sessions,
            "returns",
            METHOD.format(100 * p),
            estimate=found.value,
            why=why,
            extra=extra,
        )
    return Limit(
        "returns",
        key,
        "est. tokens",
        today,
        readable(found.value, found.low, found.high),
        found.n,
        found.sessions,
        "returns",
        METHOD.format(100 * p),
        estimate=found.value,
        low=found.low,
        high=found.high,
        bounded=True,
        extra=extra,
    )


def types(values: Floats, codes: Ints, kinds: np.ndarray, key: str, p: float, in_force: InForce) -> list[Limit]:
    """One limit a type: shrunk where four types or more have 10 returns in 3 sessions, else the overall limit stays."""
    samples = [TypeSample(str(kind), values[kinds == kind], codes[kinds == kind]) for kind in np.unique(kinds)]
    good = [sample for sample in samples if enough(sample) and sample.name != "(unknown)"]
    drawn = {row.name: row for row in shrink(good, p)} if len(good) >= MIN_TYPES else {}
    return [_type(sample, drawn.get(sample.name), key, p, in_force(key, sample.name), len(good)) for sample in samples]


def _type(sample: TypeSample, row: Shrunk | None, key: str, p: float, today: int, good: int) -> Limit:
    sessions = len(np.unique(sample.codes))
    if row is None:
        why = (
            f"kept: {counted(len(sample.values), 'return')} in {counted(sessions, 'session')}, 10 in 3 are needed"
            if not enough(sample)
            else f"kept: enough returns of only {counted(good, 'type')}, {MIN_TYPES} are needed; "
            "the overall limit holds"
        )
        return Limit(
            "returns",
            key,
            "est. tokens",
            today,
            None,
            len(sample.values),
            sessions,
            "returns",
            f"p{100 * p:.0f}, shrunk to the mean of the types",
            agent_type=sample.name,
            why=why,
        )
    return Limit(
        "returns",
        key,
        "est. tokens",
        today,
        readable(row.value, row.low, row.high),
        row.n,
        row.sessions,
        "returns",
        f"p{100 * p:.0f}, shrunk to the mean of the types",
        agent_type=sample.name,
        estimate=row.value,
        low=row.low,
        high=row.high,
        bounded=True,
        extra={"raw": row.raw, "shrunk_by": row.weight},
    )


def ordered_pair(limit: Limit, limits: list[Limit]) -> Limit:
    """A file limit at or below its pass limit would leave no compress tier: then both stay."""
    mates = [m for m in limits if m.agent_type == limit.agent_type and m.value is not None]
    pair = {m.key: m.value for m in mates}
    if limit.value is None or len(pair) < 2 or int(pair["passTokens"] or 0) < int(pair["fileTokens"] or 0):
        return limit
    return replace(limit, value=None, why="kept: the fitted file limit would not lie above the pass limit")
