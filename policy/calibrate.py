"""Characters per token, measured on the transcripts themselves: what a text of known size added to the context.

Between two requests of a segment the context grows by the first one's answer, by the results that came back, and by
the client's own hidden notes. So growth - output = intercept + chars / factor, over steps where tool results came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from measure.frames.runs import along, in_thread_order, runs
from measure.reports.words import counted
from policy.fit.student import quantile as t_quantile
from policy.rebuilds import THREAD

Floats = NDArray[np.float64]
KEY = (*THREAD, "step")
_JUDGED = (
    *("model", "segment", "context_tokens", "output_tokens", "output_is_lower_bound", "stop_reason"),
    *("is_replay", "from_progress"),
)
FALLBACK = 4.0
"""Characters per token where nothing can be measured: the rule of thumb that the client's own estimate uses."""
LEAST_STEPS = 30
MOST_STEPS = 4_000  # the latest of them: the interval is within 1 % of the factor by then
GROUPS = 40
LEAST_THREADS = 10
BISQUARE = 4.685  # 95 % efficiency for normal errors (Holland & Welsch 1977)
NORMAL_MAD = 1.4826
ROUNDS = 50
ROUNDING = 0.3  # standard deviation of a count rounded to whole tokens: residuals of exact data are not below it


@dataclass(frozen=True, slots=True)
class Factor:
    """Characters per token of one model. `low` and `high` are the ends of its 95 % interval; None for a fallback.

    `intercept` is what a step adds beside its texts, in tokens; `steps` and `threads` say what it rests on.
    """

    model: str | None
    chars_per_token: float
    low: float | None
    high: float | None
    intercept: float | None
    steps: int
    threads: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The factors of all models; a model that is not among them falls back."""

    factors: Mapping[str | None, Factor] = field(default_factory=dict)

    def of(self, model: str | None) -> Factor:
        """The factor of a model as written in the records."""
        fallback = Factor(model, FALLBACK, None, None, None, 0, 0, f"no measured steps: {FALLBACK:g} taken instead")
        return self.factors.get(model, fallback)

    def chars_per_token(self, model: pl.Expr) -> pl.Expr:
        """The factor for a column of models."""
        known = {name: f.chars_per_token for name, f in self.factors.items() if name is not None}
        return model.replace_strict(known, default=FALLBACK, return_dtype=pl.Float64())


def calibrate(
    requests: pl.DataFrame, tool_calls: pl.DataFrame, returns: pl.DataFrame, models: Sequence[str] | None = None
) -> Calibration:
    """Factors of `models` (none named: of every model in `requests`), by robust regression over `growth` steps."""
    steps = growth(requests, tool_calls, returns)
    models = requests["model"].unique().drop_nulls().sort().to_list() if models is None else sorted(models)
    factors: dict[str | None, Factor] = {m: factor(m, steps.filter(pl.col("model") == m)) for m in models}
    return Calibration(factors)


def growth(requests: pl.DataFrame, tool_calls: pl.DataFrame, returns: pl.DataFrame) -> pl.DataFrame:
    """One row a step of a thread at which tool results came: `chars` added, `tokens` grown beside the answer.

    Left out: the first request of a segment, replays, progress copies, answers without a final output figure, steps
    with images or documents, and steps after an answer that did not end in a tool call (a user's words came too).
    """
    rows = in_thread_order(requests.filter(pl.col("context_tokens") > 0).select(*KEY, *_JUDGED), "step")
    run, threads = runs(rows, THREAD)
    rows, threads = rows.with_columns(run.alias("_thread")), threads.with_row_index("_thread")
    results = tool_calls.select(*THREAD, pl.col("result_step").alias("step"), "result_chars", "images")
    results = (
        along(results.filter(pl.col("step").is_not_null()), threads, THREAD)
        .group_by("_thread", "step")
        .agg(pl.col("result_chars").sum(), pl.col("images").sum(), pl.col("result_chars").null_count().alias("_blind"))
    )
    delivered = returns.filter(pl.col("route") != "tool_result").select(
        "session_id",
        pl.col("caller_agent_id").alias("agent_id"),
        pl.col("caller_step").alias("step"),
        pl.col("caller_chars").alias("_delivered"),
    )
    delivered = along(delivered, threads, THREAD).group_by("_thread", "step").agg(pl.col("_delivered").sum())

    def last(name: str) -> pl.Expr:
        return pl.when(pl.col("_thread") == pl.col("_thread").shift(1)).then(pl.col(name).shift(1))

    return (
        rows.with_columns(tokens=pl.col("context_tokens") - last("context_tokens") - last("output_tokens"))
        .filter(
            (pl.col("segment") == last("segment"))
            & (pl.col("model") == last("model"))
            & (pl.col("step") == last("step") + 1),
            last("stop_reason").fill_null("tool_use") == "tool_use",
            ~last("output_is_lower_bound").fill_null(value=True),
            ~pl.col("is_replay").fill_null(value=False) & ~last("is_replay").fill_null(value=False),
            ~pl.col("from_progress").fill_null(value=False) & ~last("from_progress").fill_null(value=False),
        )
        .join(results, on=("_thread", "step"), maintain_order="left")
        .filter((pl.col("images").fill_null(0) == 0) & (pl.col("_blind") == 0))
        .join(delivered, on=("_thread", "step"), how="left", maintain_order="left")
        .with_columns(chars=pl.col("result_chars") + pl.col("_delivered").fill_null(0))
        .select(*KEY, "model", "chars", "tokens")
    )


def factor(model: str | None, steps: pl.DataFrame) -> Factor:
    """The factor of one model from its `growth` rows; a fallback with its reason where they do not carry one."""
    threads = steps.select(THREAD).n_unique() if steps.height else 0
    if steps.height < LEAST_STEPS:
        return _fallback(
            model, steps.height, threads, f"only {counted(steps.height, 'measured step')}, {LEAST_STEPS} needed"
        )
    steps = steps.tail(MOST_STEPS)
    chars, tokens = (steps[name].to_numpy().astype(np.float64) for name in ("chars", "tokens"))
    intercept, slope = regress(chars, tokens)
    spread = jackknife(chars, tokens, groups(steps, threads))
    reach = t_quantile(0.975, spread.rounds - 1) * spread.slope
    if slope - reach <= 0:
        return _fallback(model, steps.height, threads, "the growth of the context does not follow the characters")
    return Factor(model, 1 / slope, 1 / (slope + reach), 1 / (slope - reach), intercept, steps.height, threads)


def _fallback(model: str | None, steps: int, threads: int, why: str) -> Factor:
    return Factor(model, FALLBACK, None, None, None, steps, threads, f"{why}: {FALLBACK:g} taken instead")


def groups(steps: pl.DataFrame, threads: int) -> NDArray[np.int64]:
    """Group of each row for the jackknife: whole threads, or, with few of them, runs of neighbouring steps."""
    if threads >= LEAST_THREADS:
        return (steps.select(pl.struct(THREAD).rle_id().alias("t"))["t"].to_numpy() % GROUPS).astype(np.int64)
    parts = min(GROUPS // 2, steps.height // 3)
    return (np.arange(steps.height) * parts // steps.height).astype(np.int64)


def regress(chars: Floats, tokens: Floats, start: tuple[float, float] | None = None) -> tuple[float, float]:
    """Intercept and slope by a bisquare M-estimate, begun at `start` or at the least absolute deviations.

    The spread of a residual is taken to grow with the size of its text, so that neither the many short results nor a
    few long ones decide alone.
    """
    scale = (chars + max(_median(chars), 1.0)) ** -1.0
    least = ROUNDING * _median(scale)
    line = start or _iterate(chars, tokens, scale, _solve(chars, tokens, scale**2), least, bisquare=False)
    return _iterate(chars, tokens, scale, line, least, bisquare=True)


def _iterate(
    chars: Floats, tokens: Floats, scale: Floats, line: tuple[float, float], least: float, *, bisquare: bool
) -> tuple[float, float]:
    """Reweighted least squares until the line stands still."""
    square = scale**2
    for _ in range(ROUNDS):
        left = np.abs(tokens - line[0] - line[1] * chars) * scale
        sigma = max(NORMAL_MAD * _median(left), least)
        if bisquare:
            weights = np.clip(1 - (left / (BISQUARE * sigma)) ** 2, 0, None) ** 2
        else:
            weights = 1 / np.maximum(left, 1e-3 * sigma)
        new = _solve(chars, tokens, weights * square)
        if all(abs(now - was) <= 1e-9 + 1e-6 * abs(was) for now, was in zip(new, line, strict=True)):
            return new
        line = new
    return line


def _median(values: Floats) -> float:
    """NumPy's own takes three times as long, most of it for cases that cannot be here."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1]
    return float(low + high) / 2


def _solve(chars: Floats, tokens: Floats, weights: Floats) -> tuple[float, float]:
    """Weighted least squares of a line: intercept and slope."""
    total = float(weights.sum())
    x, y = float(weights @ chars) / total, float(weights @ tokens) / total
    spread = float(weights @ (chars - x) ** 2)
    slope = float(weights @ ((chars - x) * (tokens - y))) / spread if spread > 0 else 0.0
    return y - slope * x, slope


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard error of the slope and the number of groups that it rests on."""

    slope: float
    rounds: int


def jackknife(chars: Floats, tokens: Floats, group: NDArray[np.int64]) -> Spread:
    """Delete-one-group jackknife of the slope: steps of one thread are alike, so whole groups leave together."""
    names = np.unique(group)
    line = regress(chars, tokens)
    slopes = np.array([regress(chars[group != g], tokens[group != g], line)[1] for g in names])
    variance = (len(names) - 1) / len(names) * float(np.sum((slopes - slopes.mean()) ** 2))
    return Spread(float(np.sqrt(variance)), len(names))
