"""Reading in several processes: groups of files of some 64 MB, each to whichever process is free."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from measure.transcripts import build, scan
from measure.transcripts.build import RawFrames
from measure.transcripts.scan import Job, Outcome, Progress, Ways

FROM_BYTES = 300_000_000  # below it a process costs more to start than it saves
PART_BYTES = 64 << 20
MOST = 4


def workers(total: int) -> int:
    """How many processes read `total` bytes: SETPOINT_PROCESSES, else one a core for much, and one for little."""
    given = os.environ.get("SETPOINT_PROCESSES", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return min(os.cpu_count() or 1, MOST) if total > FROM_BYTES else 1


def run(jobs: Sequence[Job], progress: Progress | None, ways: Ways, count: int) -> Outcome:
    """What `scan.read` gives, read by `count` processes. They are spawned: a fork copies Polars' locks."""
    out = Outcome()
    parts: list[RawFrames] = []
    total = sum(job.found.size - job.offset for job in jobs)
    done = 0
    with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
        pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_quiet)
        try:
            waiting = [
                pool.submit(_read, group, ways, str(Path(folder) / str(number)))
                for number, group in enumerate(groups(jobs))
            ]
            for group, future in zip(groups(jobs), waiting, strict=True):
                place, seen, sums = future.result()
                parts.append({path.stem: pl.read_ipc(path.read_bytes()) for path in sorted(Path(place).iterdir())})
                out.seen += seen
                out.sums |= sums
                done += sum(job.found.size - job.offset for job in group)
                if progress:
                    progress(done, total)
        finally:
            pool.shutdown(cancel_futures=True)
    out.raw = build.joined(parts)
    return out


def groups(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """The jobs in their order, in parts of `PART_BYTES` or one file."""
    group: list[Job] = []
    size = 0
    for job in jobs:
        if group and size + job.found.size - job.offset > PART_BYTES:
            yield group
            group, size = [], 0
        group.append(job)
        size += job.found.size - job.offset
    if group:
        yield group


def _quiet() -> None:
    # Ctrl-C reaches every process of the terminal: the first one tells the others to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read(
    group: list[Job], ways: Ways, place: str
) -> tuple[str, list[tuple[Job, scan.Seen]], dict[int, dict[str, object]]]:
    outcome = scan.read(group, None, ways)
    os.mkdir(place)  # noqa: PTH102
    for name, table in outcome.raw.items():
        table.write_ipc(Path(place) / f"{name}.arrow")
    return place, outcome.seen, outcome.sums
