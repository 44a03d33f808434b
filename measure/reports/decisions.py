"""What the compaction hook decided, from its log, beside the compactions that the transcripts hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from hooks.runtime.paths import project_root, user_folder
from measure.reports.model import Show, Table
from measure.reports.rows import thread_kind
from measure.transcripts.find import reason

if TYPE_CHECKING:
    from measure.frames import Frames

COUNTED = ("nudge", "armed", "arm-refused", "disarmed", "held", "passed", "compact-unseen", "brief-seated")
SHOW = (
    Show("agent_type", "thread"),
    Show("compactions", "in transcripts"),
    Show("passed"),
    Show("held"),
    Show("nudge", "nudges"),
    Show("armed"),
    Show("arm_refused", "refused"),
    Show("compact_unseen", "unseen"),
    Show("limit_tokens", "limit"),
)
LOG_SCHEMA = {
    "session": pl.String(),
    "agent": pl.String(),
    "type": pl.String(),
    "decision": pl.String(),
    "tokens": pl.Int64(),
    "limit": pl.Int64(),
}


def folders(frames: Frames) -> list[Path]:
    """Where logs may lie: the project in which we stand, the user's folder, and the projects of the sessions."""
    user = user_folder()
    places = [Path(project_root()) / ".claude"] + ([Path(user)] if user else [])
    known = frames.sessions["project"].drop_nulls().unique().to_list()
    places += [Path(name) / ".claude" for name in sorted(known) if Path(name).is_absolute()]
    return [place / "setpoint" / "log" for place in dict.fromkeys(places)]


def logged(frames: Frames, unread: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Rows of the compaction feature about the sessions at hand; a torn line is passed over.

    A log that cannot be read is added to `unread`, with the reason.
    """
    sessions = set(frames.sessions["session_id"].to_list())
    for folder in folders(frames):
        for path in sorted(folder.glob("????-??-??.jsonl")):
            try:
                lines = path.read_bytes().split(b"\n")
            except OSError as error:
                unread.append((str(path), reason(error)))
                continue
            for line in lines:
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if isinstance(row, dict) and row.get("feature") == "compaction" and row.get("session") in sessions:
                    yield {key: row.get(key) for key in LOG_SCHEMA}


def rows(frames: Frames, unread: list[tuple[str, str]]) -> pl.DataFrame:
    """One row an agent type (main first): its compactions in the transcripts, the hook's decisions, the last limit.

    Empty where no log tells of these sessions; logs that cannot be read are added to `unread`. One row of the log may
    hold several decisions ("armed+nudge").
    """
    log = pl.DataFrame(list(logged(frames, unread)), schema=LOG_SCHEMA, strict=False)
    if log.is_empty():
        return pl.DataFrame()
    kind = pl.when(pl.col("agent").is_null()).then(pl.lit("main")).otherwise(pl.col("type").fill_null("(unknown)"))
    each = log.with_columns(kind.alias("agent_type"), pl.col("decision").str.split("+")).explode("decision")
    counts = each.group_by("agent_type").agg(
        *((pl.col("decision") == name).sum().cast(pl.Int64).alias(name.replace("-", "_")) for name in COUNTED),
        pl.col("limit").filter(pl.col("decision").is_in(["held", "passed"])).last().alias("limit_tokens"),
    )
    seen = frames.compactions.with_columns(thread_kind()).group_by("agent_type").agg(pl.len().cast(pl.Int64))
    return (
        counts.join(seen.rename({"len": "compactions"}), on="agent_type", how="left")
        .with_columns(pl.col("compactions").fill_null(0))
        .sort(pl.col("agent_type") != "main", "agent_type")
    )


def table(frames: Frames) -> tuple[list[Table], list[str]]:
    """The table for people (none where no log tells of these sessions), and a note for each log it had to leave out."""
    unread: list[tuple[str, str]] = []
    found = rows(frames, unread)
    notes = [
        f"A log of the hook could not be read, its decisions are not counted: {path}: {why}." for path, why in unread
    ]
    return ([Table("Decided by the hook (its log)", found, SHOW)] if len(found) else []), notes
