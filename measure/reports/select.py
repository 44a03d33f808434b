"""Filters applied to frames: every frame keeps its schema, sums are counted again over what is left."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from measure.frames.sums import whole_of
from measure.metrics.usage import PROMPT, known_sum
from measure.reports.model import Filters

if TYPE_CHECKING:
    from measure.frames import Frames

MAIN = "main"
TIMED = ("requests", "returns", "tool_calls", "reads", "compactions", "events")
THREAD = ("session_id", "agent_id")
SESSION_SUMS = (*PROMPT, "output_tokens")


def select(frames: Frames, filters: Filters) -> Frames:
    """Frames that hold only what the filters let through; the same frames when there is no filter.

    Rows without a time pass no window. A filter by model keeps the requests of that model, and of the other frames
    the rows of the threads that used it.
    """
    if not (filters.since or filters.until or filters.models or _thread_filters(filters)):
        return frames
    timed = {name: _rows(getattr(frames, name), filters) for name in TIMED}
    requests = _of_model(timed["requests"], filters.models)
    agents = _threads(frames.agents, filters)
    if filters.models:
        used = requests.select(THREAD).unique()
        timed = {name: frame.join(used, on=THREAD, how="semi", nulls_equal=True) for name, frame in timed.items()}
        agents = agents.join(used, on=THREAD, how="semi", nulls_equal=True)
    timed["requests"] = requests
    if filters.since or filters.until:
        agents = _in_window(agents, filters, timed)
    agents = recount_agents(agents, timed)
    sessions = recount_sessions(_sessions(frames.sessions, filters, agents), agents, timed)
    if filters.since or filters.until or filters.models or filters.agent_types:
        # The client's own totals are those of the whole session: nothing is known about a part of it.
        untracked = [c for c in sessions.columns if c.startswith("untracked_")]
        sessions = sessions.with_columns(pl.lit(None, pl.Int64).alias(c) for c in untracked)
    out = copy(frames)
    out.unfiltered = frames
    for name, frame in (timed | {"agents": agents, "sessions": sessions}).items():
        setattr(out, name, frame)
    return out


def _thread_filters(filters: Filters) -> bool:
    return bool(filters.projects or filters.sessions or filters.agent_types)


def _rows(frame: pl.DataFrame, filters: Filters) -> pl.DataFrame:
    if filters.since:
        frame = frame.filter(pl.col("ts") >= filters.since)
    if filters.until:
        frame = frame.filter(pl.col("ts") < filters.until)
    return _threads(frame, filters)


def _threads(frame: pl.DataFrame, filters: Filters) -> pl.DataFrame:
    """Rows of the threads asked for."""
    if filters.projects:
        frame = frame.filter(_project(filters.projects))
    if filters.sessions:
        frame = frame.filter(pl.any_horizontal(pl.col("session_id").str.starts_with(s) for s in filters.sessions))
    if filters.agent_types and "agent_type" in frame.columns:
        kinds = [kind for kind in filters.agent_types if kind != MAIN]
        wanted = pl.col("agent_type").is_in(kinds) & pl.col("agent_id").is_not_null()
        if MAIN in filters.agent_types:
            wanted = wanted | pl.col("agent_id").is_null()
        frame = frame.filter(wanted.fill_null(False))
    return frame


def _project(wanted: tuple[str, ...]) -> pl.Expr:
    """A project by its path, or by the last folders of it."""
    column = pl.col("project").str.replace_all("\\", "/", literal=True)
    tests = []
    for text in wanted:
        name = str(Path(text).expanduser()).replace("\\", "/").rstrip("/")
        tests.append((column == name) | column.str.ends_with("/" + name.lstrip("/")))
    return pl.any_horizontal(tests).fill_null(False)


def _of_model(requests: pl.DataFrame, models: tuple[str, ...]) -> pl.DataFrame:
    if not models:
        return requests
    column = pl.col("model").str.to_lowercase()
    wanted = pl.any_horizontal(column.str.contains(m.lower(), literal=True) for m in models)
    return requests.filter(wanted.fill_null(False))


def _in_window(agents: pl.DataFrame, filters: Filters, timed: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Threads with a row in the window, or whose own time overlaps it (a run that made no request)."""
    seen = pl.concat([timed[name].select(THREAD) for name in TIMED]).unique()
    overlap = pl.lit(True)
    if filters.since:
        overlap = overlap & (pl.col("ended") >= filters.since)
    if filters.until:
        overlap = overlap & (pl.col("started") < filters.until)
    silent = agents.filter(overlap & (pl.col("requests") == 0))
    return pl.concat([agents.join(seen, on=THREAD, how="semi", nulls_equal=True), silent]).unique(
        THREAD, keep="first", maintain_order=True
    )


def recount_agents(agents: pl.DataFrame, timed: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """`agents` with every count and context taken from the rows in `timed`."""
    requests = timed["requests"].sort("step", nulls_last=True)
    context = pl.col("context_tokens").drop_nulls()
    new = requests.group_by(THREAD, maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("requests"),
        context.first().alias("first_context_tokens"),
        context.max().alias("peak_context_tokens"),
        context.last().alias("final_context_tokens"),
        *map(known_sum, SESSION_SUMS),
        whole_of(*PROMPT).alias("total_input_tokens"),
    )
    folded = timed["compactions"].group_by(THREAD).agg(pl.len().cast(pl.Int64).alias("compactions"))
    handed = timed["returns"].group_by(THREAD).agg(pl.len().cast(pl.Int64).alias("returns"))
    return _replaced(agents, THREAD, ("compactions",), new, folded, handed)


def _sessions(sessions: pl.DataFrame, filters: Filters, agents: pl.DataFrame) -> pl.DataFrame:
    kept = _threads(sessions, replace(filters, agent_types=()))
    return kept.join(agents.select("session_id").unique(), on="session_id", how="semi")


def recount_sessions(sessions: pl.DataFrame, agents: pl.DataFrame, timed: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """`sessions` with every count and sum taken from what is left."""
    keys = ("session_id",)
    new = timed["requests"].group_by(keys).agg(pl.len().cast(pl.Int64).alias("requests"), *map(known_sum, SESSION_SUMS))
    runs = agents.group_by(keys).agg(pl.col("agent_id").count().cast(pl.Int64).alias("agents"))
    folded = timed["compactions"].group_by(keys).agg(pl.len().cast(pl.Int64).alias("compactions"))
    return _replaced(sessions, keys, ("agents", "compactions"), new, runs, folded)


def _replaced(
    frame: pl.DataFrame, keys: tuple[str, ...], counts: tuple[str, ...], *parts: pl.DataFrame
) -> pl.DataFrame:
    """`frame` with the columns of `parts` in the place of its own, in its order.

    A row without requests has sums of 0 (nothing was used); `counts` are 0 where a part has no row for it; the rest
    is null then.
    """
    schema = frame.schema
    for part in parts:
        frame = frame.drop([c for c in part.columns if c not in keys]).join(
            part, on=keys, how="left", nulls_equal=True, maintain_order="left"
        )
    none = pl.col("requests").is_null()
    zero = [c for c in ("requests", *SESSION_SUMS, "total_input_tokens") if c in frame.columns]
    return (
        frame.with_columns(pl.when(none).then(pl.lit(0, pl.Int64)).otherwise(pl.col(c)).alias(c) for c in zero)
        .with_columns(pl.col(c).fill_null(0) for c in counts)
        .select(schema.names())
        .cast(schema)
    )
