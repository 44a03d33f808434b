"""The overview of everything, part by part: however much there is, only one part of it is in memory.

Each part is read, resolved and counted apart; its groups of files that share nothing (`frames.links`) have sums of
their own. Where groups of several parts turn out to belong together, their sums are dropped and they are read again,
together. What is left adds up to the counts of all frames at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import accumulate
from typing import cast

import polars as pl

from measure.frames import Frames
from measure.frames import agents as _agents
from measure.frames import files as _files
from measure.frames import requests as _requests
from measure.frames.labels import typed
from measure.frames.launches import launches
from measure.frames.links import Links, groups, linked, nodes, together
from measure.frames.ownership import prepare
from measure.horizon import horizon
from measure.metrics import usage
from measure.reports.overview import Counts, models, threads
from measure.reports.rows import thread_kind
from measure.transcripts import cut, processes, scan
from measure.transcripts.build import RawFrames
from measure.transcripts.find import Listing
from measure.transcripts.scan import Progress, Ways

WAYS = Ways(complete=False, sums_only=True)
_ACCOUNT = ("file", "skipped", *_files.COUNTS, "first_damaged_line", "surrogates", "clamped")
_COUNTED = ("requests", "runs", "sessions", "projects")


@dataclass(slots=True)
class Part:
    """What is kept of a part. The tables of counts have the `group` that a row is of; `groups` that of each node.

    `links` are those of the groups; null where no group can be linked to one of another part.
    """

    files: pl.DataFrame
    oldest: datetime | None
    requests: pl.DataFrame
    runs: pl.DataFrame
    sessions: pl.DataFrame
    projects: pl.DataFrame
    groups: list[int]
    links: Links | None

    def drop(self, gone: Collection[int]) -> None:
        """Forget the counts of some groups."""
        for name in _COUNTED if gone else ():
            rows: pl.DataFrame = getattr(self, name)
            setattr(self, name, rows.filter(~pl.col("group").is_in(list(gone))))


def overview(found: Listing, progress: Progress | None = None, size: int = cut.PART_BYTES) -> tuple[Frames, Counts]:
    """Frames of `found` that hold only what is said of files, and `overview.count` of all that they would hold.

    `size` is that of a part in bytes, about. Raises KeyboardInterrupt at Ctrl-C.
    """
    count = processes.workers(sum(one.size for one in found.files))
    listings = cut.parts(found, size, count)
    parts = _counted(listings, progress, alone=len(listings) == 1)
    files = [*(part.files for part in parts), _account(scan.finished({}, {}, Listing(skipped=found.skipped)))]
    frames = Frames(files=pl.concat(files).sort("file"), roots=found.roots)
    frames.bad_roots = [{"path": path, "reason": why} for path, why in found.bad_roots]
    frames.horizon = horizon(found.roots, min((part.oldest for part in parts if part.oldest), default=None))
    again = _linked(listings, parts) if len(parts) > 1 else []
    if again:
        read = sum(one.size for one in found.files)
        parts += _counted(list(cut.packed(again, size)), _after(read, progress), alone=True)
    return frames, _sum(parts)


def _counted(listings: Sequence[Listing], progress: Progress | None, *, alone: bool) -> list[Part]:
    """Each part counted, much at once in several processes."""
    from concurrent.futures.process import BrokenProcessPool

    sizes = [sum(one.size for one in found.files) for found in listings]
    count = min(processes.workers(sum(sizes)), len(listings))
    there = partial(_part, alone=alone)
    done: dict[int, Part] = {}
    if count > 1:
        with suppress(BrokenProcessPool):  # one was killed, for its memory perhaps: what is left is done here
            processes.spread(listings, sizes, count, done, there=there, taken=_as_it_is, here=there, progress=progress)
    for number, found in enumerate(listings):
        if number not in done:
            told = _after(sum(sizes[one] for one in done), progress, sum(sizes))
            done[number] = there(found, told)
    return [done[number] for number in range(len(listings))]


def _as_it_is(part: Part) -> Part:
    return part


def _after(before: int, progress: Progress | None, total: int | None = None) -> Progress | None:
    """What tells of bytes that are read after others, of `total` in all."""
    if progress is None:
        return None
    return lambda done, more: progress(before + done, before + more if total is None else total)


def _part(found: Listing, progress: Progress | None = None, *, alone: bool) -> Part:
    """One part read and counted; `alone`: nothing in it is linked to another one, so that it is all one group."""
    raw = prepare(_raw(found, progress))
    to, named = ([0] * (len(found.files) + len(found.metas)), None) if alone else linked(raw, found)
    placed = _requests.placed(raw)
    raw["usage"] = raw["usage"].drop(_requests.TOLD)  # as in `resolved.resolve`: of what follows none looks at them
    launched = launches(raw)
    requests = _requests.framed(typed(placed, launched))
    runs = typed(_agents.threads(raw, placed, launched), launched)
    sessions = raw["spans"].select("session_id").drop_nulls().unique()
    projects = requests.select("session_id", "project").drop_nulls("project").unique()
    at = _groups_of(raw, found, to)
    return Part(
        files=_account(raw),
        oldest=cast("datetime | None", raw["spans"]["first_ts"].min()),
        requests=_grouped(_requests_of(requests), at),
        runs=_grouped(_runs_of(runs), at),
        sessions=_grouped(sessions, at),
        projects=_grouped(projects, at),
        groups=to,
        links=named,
    )


def _raw(found: Listing, progress: Progress | None) -> RawFrames:
    """The raw tables of a part, read by this process."""
    return scan.of_all(found, scan.read(scan.jobs_of(found), progress, WAYS))


def _account(raw: RawFrames) -> pl.DataFrame:
    return _files.files(raw).select(_ACCOUNT)


def _requests_of(requests: pl.DataFrame) -> pl.DataFrame:
    """Sums by session, model and kind of thread."""
    return requests.group_by("session_id", "model", thread_kind()).agg(
        *usage.partial(),
        pl.col("is_replay", "from_progress").sum().cast(pl.Int64),
        pl.col("ts").min().alias("first"),
        pl.col("ts").max().alias("last"),
    )


def _runs_of(threads: pl.DataFrame) -> pl.DataFrame:
    """Threads by session and kind, and how many of them are agents."""
    return threads.group_by("session_id", thread_kind()).agg(
        pl.len().cast(pl.Int64).alias("threads"), pl.col("agent_id").count().cast(pl.Int64).alias("agents")
    )


def _groups_of(raw: RawFrames, found: Listing, to: Sequence[int]) -> pl.DataFrame:
    """The `group` of each `session_id`: all files that name it are in one."""
    metas = raw["metas"].select(nodes(raw["metas"]["path"], found).alias("file"), "session_id")
    rows = pl.concat([raw["spans"].select("file", "session_id"), metas])
    group = pl.Series("group", to, dtype=pl.UInt32).gather(rows["file"])
    return rows.select("session_id", group).unique("session_id")


def _grouped(rows: pl.DataFrame, at: pl.DataFrame) -> pl.DataFrame:
    """Rows with the group of their session instead of the session."""
    return rows.join(at, on="session_id", how="left", nulls_equal=True).drop("session_id")


def _linked(listings: Sequence[Listing], parts: Sequence[Part]) -> list[Listing]:
    """Groups of several parts that belong together, each whole; their counts are dropped from the parts."""
    *starts, number = accumulate((max(part.groups, default=-1) + 1 for part in parts), initial=0)
    joined = groups(number, together([part.links for part in parts if part.links], starts))
    times = Counter(joined)
    out: dict[int, Listing] = {}
    for part, found, start in zip(parts, listings, starts, strict=True):
        part.links = None
        gone = set()
        for node, group in enumerate(part.groups):
            if times[joined[start + group]] > 1:
                gone.add(group)
                _take(out.setdefault(joined[start + group], Listing()), found, node)
        part.drop(gone)
    return list(out.values())


def _take(into: Listing, found: Listing, node: int) -> None:
    if node < len(found.files):
        into.files.append(found.files[node])
    else:
        into.metas.append(found.metas[node - len(found.files)])


def _sum(parts: Sequence[Part]) -> Counts:
    """The counts of all parts."""
    requests, runs, sessions, projects = (pl.concat([getattr(part, name) for part in parts]) for name in _COUNTED)
    first, last = requests.select(pl.col("first").min(), pl.col("last").max()).row(0)
    return Counts(
        totals=usage.merged(requests).row(0, named=True),
        by_model=models(usage.merged(requests, "model")),
        by_thread=threads(
            usage.merged(requests, "agent_type"), runs.group_by("agent_type").agg(pl.col("threads").sum())
        ),
        sessions=sessions.height,
        agents=int(runs["agents"].sum()),
        projects=projects["project"].n_unique(),
        first=first,
        last=last,
        replays=int(requests["is_replay"].sum()),
        from_progress=int(requests["from_progress"].sum()),
    )
