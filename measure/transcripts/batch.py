"""Many records at once, of many files: columns for the plain ones, the per-record functions for the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any

import polars as pl

from measure.transcripts import build, plain
from measure.transcripts import fields as f
from measure.transcripts.build import Mended, RawFrames
from measure.transcripts.decode import Decoded, Fields, one
from measure.transcripts.extract import TALK, dispatch, is_aside, place_of
from measure.transcripts.raw import BY_NAME, PLACE, RawType, polars_schema
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import INT64_MAX, Oddities

UNKNOWN, BOOKKEEPING, USED = 0, 1, 2
_PLACE = tuple(name for name, _ in PLACE)
_COUNTS = {
    "input_tokens": plain.INPUT,
    "cache_read_tokens": plain.CACHE_READ,
    "cache_write_tokens": plain.CACHE_WRITE,
    "cache_write_5m_tokens": plain.FIVE,
    "cache_write_1h_tokens": plain.HOUR,
    "output_tokens": plain.OUTPUT,
    "thinking_tokens": plain.THINKING_TOKENS,
    "web_searches": plain.SEARCHES,
    "block": f.BLOCK,
}
_TEXTS = {
    "message_id": plain.MESSAGE_ID,
    "request_id": f.REQUEST_ID,
    "request_ref": f.REQUEST_REF,
    "model": plain.MODEL,
    "stop_reason": plain.STOP,
    "service_tier": plain.TIER,
    "speed": plain.SPEED,
    "inference_geo": plain.GEO,
    "ttl_requested": f.TTL,
    "attribution_agent": f.ATTRIBUTION,
    "cwd": f.CWD,
    "version": f.VERSION,
}


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The good records of one chunk, also by column; `first` is the position of its first among all of the batch."""

    file: int
    first: int
    numbers: Sequence[int]
    lines: Sequence[bytes]
    records: Sequence[Fields]
    columns: list[tuple[Any, ...]]

    def place(self, at: int, odd: Oddities) -> Place:
        return place_of(self.file, self.numbers[at], self.records[at], odd)


# Columns that are kept of every record.
_COMMON = (f.TYPE, f.TS, f.SESSION, f.AGENT, f.SIDECHAIN, f.UUID, f.CWD, f.VERSION)
_ANSWERED = (*_TEXTS.values(), *_COUNTS.values(), f.API_ERROR)


