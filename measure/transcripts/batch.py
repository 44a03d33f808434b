"""Many records at once, of many files: columns for the plain ones, the per-record functions for the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
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


def _picker(wanted: list[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The values at the positions `wanted` (one at least); at the speed of C."""
    if len(wanted) == 1:
        return lambda values: (values[wanted[0]],)
    return itemgetter(*wanted)


class Batch:
    """Records of one or more files in order, until `frames` turns them into raw tables.

    `mended` and `clamped` gather by file what had to be mended.
    """

    def __init__(self, mended: Mended, clamped: dict[int, int], *, contents: bool = True) -> None:
        self.sink = Sink(contents=contents)
        self.mended, self.clamped = mended, clamped
        self._clear()

    def _clear(self) -> None:
        self.records: list[Fields] = []
        self._lines: list[tuple[int, Sequence[bytes]]] = []  # position of the first record of each chunk, its lines
        self.files: list[int] = []
        self.numbers: list[int] = []
        self.odd = self.sink.odd = Oddities()

    def add(self, file: int, found: Decoded) -> None:
        """Take the records of a chunk that are not damaged."""
        first = len(self.records)
        if None not in found.records:
            self._lines.append((first, found.lines))
            self.records += found.records  # type: ignore[arg-type]
            self.numbers += found.numbers
        else:
            good = [at for at, record in enumerate(found.records) if record is not None]
            self._lines.append((first, [found.lines[at] for at in good]))
            self.records += [found.records[at] for at in good]  # type: ignore[misc]
            self.numbers += [found.numbers[at] for at in good]
        self.files += [file] * (len(self.records) - first)

    def _line(self, at: int) -> bytes:
        first, lines = self._lines[bisect_right(self._lines, at, key=itemgetter(0)) - 1]
        return lines[at - first]

    def frames(self) -> RawFrames:
        """The raw tables of the records taken, and `records`: one row a record, for spans and the files' totals."""
        if not self.records:
            return {}
        columns = list(zip(*self.records, strict=True))
        answers, results, others = plain.kinds(columns)
        states = [BOOKKEEPING if type(kind) is str and kind in f.KNOWN else UNKNOWN for kind in columns[f.TYPE]]
        for at in (*answers, *results):
            states[at] = USED
        places = self._places(columns)
        calls = [at for at in answers if self.records[at][plain.BLOCK_TYPE] == "tool_use"]
        called = self._rows(plain.call, calls)
        out = {
            "usage": self._usage(answers, columns, places, dict(zip(calls, called, strict=True))),
            "tool_uses": self._table("tool_uses", places, calls, called),
        }
        links = [at for at in (*answers, *results) if columns[f.AGENT][at] is None and columns[f.SIDECHAIN][at] is True]
        out["sidelinks"] = self._table("sidelinks", places, links, [(columns[f.PARENT][at], None) for at in links])
        self._others(others, states)
        # Last, since what a result holds depends on its call, plain or not.
        out["tool_results"] = self._table("tool_results", places, results, self._rows(plain.result, results))
        out["records"] = self._states(columns, places, states)
        return self._close(out)

    def _close(self, out: RawFrames) -> RawFrames:
        """Add what the per-record functions wrote, and note by file what was mended."""
        for at in self.odd.surrogates:
            self.mended.setdefault(self.files[at], set()).add(self.numbers[at])
        for at in self.odd.clamped:
            self.clamped[self.files[at]] = self.clamped.get(self.files[at], 0) + 1
        for name, rows in build.frames(self.sink.drain(), self.mended).items():
            out[name] = pl.concat([out[name], rows]) if name in out else rows
        if self.files[0] != self.files[-1]:
            self.sink.calls.clear()
        self._clear()
        return {name: table for name, table in out.items() if table.height}

    def _place(self, at: int) -> Place:
        return place_of(self.files[at], self.numbers[at], self.records[at], self.odd)

    def _rows(self, make: Any, wanted: Sequence[int]) -> list[tuple[Any, ...]]:
        rows = []
        sink, odd, records = self.sink, self.odd, self.records
        for at in wanted:
            odd.line = at
            rows.append(make(sink, partial(self._place, at), records[at]))
        return rows

    def _others(self, wanted: Sequence[int], states: list[int]) -> None:
        """Hand what is not plain to the function of its kind; answers and users need their whole message."""
        for at in wanted:
            self.odd.line = at
            record, line = self.records[at], self._line(at)
            if record[f.TYPE] in TALK:
                record = one(line) or record
            if dispatch(self.sink, self._place(at), record, line):
                states[at] = USED

    def _series(
        self, name: str, kind: RawType, values: Sequence[Any], wanted: Sequence[int] | None = None
    ) -> pl.Series:
        """A column; `wanted` are the positions of its values where it is not one of all records."""
        positions = range(len(self.records)) if wanted is None else wanted
        return build.series(name, kind, values, partial(self._cleaned, positions))

    def _cleaned(self, positions: Sequence[int], kind: RawType, values: Sequence[Any]) -> list[Any]:
        out = []
        for at, value in zip(positions, values, strict=True):
            self.odd.line = at
            out.append(build.clean(kind, value, self.odd))
        return out

    def _places(self, columns: list[tuple[Any, ...]]) -> pl.DataFrame:
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

    def _usage(
        self, wanted: list[int], columns: list[tuple[Any, ...]], places: pl.DataFrame, called: dict[int, Any]
    ) -> pl.DataFrame:
        """The table `usage` of the plain answers."""
        schema = polars_schema(BY_NAME["usage"])
        if not wanted:
            return pl.DataFrame(schema=schema)
        pick = _picker(wanted)
        own = [self._series(name, "str", pick(columns[at]), wanted) for name, at in _TEXTS.items()]
        own += [self._counter(name, pick(columns[at]), wanted) for name, at in _COUNTS.items()]
        blocks = zip(*(pick(columns[at]) for at in (plain.BLOCK_TYPE, plain.TEXT, plain.THINKING)), strict=True)
        sizes = []
        for self.odd.line, (kind, text, thinking) in zip(wanted, blocks, strict=True):
            sizes.append(plain.answer_sizes(kind, text, thinking, self.odd))
        names = ("text_chars", "last_text_chars", "thinking_chars")
        own += [pl.Series(n, v, dtype=pl.Int64) for n, v in zip(names, zip(*sizes, strict=True), strict=True)]
        inputs = [called[at][plain.INPUT_CHARS] if at in called else 0 for at in wanted]
        own.append(pl.Series("tool_chars", inputs, dtype=pl.Int64))
        errors = [columns[f.API_ERROR][at] is True for at in wanted]
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

    def _states(self, columns: list[tuple[Any, ...]], places: pl.DataFrame, states: list[int]) -> pl.DataFrame:
        talk = [kind in TALK for kind in columns[f.TYPE]]
        own = [
            pl.Series("state", states, dtype=pl.Int8),
            pl.Series("talk", talk, dtype=pl.Boolean),
            self._series("cwd", "str", columns[f.CWD]),
            self._series("version", "str", columns[f.VERSION]),
        ]
        return places.hstack(own)
