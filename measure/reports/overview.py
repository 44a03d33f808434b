"""What was used, by kind of token, model and thread. No Polars here: the store answers this report without it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

from measure.reports.model import Filters, Report, Show, Table
from measure.reports.words import cell, counted

if TYPE_CHECKING:
    import polars as pl

    from measure.frames import Frames

KINDS = (
    ("uncached input", "input_tokens"),
    ("cache read", "cache_read_tokens"),
    ("cache write", "cache_write_tokens"),
    ("  for 5 minutes", "cache_write_5m_tokens"),
    ("  for 1 hour", "cache_write_1h_tokens"),
    ("  of unknown life", "cache_write_unknown_tokens"),
    ("output", "output_tokens"),
)
MODEL = (
    Show("model"),
    Show("requests"),
    Show("input_tokens", "input"),
    Show("cache_read_tokens", "cache read"),
    Show("cache_write_tokens", "cache write"),
    Show("output_tokens", "output"),
)
THREAD = (
    Show("agent_type", "thread"),
    Show("threads"),
    Show("requests"),
    Show("total_input_tokens", "total input"),
    Show("input_share", "share"),
    Show("output_tokens", "output"),
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Everything the overview says, as plain values; the rows have the columns of `usage.by`."""

    totals: dict[str, Any]
    by_model: list[dict[str, Any]]
    by_thread: list[dict[str, Any]]
    sessions: int
    agents: int
    projects: int
    first: datetime | None
    last: datetime | None
    replays: int = 0
    from_progress: int = 0


def count(frames: Frames) -> Counts:
    """The counts of some frames."""
    import polars as pl

    from measure.metrics import usage
    from measure.reports.rows import thread_kind

    requests = frames.requests
    return Counts(
        totals=usage.totals(requests),
        by_model=models(usage.by(requests, "model")),
        by_thread=threads(
            usage.by(requests, thread_kind()),
            frames.agents.group_by(thread_kind()).agg(pl.len().cast(pl.Int64).alias("threads")),
        ),
        sessions=frames.sessions.height,
        agents=frames.agents["agent_id"].count(),
        projects=requests["project"].drop_nulls().n_unique(),
        first=cast("datetime | None", requests["ts"].min()),
        last=cast("datetime | None", requests["ts"].max()),
        replays=int(requests["is_replay"].sum()),
        from_progress=int(requests["from_progress"].sum()),
    )


def models(sums: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of `by_model`."""
    return sums.sort("requests", "model", descending=[True, False]).to_dicts()


def threads(sums: pl.DataFrame, number: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of `by_thread`; `number` has the `threads` of each `agent_type`."""
    rows = sums.sort("total_input_tokens", "agent_type", descending=[True, False])
    return rows.join(number, on="agent_type", how="left", maintain_order="left").to_dicts()


def build(frames: Frames, filters: Filters) -> Report:
    """The report `overview`."""
    return told(count(frames), filters)


def told(counts: Counts, filters: Filters) -> Report:
    """The report from its counts, wherever they come from."""
    totals = counts.totals
    prompt = totals["total_input_tokens"]
    for row in counts.by_thread:
        row["input_share"] = row["total_input_tokens"] / prompt if prompt else None
    kinds = [{"kind": name, "tokens": totals[column]} for name, column in KINDS]
    return Report(
        name="overview",
        title="Overview",
        rows=counts.by_model,
        tables=[
            Table("", kinds, (Show("kind", "tokens"), Show("tokens", " ", "count"))),
            Table("By model", counts.by_model, MODEL),
            Table("By thread", counts.by_thread, THREAD),
        ],
        totals=totals | {"sessions": counts.sessions, "agents": counts.agents, "projects": counts.projects},
        lead=[_lead(counts, filters)],
        notes=_notes(counts),
        extra={"by_model": counts.by_model, "by_thread": counts.by_thread},
        empty="No requests found.",
    )


def _lead(counts: Counts, filters: Filters) -> str:
    zone = ZoneInfo(filters.timezone)
    parts = f"{counted(counts.totals['requests'], 'request')} in {counted(counts.sessions, 'session')}"
    parts += f" and {counted(counts.agents, 'agent run')}"
    if counts.first is None or counts.last is None:
        return parts + "."
    first, last = (cell(ts, "time", zone) for ts in (counts.first, counts.last))
    return f"{parts}, {first} to {last} ({filters.timezone})."


def _notes(counts: Counts) -> list[str]:
    notes = []
    low = counts.totals["output_lower_bound_requests"]
    if low:
        notes.append(f"The output of {counted(low, 'request')} was never written in full: it is a lower bound.")
    if counts.replays:
        notes.append(f"Counted once though under several request ids (replays): {counted(counts.replays, 'response')}.")
    if counts.from_progress:
        notes.append(f"Known from progress records only: {counted(counts.from_progress, 'request')}.")
    return notes
