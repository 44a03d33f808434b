"""What each mode of the reads guard would have saved or cost on the Bash prints of the past.

A deny sends its words in the place of the text, and costs a step: the thread reads its context again and answers.
Where the context already holds the lines, that answer goes on without them, but for the share that reads them all
the same; where it does not, the text comes in through Read, and only the step has been paid. A note is sent besides
the text: what it changes afterwards no transcript tells, so it only costs here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from measure.reports.words import counted
from policy.carry import carry_on
from policy.fit.folds import interval
from policy.fit.inputs import Priced
from policy.fit.quantiles import Floats
from policy.fit.returns_cost import PRIORS, REQUEST_OUTPUT
from policy.rebuilds import THREAD

if TYPE_CHECKING:
    from measure.frames import Frames

HELD = ("same", "contained")
WORDS_CHARS = 200  # what the guard says, with one path of usual length
MIN_SESSIONS = 10
DENY, NOTE = "deny", "note"


@dataclass(frozen=True, slots=True)
class Mode:
    """One setting of the guard: dollars saved against none (negative: it costs), with its interval over sessions."""

    mode: str
    repeat_only: bool
    acted: int
    chars: int
    saved_usd: float
    low: float
    high: float
    sessions: int

    @property
    def name(self) -> str:
        """The setting in words."""
        return f"{self.mode}, {'only what is already held' if self.repeat_only else 'every print'}"


def prints(frames: Frames) -> pl.DataFrame:
    """One row a Bash call that only printed files: its thread, `step`, `chars`, and whether all of it was `held`."""
    calls = frames.tool_calls
    own = frames.reads.filter(pl.col("via") == "Bash").group_by(*THREAD, "tool_use_id", maintain_order=True)
    held = pl.col("repeat").is_in(HELD).all()
    sizes = calls.select(*THREAD, "tool_use_id", pl.col("result_chars").alias("chars")).unique(
        (*THREAD, "tool_use_id"), keep="first", maintain_order=True
    )
    rows = own.agg(held.alias("held"), pl.col("result_step").first().alias("step"))
    return rows.join(sizes, on=(*THREAD, "tool_use_id"), how="left", nulls_equal=True, maintain_order="left")


def priced_prints(data: Priced) -> pl.DataFrame:
    """The prints of closed sessions with prices: `carry_usd`, `words_usd` to carry what the guard says, `step_usd`."""
    rows = prints(data.frames).filter(~pl.col("session_id").is_in(sorted(data.open_sessions)))
    steps = data.steps.select(*THREAD, "step", "context_tokens", "rate_read", "rate_output")
    paid = carry_on(rows, data.prepared, data.calibration)
    paid = paid.join(steps, on=(*THREAD, "step"), how="left", nulls_equal=True, maintain_order="left")
    again = pl.col("context_tokens") * pl.col("rate_read") + REQUEST_OUTPUT * pl.col("rate_output")
    return paid.with_columns(
        step_usd=again,
        words_usd=pl.col("carry_usd") * WORDS_CHARS / pl.col("chars").clip(lower_bound=1),
    ).filter(pl.col("carry_usd").is_not_null() & pl.col("step_usd").is_not_null() & (pl.col("chars") > 0))


def modes(rows: pl.DataFrame) -> list[Mode]:
    """Every setting over the rows of `priced_prints`; none where there are none."""
    if not rows.height:
        return []
    out = []
    for mode in (DENY, NOTE):
        for repeat_only in (True, False):
            acted = rows.filter("held") if repeat_only else rows
            saved = _denied(acted) if mode == DENY else -acted["words_usd"].to_numpy()
            low, high, sessions = _interval(rows, acted, saved)
            total, chars = float(saved.sum()), int(acted["chars"].sum())
            out.append(Mode(mode, repeat_only, acted.height, chars, total, low, high, sessions))
    return out


def _denied(rows: pl.DataFrame) -> Floats:
    """Dollars saved by each deny."""
    share = PRIORS["read_back_share"].value
    kept = rows["held"].to_numpy() * (1 - share) * rows["carry_usd"].to_numpy()
    spent = rows["step_usd"].to_numpy() + rows["words_usd"].to_numpy()
    return np.asarray(kept - spent, np.float64)


def _interval(rows: pl.DataFrame, acted: pl.DataFrame, saved: Floats) -> tuple[float, float, int]:
    """Over all sessions with a print: one in which nothing was acted on saved nothing."""
    order = {session: at for at, session in enumerate(rows["session_id"].unique(maintain_order=True))}
    sums = np.zeros(len(order))
    codes = [order[session] for session in acted["session_id"]]
    np.add.at(sums, codes, saved)
    low, high = interval(sums)
    return low, high, len(order)


def advice(found: list[Mode]) -> str:
    """The mode to set: deny where it saves beyond doubt, else the default that only tells."""
    usual = "keep the default (note, only what is already held)"
    if not found:
        return f"{usual}: no Bash print in a closed, priced session"
    best = max((mode for mode in found if mode.mode == DENY), key=lambda mode: mode.saved_usd)
    if best.sessions < MIN_SESSIONS:
        return f"{usual}: {counted(best.sessions, 'session')} with Bash prints, {MIN_SESSIONS} are needed"
    if best.low <= 0:
        return f"{usual}: a deny saves no money beyond doubt"
    return f"set {best.name}"