class Batch:
    """Records of one or more files in order, until `frames` turns them into raw tables.

    What is large (texts, lines, whole messages) is looked at chunk by chunk and let go: memory that is used again is
    warm, and fresh memory costs as much as decoding. `mended` and `clamped` gather by file what had to be mended.
    """

    def __init__(self, mended: Mended, clamped: dict[int, int], *, contents: bool = True) -> None:
        self.sink = Sink(contents=contents)
        self.mended, self.clamped = mended, clamped
        self._clear()

    def _clear(self) -> None:
        self.files: list[int] = []
        self.numbers: list[int] = []
        self.states: list[int] = []
        self._common: dict[int, list[Any]] = {at: [] for at in _COMMON}
        self._answers: list[int] = []  # positions of the plain answers among all records, and their columns
        self._answered: dict[int, list[Any]] = {at: [] for at in _ANSWERED}
        self._sizes: list[tuple[int, int | None, int]] = []
        self._inputs: list[int] = []
        self._calls: list[int] = []
        self._called: list[tuple[Any, ...]] = []
        self._results: list[int] = []
        self._resulted: list[tuple[Any, ...]] = []
        self._links: list[int] = []
        self._linked: list[tuple[Any, None]] = []
        self.odd = self.sink.odd = Oddities()

    def __len__(self) -> int:
        return len(self.files)

    def add(self, file: int, found: Decoded) -> None:
        """Take the records of a chunk that are not damaged."""
        records, lines, numbers = found.records, found.lines, found.numbers
        if None in records:
            good = [at for at, record in enumerate(records) if record is not None]
            records = [records[at] for at in good]
            lines = [lines[at] for at in good]
            numbers = [numbers[at] for at in good]
        if not records:
            return
        if self.files and self.files[-1] != file:
            self.sink.calls.clear()
        chunk = _Chunk(file, len(self.files), numbers, lines, records, list(zip(*records, strict=True)))  # type: ignore[arg-type]
        self.files += [file] * len(records)
        self.numbers += numbers
        columns = chunk.columns
        for at, values in self._common.items():
            values.extend(columns[at])
        answers, results, others = plain.kinds(columns)
        states = [BOOKKEEPING if type(kind) is str and kind in f.KNOWN else UNKNOWN for kind in columns[f.TYPE]]
        for at in (*answers, *results):
            states[at] = USED
        self._take_answers(chunk, answers)
        for at in (*answers, *results):
            if columns[f.AGENT][at] is None and columns[f.SIDECHAIN][at] is True:
                self._links.append(chunk.first + at)
                self._linked.append((columns[f.PARENT][at], None))
        self._others(chunk, others, states)
        # Last, since what a result holds depends on its call, plain or not.
        self._results += [chunk.first + at for at in results]
        self._resulted += self._rows(plain.result, chunk, results)
        self.states += states

    def _take_answers(self, chunk: _Chunk, answers: list[int]) -> None:
        """The plain answers of a chunk: their columns, the sizes of their texts, and their calls."""
        if not answers:
            return
        columns, first = chunk.columns, chunk.first
        pick = itemgetter(*answers) if len(answers) > 1 else lambda values: (values[answers[0]],)
        self._answers += [first + at for at in answers]
        for at, values in self._answered.items():
            values.extend(pick(columns[at]))
        kinds, texts, thinkings = (pick(columns[at]) for at in (plain.BLOCK_TYPE, plain.TEXT, plain.THINKING))
        calls = [at for at, kind in zip(answers, kinds, strict=True) if kind == "tool_use"]
        rows = self._rows(plain.call, chunk, calls)
        self._calls += [first + at for at in calls]
        self._called += rows
        inputs = iter(rows)
        for at, kind, text, thinking in zip(answers, kinds, texts, thinkings, strict=True):
            self.odd.line = first + at
            self._sizes.append(plain.answer_sizes(kind, text, thinking, self.odd))
            self._inputs.append(next(inputs)[plain.INPUT_CHARS] if kind == "tool_use" else 0)

    def _rows(self, make: Any, chunk: _Chunk, wanted: Sequence[int]) -> list[tuple[Any, ...]]:
        rows = []
        sink, odd, records, first = self.sink, self.odd, chunk.records, chunk.first
        for at in wanted:
            odd.line = first + at
            rows.append(make(sink, partial(chunk.place, at, odd), records[at]))
        return rows

    def _others(self, chunk: _Chunk, wanted: Sequence[int], states: list[int]) -> None:
        """Hand what is not plain to the function of its kind; answers and users need their whole message."""
        for at in wanted:
            self.odd.line = chunk.first + at
            record, line = chunk.records[at], chunk.lines[at]
            if record[f.TYPE] in TALK:
                record = one(line) or record
            if dispatch(self.sink, chunk.place(at, self.odd), record, line):
                states[at] = USED

    def frames(self) -> RawFrames:
        """The raw tables of the records taken, and `records`: one row a record, for spans and the files' totals."""
        if not self.files:
            return {}
        places = self._places()
        out = {
            "usage": self._usage(places),
            "tool_uses": self._table("tool_uses", places, self._calls, self._called),
            "sidelinks": self._table("sidelinks", places, self._links, self._linked),
            "tool_results": self._table("tool_results", places, self._results, self._resulted),
            "records": self._records(places),
        }
        return self._finished(out)

    def _finished(self, out: RawFrames) -> RawFrames:
        """Add what the per-record functions wrote, and note by file what was mended."""
        for at in self.odd.surrogates:
            self.mended.setdefault(self.files[at], set()).add(self.numbers[at])
        for at in self.odd.clamped:
            self.clamped[self.files[at]] = self.clamped.get(self.files[at], 0) + 1
        for name, rows in build.frames(self.sink.drain(), self.mended).items():
            out[name] = pl.concat([out[name], rows]) if name in out else rows
        self._clear()
        return {name: table for name, table in out.items() if table.height}

    def _series(
        self, name: str, kind: RawType, values: Sequence[Any], wanted: Sequence[int] | None = None
    ) -> pl.Series:
        """A column; `wanted` are the positions of its values where it is not one of all records."""
        positions = range(len(self.files)) if wanted is None else wanted
        return build.series(name, kind, values, partial(self._cleaned, positions))

    def _cleaned(self, positions: Sequence[int], kind: RawType, values: Sequence[Any]) -> list[Any]:
        out = []
        for at, value in zip(positions, values, strict=True):
            self.odd.line = at
            out.append(build.clean(kind, value, self.odd))
        return out

    def _places(self) -> pl.DataFrame:
        columns = self._common
        agents = columns[f.AGENT]
        asides = [is_aside(aside, agent) for aside, agent in zip(columns[f.SIDECHAIN], agents, strict=True)]
        return pl.DataFrame(
            [
                pl.Series("file", self.files, dtype=pl.Int64),
                pl.Series("line", self.numbers, dtype=pl.Int64),
                self._series("ts", "time", columns[f.TS]),
                self._series("session_id", "str", columns[f.SESSION]),
                self._series("agent_id", "str", agents),
                pl.Series("sidechain", asides, dtype=pl.Boolean),
                self._series("uuid", "str", columns[f.UUID]),
            ]
        )

    def _table(self, name: str, places: pl.DataFrame, wanted: list[int], rows: list[tuple[Any, ...]]) -> pl.DataFrame:
        """A raw table: places of the wanted records, then its own columns from `rows`."""
        own = BY_NAME[name].columns[len(_PLACE) :]
        if not rows:
            return pl.DataFrame(schema=polars_schema(BY_NAME[name]))
        pairs = zip(own, zip(*rows, strict=True), strict=True)
        return places[wanted].hstack([self._series(column, kind, values, wanted) for (column, kind), values in pairs])

    def _usage(self, places: pl.DataFrame) -> pl.DataFrame:
        """The table `usage` of the plain answers."""
        schema = polars_schema(BY_NAME["usage"])
        wanted, columns = self._answers, self._answered
        if not wanted:
            return pl.DataFrame(schema=schema)
        own = [self._series(name, "str", columns[at], wanted) for name, at in _TEXTS.items()]
        own += [self._counter(name, columns[at], wanted) for name, at in _COUNTS.items()]
        names = ("text_chars", "last_text_chars", "thinking_chars")
        own += [pl.Series(n, v, dtype=pl.Int64) for n, v in zip(names, zip(*self._sizes, strict=True), strict=True)]
        own.append(pl.Series("tool_chars", self._inputs, dtype=pl.Int64))
        errors = [error is True for error in columns[f.API_ERROR]]
        own.append(pl.Series("is_api_error", errors, dtype=pl.Boolean))
        table = places[wanted].hstack(own)
        parts = pl.sum_horizontal(pl.col("cache_write_5m_tokens", "cache_write_1h_tokens").cast(pl.Int128))
        parts = parts.clip(upper_bound=INT64_MAX).cast(pl.Int64)
        some = pl.col("cache_write_5m_tokens").is_not_null() | pl.col("cache_write_1h_tokens").is_not_null()
        table = table.with_columns(
            pl.col("input_tokens").alias("context_input_tokens"),
            pl.col("cache_read_tokens").alias("context_read_tokens"),
            pl.coalesce("cache_write_tokens", pl.when(some).then(parts)).alias("context_write_tokens"),
            pl.col("inference_geo").replace("", None),
            pl.lit(value=True).alias("has_usage"),
            pl.lit(value=False).alias("from_progress"),
        )
        return table.select(schema.names())

    def _counter(self, name: str, values: Sequence[Any], wanted: Sequence[int]) -> pl.Series:
        try:
            if set(map(type, values)) <= {int, type(None)}:
                series = pl.Series(name, values, dtype=pl.Int64, strict=True)
                if (series.min() or 0) >= 0:  # type: ignore[operator]
                    return series
        except (TypeError, OverflowError):
            pass  # beyond int64
        cleaned = []
        for at, value in zip(wanted, values, strict=True):
            self.odd.line = at
            cleaned.append(self.odd.counter(value))
        return pl.Series(name, cleaned, dtype=pl.Int64)

    def _records(self, places: pl.DataFrame) -> pl.DataFrame:
        columns = self._common
        own = [
            pl.Series("state", self.states, dtype=pl.Int8),
            pl.Series("talk", [kind in TALK for kind in columns[f.TYPE]], dtype=pl.Boolean),
            self._series("cwd", "str", columns[f.CWD]),
            self._series("version", "str", columns[f.VERSION]),
        ]
        return places.hstack(own)
