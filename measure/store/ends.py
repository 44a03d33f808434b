"""What the quick overview must know of a file to add to it: its threads, its folders, its last responses."""

from __future__ import annotations

from typing import Any

import polars as pl

from measure.reports.rows import thread_kind
from measure.store.growth import merged, plain, weighed
from measure.transcripts.build import TIME_FORMAT, RawFrames

FILES = 5_000  # the newest: older ones hardly grow
RESPONSES = 3


def ends(raw: RawFrames, requests: pl.DataFrame, paths: list[str]) -> dict[str, dict[str, Any]]:
    """By path; `raw` is not prepared: threads are as written."""
    files = raw["files"].filter(pl.col("path").is_in(pl.Series(paths, dtype=pl.String).implode()))
    numbers = dict(files.select("file", "path").iter_rows())
    out: dict[str, dict[str, Any]] = {path: {"threads": [], "folders": [], "last": {}} for path in numbers.values()}
    kinds = _kinds(requests)
    mine = pl.col("file").is_in(pl.Series(list(numbers), dtype=pl.Int64).implode())
    alone = raw["usage"].filter((pl.col("file").min() == pl.col("file").max()).over("message_id"))
    usage = raw["usage"].filter(mine)
    thread = ["file", "session_id", "agent_id", "sidechain"]
    for file, session, agent, aside in raw["spans"].filter(mine).select(thread).unique().iter_rows():
        kind = kinds.get((session, agent if aside else None), None)
        # A thread without a request yet has no group to be added to; the frames will tell.
        out[numbers[file]]["threads"].append([session, agent, aside, kind])
    for file, folders in usage.group_by("file").agg(pl.col("cwd").unique()).iter_rows():
        out[numbers[file]]["folders"] = folders
    for path, last in _last(alone.filter(mine), numbers).items():
        out[path]["last"] = last
    return out


def _kinds(requests: pl.DataFrame) -> dict[tuple[str, str | None], str]:
    rows = requests.select("session_id", "agent_id", thread_kind()).unique()
    return {(session, agent): kind for session, agent, kind in rows.iter_rows()}


def _last(usage: pl.DataFrame, numbers: dict[int, str]) -> dict[str, dict[str, Any]]:
    """The last responses of each file, all their records weighed together."""
    once = usage.filter(pl.col("message_id").is_not_null()).sort("file", "line")
    own = ~pl.col("from_progress")
    of_response = once.group_by("file", "message_id").agg(
        pl.col("line").filter(own).max().alias("end"), pl.col("request_id").n_unique().alias("requests")
    )
    newest = of_response.filter((pl.col("requests") == 1) & pl.col("end").is_not_null()).sort("file", "end")
    newest = newest.group_by("file").tail(RESPONSES).select("file", "message_id")
    rows = once.filter(own).join(newest, on=("file", "message_id"), how="semi")
    rows = rows.with_columns(pl.col("ts").dt.strftime(TIME_FORMAT))
    out: dict[str, dict[str, Any]] = {}
    for row in rows.iter_rows(named=True):
        of_file = out.setdefault(numbers[row["file"]], {})
        old = of_file.get(row["message_id"])
        of_file[row["message_id"]] = _with(old, row) if old is not False else False
    return {path: {key: one for key, one in last.items() if one} for path, last in out.items()}


def _with(old: dict[str, Any] | None, row: dict[str, Any]) -> Any:
    """`old` and one more record; False where a rule of the frames would be needed."""
    if not plain(row) or (old and row["uuid"] in old["uuids"]):
        return False
    return merged(old, weighed(row)) if old else weighed(row)
