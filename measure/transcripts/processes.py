"""Reading in several processes, this one among them: groups of files of some 32 MB, each to whichever is free."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from measure.transcripts import build, scan
from measure.transcripts.scan import Job, Outcome, Progress, Ways

if TYPE_CHECKING:
    from concurrent.futures import Future

FROM_BYTES = 300_000_000  # below it a process costs more to start than it saves
PART_BYTES = 32 << 20
MOST = 4
TICK = 0.5  # seconds after which progress is told again, done or not: a slow disk shows nothing else
Task = TypeVar("Task")
Sent = TypeVar("Sent")
Result = TypeVar("Result")
Read = tuple[str, list[tuple[Job, scan.Seen]], dict[int, dict[str, object]]]


def workers(total: int) -> int:
    """How many processes read `total` bytes: SETPOINT_PROCESSES, else one a core for much, and one for little."""
    given = os.environ.get("SETPOINT_PROCESSES", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return min(os.cpu_count() or 1, MOST) if total > FROM_BYTES else 1


def run(jobs: Sequence[Job], progress: Progress | None, ways: Ways, count: int) -> Outcome:
    """What `scan.read` gives, read by `count` processes. They are spawned: a fork copies Polars' locks."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        return _run(jobs, progress, ways, count)
    except BrokenProcessPool:  # one was killed, for its memory perhaps: this process alone needs less
        return scan.read(jobs, progress, ways)


def _run(jobs: Sequence[Job], progress: Progress | None, ways: Ways, count: int) -> Outcome:
    # Here, for it takes time, and every read of a grown tail asks `workers`.
    import tempfile

    done: dict[int, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
        tasks = [(group, str(Path(folder) / str(number))) for number, group in enumerate(groups(jobs))]
        sizes = [_bytes(group) for group, _ in tasks]

        def here(task: tuple[list[Job], str], told: Progress | None) -> Outcome:
            return scan.read(task[0], told, ways)

        try:
            spread(tasks, sizes, count, done, there=partial(_read, ways), taken=_taken, here=here, progress=progress)
        except KeyboardInterrupt as stopped:
            if isinstance(stopped, scan.Stopped):
                done[len(tasks)] = stopped.outcome
            raise scan.Stopped(_joined(done)) from None
    return _joined(done)


def spread(
    tasks: Sequence[Task],
    sizes: Sequence[int],
    count: int,
    done: dict[int, Result],
    *,
    there: Callable[[Task], Sent],
    taken: Callable[[Sent], Result],
    here: Callable[[Task, Progress | None], Result],
    progress: Progress | None,
) -> None:
    """Do all tasks in `count` processes, of which this is one; results go into `done`, by the numbers of their tasks.

    `there` is what another process does (a function of a module), `taken` what is made of its result in this one,
    `here` what this one does. `sizes` in bytes are for the progress. Raises KeyboardInterrupt at Ctrl-C, when all
    that was finished is in `done`, and BrokenProcessPool where a process was killed.
    """
    from concurrent.futures import ProcessPoolExecutor, wait
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(count - 1, mp_context=get_context("spawn"), initializer=_quiet)
    futures = [pool.submit(there, task) for task in tasks]
    waiting = dict(zip(futures, sizes, strict=True))
    try:
        own = 0
        for number in reversed(range(len(tasks))):  # the others begin at the front
            if not futures[number].cancel():
                break
            done[number] = here(tasks[number], _told(progress, waiting, own))
            own += sizes[number]
        for number, future in enumerate(futures):
            if number in done:
                continue
            while wait([future], TICK).not_done:
                _tell(progress, waiting, own)
            done[number] = taken(future.result())
            _tell(progress, waiting, own)
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        for number, future in enumerate(futures):
            if number not in done and future.done() and not future.cancelled():
                done[number] = taken(future.result())
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _bytes(jobs: Sequence[Job]) -> int:
    return sum(job.found.size - job.offset for job in jobs)


def _told(progress: Progress | None, waiting: Mapping[Future[Any], int], own: int) -> Progress | None:
    """What tells of a group that this process reads: `own` bytes it has read before."""
    return None if progress is None else lambda done, _: _tell(progress, waiting, own + done)


def _tell(progress: Progress | None, waiting: Mapping[Future[Any], int], own: int) -> None:
    """The bytes of all groups that others have read, in whatever order, and our own."""
    if progress:
        others = sum(size for future, size in waiting.items() if future.done() and not future.cancelled())
        progress(others + own, sum(waiting.values()))


def _taken(read: Read) -> Outcome:
    """What one process has read."""
    place, seen, sums = read
    raw = {path.stem: pl.read_ipc(path.read_bytes()) for path in sorted(Path(place).iterdir())}
    return Outcome(raw, seen, sums)


def _joined(done: Mapping[int, Outcome]) -> Outcome:
    """In the order of the groups, whoever read them."""
    parts = [done[number] for number in sorted(done)]
    out = Outcome(build.joined([part.raw for part in parts]))
    for part in parts:
        out.seen += part.seen
        out.sums |= part.sums
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


def _read(ways: Ways, task: tuple[list[Job], str]) -> Read:
    group, place = task
    outcome = scan.read(group, None, ways)
    os.mkdir(place)  # noqa: PTH102
    for name, table in outcome.raw.items():
        table.write_ipc(Path(place) / f"{name}.arrow")
    return place, outcome.seen, outcome.sums
