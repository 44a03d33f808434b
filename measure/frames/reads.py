"""The frame `reads`: one row a read that brought in content, and what of it the segment already held unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import polars as pl

from measure.frames.labels import labelled
from measure.frames.paths import absolute
from measure.frames.repeats import NONE, Held, Range, Repeat
from measure.frames.runs import THREAD
from measure.transcripts.build import RawFrames
from measure.transcripts.lines import unpack_marks
from measure.transcripts.values import INT64_MAX

WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
# What the client says instead of the text is all that the model read.
STUB = Repeat("same", 0)


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
    rows = [row for thread in _threads(raw, answered) for row in _thread(thread)]
    schema = {
        "at": pl.UInt32,
        "path_read": pl.String,
        "first_line": pl.Int64,
        "last_line": pl.Int64,
        "whole": pl.Boolean,
        "chars_read": pl.Int64,
        "repeat": pl.String,
        "avoidable_chars": pl.Int64,
    }
    found = pl.DataFrame(rows, schema=schema, orient="row")
    calls = answered.with_row_index("at").with_columns(pl.col("tool").alias("via"))
    joined = found.join(calls, on="at", how="left", maintain_order="left")
    joined = joined.with_columns(pl.col("chars_read").alias("chars"))
    # `labelled` needs `path`, the transcript's; the frame's is the file that was read
    out = labelled("reads", joined, raw, types)
    return out.with_columns(joined["path_read"].alias("path"))


def _threads(raw: RawFrames, answered: pl.DataFrame) -> Iterator[list[dict[str, Any]]]:
    """Calls that read or write files, a list for each thread and segment, in order."""
    columns = ["file", "tool_use_id", "first_number", "marks", "stub"]
    contents = raw["contents"].select(columns).unique(("file", "tool_use_id"), keep="last", maintain_order=True)
    calls = answered.with_row_index("at").filter(pl.col("tool").is_in(["Read", "Bash", *WRITERS]))
    calls = calls.join(contents, on=("file", "tool_use_id"), how="left", maintain_order="left")
    bash = pl.col("tool") == "Bash"
    calls = calls.filter(~bash | pl.col("tool_use_id").is_in(raw["printed"]["tool_use_id"].implode()))
    printed = _printed(raw["printed"])
    names = ["at", "tool", "file_path", "offset", "limit", "cwd", "chars", "is_error", "first_number", "marks", "stub"]
    groups = calls.select(*names, "file", "tool_use_id", *THREAD, "segment")
    for _, group in groupby(groups.iter_rows(named=True), key=itemgetter(*THREAD, "segment")):
        yield [row | {"printed": printed.get((row["file"], row["tool_use_id"]))} for row in group]


def _printed(rows: pl.DataFrame) -> dict[tuple[int, str], list[tuple[str | None, Range]]]:
    """The files that each Bash call prints, in order."""
    out: dict[tuple[int, str], list[tuple[str | None, Range]]] = {}
    columns = ("file", "tool_use_id", "file_path", "cwd", "first_line", "last_line", "from_end", "part")
    for file, call, path, cwd, first, last, end, part in rows.sort("file", "line", "part").select(columns).iter_rows():
        parts = out.setdefault((file, call), [])
        if part == len(parts):  # a copy of the call begins again at 0
            parts.append((absolute(path, cwd), Range(first, last, end)))
    return out


def _thread(calls: list[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """The rows of one thread and segment."""
    held: dict[str, Held] = {}
    times = Counter(path for call in calls if call["stub"] is not None for path, _ in _asked(call))
    for call in calls:
        if call["tool"] in WRITERS:
            path = absolute(call["file_path"], call["cwd"])
            if path is not None and call["is_error"] is not True:
                held.pop(path, None)
        elif call["stub"] is not None:
            for part in _parts(call, times):
                repeat = _judge(held, part, stub=call["stub"])
                asked = part.asked
                whole = asked == Range()
                size = None if part.chars is None else repeat.chars
                yield (call["at"], part.path, asked.first, asked.last, whole, part.chars, repeat.kind, size)


def _judge(held: dict[str, Held], part: Part, *, stub: bool) -> Repeat:
    if stub:
        return STUB
    if part.path is None or part.checks is None or part.chars is None:
        return NONE
    file = held.setdefault(part.path, Held())
    return file.read(part.asked, part.start, part.checks, part.sizes, part.chars)


def _asked(call: dict[str, Any]) -> list[tuple[str | None, Range]]:
    """The files that one call reads, each with the lines asked for."""
    if call["tool"] != "Read":
        return call["printed"] or []
    first, limit = call["offset"] or 1, call["limit"]
    last = None if limit is None else min(first + limit - 1, INT64_MAX)
    return [(absolute(call["file_path"], call["cwd"]), Range(first, last))]


def _parts(call: dict[str, Any], times: Counter[str | None]) -> list[Part]:
    """The files of one call with their share of its result. A file that is read once repeats nothing: no marks."""
    files = _asked(call)
    alone = len(files) == 1
    if alone and times[files[0][0]] == 1:
        return [Part(*files[0], None, None, [], call["chars"])]
    checks, sizes = unpack_marks(call["marks"] or ())
    if not alone:
        return _shares(files, checks, sizes, call["chars"])
    path, asked = files[0]
    start = call["first_number"] or (asked.first if call["tool"] == "Read" else None)
    return [Part(path, asked, start, checks, sizes, call["chars"])]


def _shares(printed: list[tuple[str | None, Range]], checks: list[int], sizes: list[int], chars: int) -> list[Part]:
    """Cut one result between several files, where the line counts that were asked for leave no doubt."""
    counts = [_count(asked) for _, asked in printed]
    unknown = counts.count(None)
    rest = len(checks) - sum(count for count in counts if count is not None)
    if unknown > 1 or rest < 0 or (not unknown and rest):
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
