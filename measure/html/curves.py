"""Context curves as plain data for the page's script: one entry a session, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from measure.names import short_project
from measure.plots.marks import no_marks

if TYPE_CHECKING:
    from measure.plots.marks import Marks

MOST_REQUESTS = 50_000
"""Requests whose curves fit into a page that a browser still opens at once (about 45 bytes each)."""

# Column of `requests` -> key in the page's data.
VALUES = {
    "context_tokens": "context",
    "cache_read_tokens": "read",
    "cache_write_tokens": "write",
    "output_tokens": "output",
}


def curves(
    requests: pl.DataFrame,
    compactions: pl.DataFrame,
    marks: Marks = no_marks,
    most: int = MOST_REQUESTS,
) -> tuple[list[dict[str, Any]], int]:
    """Sessions with a known context, newest first, and how many were left out to keep the page small.

    A `usd` column of `requests` is shown where it is there. `marks` gives a thread's
    lines. Whole sessions are kept until `most` requests are reached; the newest is always kept.
    """
    known = requests.filter(pl.col("context_tokens").is_not_null() & pl.col("session_id").is_not_null())
    order = (
        known.group_by("session_id", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("ts").max().alias("last"))
        .sort("last", descending=True, nulls_last=True)
        .with_columns(before=pl.col("n").cum_sum() - pl.col("n"))
    )
    kept = order.filter((pl.col("before") + pl.col("n") <= most) | (pl.col("before") == 0))["session_id"].to_list()
    cuts = compactions.partition_by("session_id", as_dict=True, include_key=True)
    parts = known.filter(pl.col("session_id").is_in(kept)).partition_by("session_id", as_dict=True)
    found = [_session(parts[(name,)], cuts.get((name,)), marks) for name in kept]
    return found, order.height - len(kept)


def _session(
    part: pl.DataFrame,
    cuts: pl.DataFrame | None,
    marks: Marks,
) -> dict[str, Any]:
    started = part["ts"].min()
    threads = part.sort("step").partition_by("agent_id", as_dict=True, maintain_order=True)
    agents = sorted((key for (key,) in threads if key is not None), key=lambda key: _start(threads[(key,)]))
    names = ([None] if (None,) in threads else []) + agents
    made = [_thread(threads[(name,)], name, _segments(cuts, name), marks) for name in names]
    return {
        "id": str(part["session_id"][0])[:8],
        "project": short_project(part["project"][0]),
        "started": _seconds(started),
        "requests": part.height,
        "threads": made,
    }


def _start(part: pl.DataFrame) -> float:
    return _seconds(part["ts"].min()) or float("inf")


def _seconds(ts: Any) -> float | None:
    return None if ts is None else round(ts.timestamp())


def _segments(cuts: pl.DataFrame | None, agent: str | None) -> list[int]:
    if cuts is None:
        return []
    mine = cuts.filter(pl.col("agent_id").eq_missing(pl.lit(agent, pl.String)))
    return mine["segment"].drop_nulls().to_list()


def _thread(
    part: pl.DataFrame,
    agent: str | None,
    ended: list[int],
    marks: Marks,
) -> dict[str, Any]:
    kinds = part["agent_type"].drop_nulls()
    models = part["model"].drop_nulls()
    kind = kinds[0] if len(kinds) else None
    model = models.mode().sort()[0] if len(models) else None
    segments = part["segment"].fill_null(0)
    thread: dict[str, Any] = {
        "name": "main" if agent is None else kind or "(unknown)",
        "agent": agent and agent[-4:],
        "model": model,
        "step": (part["step"] + 1).to_list(),
        "at": [_seconds(ts) for ts in part["ts"]],
        "compacted": sorted({(segments <= segment).sum() for segment in ended}),
        "marks": [[mark.tokens, mark.label, mark.line] for mark in marks(agent is None, kind, model)],
    }
    thread |= {key: part[column].to_list() for column, key in VALUES.items()}
    if "usd" in part.columns:
        thread["usd"] = [None if usd is None else float(f"{usd:.6g}") for usd in part["usd"]]
    return thread
