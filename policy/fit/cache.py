"""What the client's own settings would have cost or saved: cache life, and how much of a Bash output is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from measure.reports.words import counted
from policy.carry import carry_on
from policy.fit.folds import interval
from policy.fit.inputs import Priced
from policy.fit.quantiles import encode
from policy.fit.returns_cost import PRIORS, REQUEST_OUTPUT
from policy.rebuilds import other_ttl

BASH_LIMITS = (4_000, 8_000, 16_000, 30_000)
BASH_DEFAULT, PREVIEW = 30_000, 2_150  # the client shows 2 KB and a line with the path
MIN_SESSIONS = 10


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a setting: dollars saved against today (negative: costs more), with its interval over sessions."""

    setting: str
    value: str
    saved_usd: float
    low: float
    high: float
    n: int
    of: str
    sessions: int


def ttl(data: Priced) -> list[Option]:
    """`promptCacheTtl` for main threads, `subagentPromptCacheTtl` for the others, 5m and 1h each, on the own gaps."""
    kind = pl.when(pl.col("agent_id").is_null()).then(pl.lit("main")).otherwise(pl.lit("agents"))
    rows = data.steps.filter(pl.col("usd").is_not_null()).with_columns(
        thread_kind=pl.concat_str(kind, pl.lit("\n"), "session_id")
    )
    if not len(rows):
        return []
    sums = other_ttl(rows).with_columns(_side=pl.col("thread_kind").str.split("\n").list.first())
    counts = rows.group_by(kind.alias("_side")).agg(pl.len().alias("n"))
    count = dict(counts.iter_rows())
    out = []
    for side, setting in (("main", "promptCacheTtl"), ("agents", "subagentPromptCacheTtl")):
        own = sums.filter(pl.col("_side") == side)
        for value in ("5m", "1h"):
            saved = (own["usd"] - own[f"usd_{value}"]).drop_nulls().to_numpy()
            if len(saved):
                low, high = interval(saved)
                out.append(Option(setting, value, float(saved.sum()), low, high, count[side], "requests", len(saved)))
    return out


def bash(data: Priced) -> list[Option]:
    """`bashOutputMaxChars`: outputs above a value leave a 2 KB preview, and some are read back after all.

    Only outputs that were shown whole can tell: what the client already replaced by a preview is not counted.
    """
    shown = data.frames.tool_calls.filter(
        (pl.col("tool") == "Bash")
        & (pl.col("result_chars") > min(BASH_LIMITS))
        & ~pl.col("persisted").fill_null(value=False)
        & ~pl.col("session_id").is_in(sorted(data.open_sessions))
    ).select("session_id", "agent_id", pl.col("result_step").alias("step"), pl.col("result_chars").alias("chars"))
    steps = data.steps.select("session_id", "agent_id", "step", "context_tokens", "rate_read", "rate_output")
    rows = (
        carry_on(shown, data.prepared, data.calibration)
        .join(steps, on=["session_id", "agent_id", "step"], how="left", nulls_equal=True)
        .filter(pl.col("carry_usd").is_not_null() & pl.col("rate_read").is_not_null())
    )
    share = PRIORS["read_back_share"].value
    out = []
    for limit in BASH_LIMITS:
        cut = rows.filter(pl.col("chars") > limit)
        if not len(cut):
            continue
        chars, paid = cut["chars"].to_numpy(), cut["carry_usd"].to_numpy()
        again = (
            cut["context_tokens"].to_numpy() * cut["rate_read"].to_numpy()
            + REQUEST_OUTPUT * cut["rate_output"].to_numpy()
            + paid
        )
        saved = paid * (chars - PREVIEW) / chars - share * again
        sums = np.bincount(encode(cut["session_id"].to_list()), weights=saved).astype(np.float64)
        low, high = interval(sums)
        out.append(
            Option("bashOutputMaxChars", f"{limit}", float(saved.sum()), low, high, len(cut), "outputs", len(sums))
        )
    return out


def advice(options: list[Option]) -> str:
    """What to set: the option that saves most, if its whole interval does and there are sessions enough."""
    best = max(options, key=lambda o: o.saved_usd)
    if best.sessions < MIN_SESSIONS:
        return f"leave it: {counted(best.sessions, 'session')}, {MIN_SESSIONS} are needed"
    if best.low <= 0:
        return "leave it: no value saves money beyond doubt"
    return f"set {best.value}"
