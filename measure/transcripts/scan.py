"""Files to raw tables: the one pass, in chunks, with the collector off and flat memory."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from measure.transcripts import build, sniff, totals
from measure.transcripts.batch import Batch
from measure.transcripts.build import Mended, RawFrames
from measure.transcripts.decode import decode
from measure.transcripts.find import Found, Listing, reason
from measure.transcripts.journal import journal
from measure.transcripts.metas import metas
from measure.transcripts.plain import LEAVES, SUMS
from measure.transcripts.raw import BY_NAME, Row

CHUNK = 4 << 20
BATCH_RECORDS = 16_384
BATCH_BYTES = 24 << 20
Progress = Callable[[int, int], None]  # bytes read, bytes in all


@contextmanager
def collector_off() -> Iterator[None]:
    """The garbage collector walks millions of live tuples for nothing: off while reading, as it was afterwards."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Job:
    """A file, or what was written to it since `offset`. `file` names its rows.

    `rest`: only the last line, which has no end yet; otherwise that line is left out where `complete` is asked for.
    """

    found: Found
    file: int
    offset: int = 0
    next_line: int = 1
    known: bool = False
    rest: bool = False


@dataclass(slots=True)
class Seen:
    """What became of the lines of one job. `offset` is behind the last line that was read, `why` it was skipped."""

    offset: int
    next_line: int
    known: bool
    lines: int = 0
    damaged: int = 0
    first_damaged_line: int | None = None
    surrogates: int = 0
    clamped: int = 0
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Ways:
    """How to read. `complete`: leave out a last line that has no end yet.

    `sums_only`: only what requests, threads and sessions and their sums are made of (`reports.overview.count`); other
    columns of `usage`, `tool_uses` and `spans` are null, and of `tool_results`, `turns` and `contents` there are only
    the rows that may tell of an agent.
    """

    complete: bool = True
    sums_only: bool = False


WAYS = Ways()
WHOLE = Ways(complete=False)


@dataclass(slots=True)
class Outcome:
    """What a run over some jobs gave: raw tables (those with rows), the lines of each job, and sums by file."""

    raw: RawFrames = field(default_factory=dict)
    seen: list[tuple[Job, Seen]] = field(default_factory=list)
    sums: dict[int, dict[str, Any]] = field(default_factory=dict)


