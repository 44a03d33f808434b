"""From one row a record to one row a thread (`spans`) and a file: times, folders, and what became of the lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from measure.transcripts.build import TIME_FORMAT
from measure.transcripts.find import Found, place_of
from measure.transcripts.raw import BY_NAME

_KEY = ("file", "session_id", "agent_id", "sidechain")
_STATES = {"used": 2, "bookkeeping": 1, "unknown": 0}


def spans(records: pl.DataFrame) -> pl.DataFrame:
    """One row a (file, thread as written); its place is that of its first record with a time."""
    timed = pl.col("ts").is_not_null()
    named = pl.col("cwd").is_not_null()
    rows = records.group_by(_KEY, maintain_order=True).agg(
        pl.coalesce(pl.col("line").filter(timed).first(), pl.col("line").first()).alias("line"),
        pl.col("ts").drop_nulls().first(),
        pl.when(timed.any()).then(pl.col("uuid").filter(timed).first()).otherwise(pl.col("uuid").first()).alias("uuid"),
        pl.col("ts").max().alias("last_ts"),
        pl.col("ts").min().alias("first_ts"),
        pl.len().cast(pl.Int64).alias("records"),
        pl.col("cwd").drop_nulls().first(),
        pl.col("version").filter(named).last(),
    )
    return rows.select(BY_NAME["spans"].names)


def merged_spans(parts: pl.DataFrame) -> pl.DataFrame:
    """Spans of a file that was read in several batches, in the order of its lines, made one."""
    if not parts.select(_KEY).is_duplicated().any():
        return parts
    timed = pl.col("ts").is_not_null()
    rows = parts.group_by(_KEY, maintain_order=True).agg(
        pl.coalesce(pl.col("line").filter(timed).first(), pl.col("line").first()).alias("line"),
        pl.col("ts").drop_nulls().first(),
        pl.when(timed.any()).then(pl.col("uuid").filter(timed).first()).otherwise(pl.col("uuid").first()).alias("uuid"),
        pl.col("last_ts").max(),
        pl.col("first_ts").min(),
        pl.col("records").sum(),
        pl.col("cwd").drop_nulls().first(),
        pl.col("version").filter(pl.col("cwd").is_not_null()).last(),
    )
    return rows.select(parts.columns)


def files(records: pl.DataFrame) -> pl.DataFrame:
    """One row a file: its records by state, first time, session and folder, and the threads that talk in it."""
    main = pl.col("talk") & ~pl.col("sidechain")
    aside = pl.col("talk") & pl.col("sidechain") & pl.col("agent_id").is_not_null()
    return records.group_by("file", maintain_order=True).agg(
        *((pl.col("state") == code).sum().cast(pl.Int64).alias(name) for name, code in _STATES.items()),
        pl.col("ts").drop_nulls().first().dt.strftime(TIME_FORMAT).alias("first_ts"),
        pl.col("session_id").drop_nulls().first(),
        pl.col("cwd").drop_nulls().first(),
        main.sum().cast(pl.Int64).alias("main_turns"),
        pl.col("agent_id").filter(aside).unique().alias("agents"),
    )


def merged_files(rows: Iterable[Mapping[str, Any]]) -> dict[int, dict[str, Any]]:
    """The rows of `files` by file, those of several batches (earlier ones first) added up."""
    out: dict[int, dict[str, Any]] = {}
    for row in rows:
        out[row["file"]] = added(out.get(row["file"]), row)
    return out


def added(earlier: Mapping[str, Any] | None, later: Mapping[str, Any] | None) -> dict[str, Any]:
    """Two parts of one file's sums as one; the first time, session and folder are those of the earlier part."""
    if not earlier or not later:
        return dict(earlier or later or {})
    out = dict(earlier)
    for name in (*_STATES, "main_turns"):
        out[name] += later[name]
    for name in ("first_ts", "session_id", "cwd"):
        out[name] = later[name] if out[name] is None else out[name]
    out["agents"] = sorted({*out["agents"], *later["agents"]})
    return out


def identity(one: Found, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Kind, session and agent of a file: what its place says, corrected by what its records say."""
    agents = sums.get("agents") or []
    own_agent = agents[0] if len(agents) == 1 and not sums.get("main_turns") else None
    session = sums.get("session_id")
    kind, placed, agent = place_of(one.path)
    if kind == "old agent" and own_agent is None:
        kind, agent = "main", None
    elif kind == "main" and own_agent is not None:
        kind, agent = "old agent", own_agent
    elif own_agent is not None:
        agent = own_agent
    named = session if kind == "old agent" else placed or session
    first = {name: sums.get(name) for name in ("first_ts", "cwd")}
    return {"kind": kind, "session_id": named, "agent_id": agent} | first
