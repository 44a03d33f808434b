"""Reading in several processes, this one among them: groups of files of some 32 MB, each to whichever is free."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import polars as pl

from measure.transcripts import build, scan
from measure.transcripts.scan import Job, Outcome, Progress, Ways

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
    from concurrent.futures import Future, ProcessPoolExecutor, wait
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(count - 1, mp_context=get_context("spawn"), initializer=_quiet)
    futures: dict[int, Future[Sent]] = {}
    first, last, own = 0, len(tasks), 0

    def hand_out(limit: int) -> None:
        # Few at once, from the front: a task that was handed out and taken back would break a pool that breaks.
        nonlocal first
        while first < last and sum(not future.done() for future in futures.values()) < limit:
            with _held_back():
                futures[first] = pool.submit(there, tasks[first])
            first += 1

    def tell(now: int = 0, _: int = 0) -> None:
        hand_out(2 * (count - 1))
        if progress:
            others = sum(sizes[number] for number, future in futures.items() if future.done())
            progress(others + own + now, sum(sizes))

    try:
        hand_out(count - 1)
        while first < last:
            last -= 1
            done[last] = here(tasks[last], tell)
            own += sizes[last]
            tell()
        for number, future in futures.items():
            while wait([future], TICK).not_done:
                tell()
            done[number] = taken(future.result())
            tell()
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        # A process that was killed has broken the pool: what it did not finish is no reason to go on.
        whole = [
            number for number, one in futures.items() if one.done() and not one.cancelled() and not one.exception()
        ]
        done |= {number: taken(futures[number].result()) for number in whole if number not in done}
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _bytes(jobs: Sequence[Job]) -> int:
    return sum(job.found.size - job.offset for job in jobs)


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


@contextmanager
def _held_back() -> Iterator[None]:
    """Ctrl-C waits meanwhile, and for ever in a process that is started now: it has no handler yet while it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