class Stopped(KeyboardInterrupt):
    """Ctrl-C while reading. `outcome` holds the files that were read whole; `kept`: they are in the store."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome
        self.kept = False


class Account(Protocol):
    """What is known of a file in the end: `Seen` and `store.manifest.Known` both tell it."""

    lines: int
    damaged: int
    first_damaged_line: int | None
    surrogates: int
    clamped: int
    why: str | None


def scan(found: Listing, progress: Progress | None = None) -> RawFrames:
    """Raw tables of all files of `found`, in the order of their paths, their last lines included."""
    return of_all(found, run(jobs_of(found), progress, WHOLE))


def jobs_of(found: Listing) -> list[Job]:
    """All files of `found`, from their beginnings, numbered in their order."""
    return [Job(one, number) for number, one in enumerate(found.files)]


def of_all(found: Listing, outcome: Outcome) -> RawFrames:
    """Raw tables of what `jobs_of` gave, however it was read."""
    accounts = {job.found.path: (job.file, seen, outcome.sums.get(job.file, {})) for job, seen in outcome.seen}
    return finished(outcome.raw, accounts, found)


def run(jobs: Sequence[Job], progress: Progress | None = None, ways: Ways = WAYS) -> Outcome:
    """Read some files or their tails; much at once in several processes. Raises Stopped at Ctrl-C."""
    from measure.transcripts import processes

    total = sum(job.found.size - job.offset for job in jobs)
    workers = processes.workers(total)
    if workers > 1:
        return processes.run(jobs, progress, ways, workers)
    return read(jobs, progress, ways)


def read(jobs: Sequence[Job], progress: Progress | None = None, ways: Ways = WAYS) -> Outcome:
    """Read some files or their tails, in this process."""
    with collector_off():
        scanner = Scanner(progress, sum(job.found.size - job.offset for job in jobs), ways)
        try:
            for job in jobs:
                scanner.read(job)
            return scanner.outcome()
        except KeyboardInterrupt:
            raise Stopped(scanner.flushed()) from None


def finished(
    raw: RawFrames, accounts: Mapping[str, tuple[int, Account, Mapping[str, Any]]], found: Listing
) -> RawFrames:
    """All tables: those that were read, the account of each file, and the meta files."""
    table = BY_NAME["files"]
    rows = []
    for one in found.files:
        if one.path in accounts:
            file, account, sums = accounts[one.path]
            rows.append(_file_row(one, file, account, sums))
    meta_rows, unreadable = metas(found, {path: file for path, (file, _, _) in accounts.items()})
    rows += [{"path": path, "skipped": why} for path, why in (*found.skipped, *unreadable)]
    made = {"files": [tuple(row.get(name) for name in table.names) for row in rows], "metas": meta_rows}
    return build.concat([raw, build.frames(made, {})])


def _file_row(one: Found, file: int, account: Account, sums: Mapping[str, Any]) -> dict[str, Any]:
    if account.why is not None:
        return {"file": file, "path": one.path, "bytes": one.size, "skipped": account.why}
    row = totals.identity(one, sums) | {
        "file": file,
        "path": one.path,
        "bytes": one.size,
        "records": account.lines,
        "damaged": account.damaged,
        "first_damaged_line": account.first_damaged_line,
        "surrogates": account.surrogates,
        "clamped": account.clamped,
    }
    return row | {name: sums.get(name, 0) for name in ("used", "bookkeeping", "unknown")}


class Scanner:
    """Reads files one after the other and turns their records into frames, a batch at a time."""

    def __init__(self, progress: Progress | None = None, total: int = 0, ways: Ways = WAYS) -> None:
        self.parts: list[RawFrames] = []
        self.mended: Mended = {}
        self.clamped: dict[int, int] = {}
        self.batch = Batch(self.mended, self.clamped, sums_only=ways.sums_only)
        self._wanted = SUMS if ways.sums_only else LEAVES
        self.journal: list[Row] = []
        self.seen: list[tuple[Job, Seen]] = []
        self.complete = ways.complete
        self._waiting = 0
        self._safe = 0, 0  # parts, and the files all rows of which are in them
        self._progress, self._total, self._done = progress, total, 0

    def read(self, job: Job) -> None:
        """Read one file, or its tail; a file that cannot be read or is no transcript is noted with its reason."""
        seen = Seen(job.offset, job.next_line, job.known)
        try:
            with open(job.found.path, "rb") as file:  # noqa: PTH123 - one of 100,000
                file.seek(job.offset)
                self._lines(job, seen, file)
        except FileNotFoundError:
            return  # vanished between listing and opening: normal
        except OSError as error:
            seen.why = reason(error)
        if seen.why == sniff.JOURNAL:
            self.journal += journal(job.file, job.found)
        self.seen.append((job, seen))

    def _lines(self, job: Job, seen: Seen, file: Any) -> None:
        """Take the lines; notes why the file is no transcript."""
        for chunk in chunks(file):
            if self.complete and not job.rest and not chunk.endswith(b"\n"):
                return
            found = decode(chunk, seen.next_line, self._wanted)
            why = None if seen.known else sniff.verdict(found.lines, found.records)
            if why:
                seen.why = why
                return
            seen.known = why is None
            seen.next_line = found.after
            seen.offset += len(chunk)
            seen.lines += len(found.lines)
            if None in found.records:
                damaged = [at for at, record in enumerate(found.records) if record is None]
                seen.damaged += len(damaged)
                seen.first_damaged_line = seen.first_damaged_line or found.numbers[damaged[0]]
            self.batch.add(job.file, found)
            self._advance(len(chunk))
        if not seen.known:
            seen.why = "no transcript: no JSON object in it" if seen.lines else "empty"

    def _advance(self, size: int) -> None:
        self._waiting += size
        if self._waiting > BATCH_BYTES or len(self.batch) > BATCH_RECORDS:
            self.flush()
        self._done += size
        if self._progress:
            self._progress(self._done, self._total)

    def flush(self) -> None:
        """Turn the waiting records into frames."""
        part = self.batch.frames()
        self._waiting = 0
        if "records" in part:
            records = part.pop("records")
            self.parts.append(part | {"spans": totals.spans(records), "totals": totals.files(records)})
        self._safe = len(self.parts), len(self.seen)

    def flushed(self) -> Outcome:
        """What was read until the last flush: an interrupt may have left a batch, or anything later, half done."""
        parts, files = self._safe
        del self.parts[parts:], self.seen[files:]
        return self._outcome()

    def outcome(self) -> Outcome:
        """Everything that was read."""
        self.flush()
        return self._outcome()

    def _outcome(self) -> Outcome:
        sums = totals.merged_files(row for part in self.parts for row in part["totals"].iter_rows(named=True))
        raw = build.joined([*self.parts, build.frames({"journal": self.journal}, self.mended)])
        raw.pop("totals", None)
        if "spans" in raw:
            raw["spans"] = totals.merged_spans(raw["spans"])
        for job, seen in self.seen:
            seen.surrogates = len(self.mended.get(job.file, ()))
            seen.clamped = self.clamped.get(job.file, 0)
        return Outcome(raw, self.seen, sums)


def chunks(file: Any) -> Iterable[bytes]:
    """The bytes of a file cut behind line ends, and the unterminated rest at the end."""
    kept: list[bytes] = []
    while block := file.read(CHUNK):
        at = block.rfind(b"\n") + 1
        if at:
            yield b"".join((*kept, block[:at]))
            kept = [block[at:]] if at < len(block) else []
        else:
            kept.append(block)
    if kept:
        yield b"".join(kept)
