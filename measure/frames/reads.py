"""The frame `reads`: one row a read that brought in content, and what of it the segment already held unchanged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import polars as pl

from measure.frames.asked import calls, files_read, files_written
from measure.frames.labels import labelled
from measure.frames.repeats import NONE, Held, Range, Repeat
from measure.frames.runs import THREAD
from measure.transcripts.build import RawFrames
from measure.transcripts.lines import unpack_marks

# What the client says instead of the text is all that the model read.
STUB = Repeat("same", 0)
_VERDICT = {"row": pl.UInt32, "chars": pl.Int64, "repeat": pl.String, "avoidable_chars": pl.Int64}


class File(NamedTuple):
    """One file that a call asked for, with the result of the whole call."""

    row: int
    at: int
    run: int
    tool: str
    stub: bool
    chars: int | None
    times: int
    path: str | None
    asked: Range
    number: int | None
    marks: list[int] | None


class Part(NamedTuple):
    """One file that a call brought in: what was asked for, and the marks of the lines that came (None: unknown)."""

    path: str | None
    asked: Range
    start: int | None
    checks: list[int] | None
    sizes: list[int]
    chars: int | None


def reads(raw: RawFrames, answered: pl.DataFrame, types: pl.DataFrame) -> pl.DataFrame:
    """One row a file read by a call, in the order of threads and lines. `answered` is `tool_calls.answered`.

    Counted are calls of Read, and Bash calls that only print files (`hooks.runtime.printing`), that brought content:
    no errors, no warnings, no previews of a persisted result. A repeat is judged within one thread and segment, line
    by line. Edit, Write, MultiEdit and NotebookEdit clear their file. Other Bash commands clear nothing, since the
    files they change cannot be named: a change shows in the lines themselves, as one by anybody else does.
    `chars` is null where one call printed several files and the border between them is not known.
    """
    rows = calls(raw, answered)
    found = files_read(raw, rows).with_row_index("row")
    # A file that is read once repeats nothing: no marks. Of several that one call prints they tell the borders.
    plain = pl.col("chars").is_null() | pl.col("path").is_null() | pl.col("stub")
    judged = found.filter((pl.col("files") > 1) | ((pl.col("times") > 1) & ~plain))
    figures = pl.DataFrame(_verdicts(raw, judged, files_written(rows)), schema=_VERDICT, orient="row")
    found = found.select(
        "at",
        pl.col("path").alias("path_read"),
        pl.col("first").alias("first_line"),
        pl.col("last").alias("last_line"),
        (pl.col("first").eq_missing(1) & pl.col("last").is_null() & pl.col("from_end").is_null()).alias("whole"),
        "chars",
        pl.when("stub").then(pl.lit(STUB.kind)).otherwise(pl.lit(NONE.kind)).alias("repeat"),
        pl.when(pl.col("chars").is_not_null()).then(0).cast(pl.Int64).alias("avoidable_chars"),
    )
    found = found.with_columns(
        found[name].scatter(figures["row"], figures[name]) for name in ("chars", "repeat", "avoidable_chars")
    )
    place = answered.select(*THREAD, "path", "cwd", "tool_use_id", "ts", "segment", "result_step", "tool")
    joined = found.hstack(place.rename({"tool": "via"})[found["at"]].get_columns())
    # `labelled` needs `path`, the transcript's; the frame's is the file that was read
    out = labelled("reads", joined, raw, types)
    return out.with_columns(joined["path_read"].alias("path"))


def _verdicts(raw: RawFrames, judged: pl.DataFrame, written: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    """For each judged file (`row`) the share of the result that is its own, and what of it was there before."""
    written = written.join(judged.select("run", "path").unique(), on=("run", "path"), how="semi").sort("at")
    changes = deque(written.select("at", "path").iter_rows())
    held: dict[str, Held] = {}
    current = None
    for (at, run), files in groupby(_files(raw, judged), key=attrgetter("at", "run")):
        if run != current:
            held, current = {}, run
        while changes and changes[0][0] < at:
            held.pop(changes.popleft()[1], None)
        whole = list(files)
        for one, part in zip(whole, _parts(whole), strict=True):
            repeat = STUB if one.stub else _judge(held, part, one.times)
            yield one.row, part.chars, repeat.kind, None if part.chars is None else repeat.chars


def _files(raw: RawFrames, judged: pl.DataFrame) -> Iterator[File]:
    numbers, marks = (raw["contents"][name].gather(judged["content"]).to_list() for name in ("first_number", "marks"))
    names = ("row", "at", "run", "tool", "stub", "chars", "times", "path", "first", "last", "from_end")
    for facts, number, lines in zip(judged.select(names).iter_rows(), numbers, marks, strict=True):
        yield File._make((*facts[:-3], Range(*facts[-3:]), number, lines))


def _judge(held: dict[str, Held], part: Part, times: int) -> Repeat:
    if times == 1 or part.path is None or part.checks is None or part.chars is None:
        return NONE
    file = held.setdefault(part.path, Held())
    return file.read(part.asked, part.start, part.checks, part.sizes, part.chars)


def _parts(files: list[File]) -> list[Part]:
    """The files of one call with their share of its result."""
    one = files[0]
    checks, sizes = unpack_marks(one.marks) if one.marks else ([], [])
    if len(files) > 1:
        return _shares([(file.path, file.asked) for file in files], checks, sizes, one.chars)
    start = one.number or (one.asked.first if one.tool == "Read" else None)
    return [Part(one.path, one.asked, start, checks, sizes, one.chars)]


def _shares(
    printed: list[tuple[str | None, Range]], checks: list[int], sizes: list[int], chars: int | None
) -> list[Part]:
    """Cut one result between several files, where the line counts that were asked for leave no doubt."""
    counts = [_count(asked) for _, asked in printed]
    unknown = counts.count(None)
    rest = len(checks) - sum(count for count in counts if count is not None)
    if chars is None or unknown > 1 or rest < 0 or (not unknown and rest):
        return [Part(path, asked, None, None, [], None) for path, asked in printed]
    parts, at = [], 0
    for (path, asked), count in zip(printed, counts, strict=True):
        end = at + (rest if count is None else count)
        # each line with its line feed; the last line of the result has none
        share = sum(sizes[at:end]) + (end - at) - (1 if end == len(checks) else 0)
        whole = min(share, chars) if end > at else 0
        parts.append(Part(path, asked, None, checks[at:end], sizes[at:end], whole))
        at = end
    return parts


def _count(asked: Range) -> int | None:
    """Lines that a print gives where the file is long enough; None where that depends on the file."""
    if asked.from_end is not None:
        return asked.from_end
    return None if asked.last is None or asked.first is None else asked.last - asked.first + 1
