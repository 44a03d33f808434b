"""Many records at once, of many files: columns for the plain ones, the per-record functions for the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, groupby, repeat
from typing import Any

import polars as pl

from measure.transcripts import build, plain
from measure.transcripts import fields as f
from measure.transcripts.build import Mended, RawFrames
from measure.transcripts.decode import Decoded, Fields, several
from measure.transcripts.extract import HANDLERS, TALK, dispatch, place_of
from measure.transcripts.others import NEEDLE_AGENT, NEEDLE_TASK
from measure.transcripts.raw import BY_NAME, PLACE, RawType, polars_schema
from measure.transcripts.sink import Place, Sink
from measure.transcripts.values import INT64_MAX, Oddities

UNKNOWN, BOOKKEEPING, USED = 0, 1, 2
_STATES = dict.fromkeys(f.KNOWN, BOOKKEEPING)  # of a record that feeds no table
_TALKS = dict.fromkeys(TALK, True)
_NO_TEXT = (0, None, 0)  # sizes of a record that calls a tool
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
    "ttl_requested": plain.TTL,
    "attribution_agent": f.ATTRIBUTION,
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


_ANSWERED = (*_TEXTS.values(), *_COUNTS.values(), plain.API_ERROR)
_KEPT = (f.TS, f.UUID, f.SIDECHAIN, f.CWD, plain.VERSION)  # of every record


@dataclass(slots=True)
class _Rows:
    """Rows of a raw table without their places: positions among all records, and the table's own columns."""

    at: list[int] = field(default_factory=list)
    own: list[tuple[Any, ...]] = field(default_factory=list)


class Batch:
    """Records of one or more files in order, until `frames` turns them into raw tables.

    What is large (texts, lines, whole messages) is looked at chunk by chunk and let go: memory that is used again is
    warm, and fresh memory costs as much as decoding. `mended` and `clamped` gather by file what had to be mended.
    """

    def __init__(self, mended: Mended, clamped: dict[int, int], *, sums_only: bool = False) -> None:
        self.sink = Sink(contents=not sums_only)
        self.sums_only = sums_only
        self._known = len((plain.SUMS if sums_only else plain.LEAVES).pointers)  # columns behind it are null
        self.mended, self.clamped = mended, clamped
        self._clear()

    def _clear(self) -> None:
        self.numbers: list[int] = []
        self.states: list[int] = []
        self._kept: dict[int, list[Any]] = {at: [] for at in _KEPT if at < self._known}
        self._talk: list[bool] = []
        self._heads: list[tuple[Any, ...]] = []  # file, session and agent of runs of records, and how many are in each
        self._lengths: list[int] = []
        self._answers: list[int] = []  # positions of the plain answers among all records, and their columns
        self._answered: dict[int, list[Any]] = {at: [] for at in _ANSWERED if at < self._known}
        self._sizes: list[tuple[int, int | None, int]] = []
        self._inputs: list[int] = []
        self._rows = {name: _Rows() for name in ("tool_uses", "tool_results", "turns", "api_requests", "sidelinks")}
        self._contents = _Rows()
        self.odd = self.sink.odd = Oddities()

    def __len__(self) -> int:
        return len(self.numbers)

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
        if self._heads and self._heads[-1][0] != file:
            self.sink.calls.clear()
        columns = list(zip(*records, strict=True))
        chunk = _Chunk(file, len(self.numbers), numbers, lines, records, columns)  # type: ignore[arg-type]
        self.numbers += numbers
        for column, values in self._kept.items():
            values.extend(columns[column])
        self._note_runs(file, columns[f.SESSION], columns[f.AGENT])
        kinds = columns[f.TYPE]
        try:
            states = list(map(_STATES.get, kinds, repeat(UNKNOWN)))
            self._talk += map(_TALKS.get, kinds, repeat(False))
        except TypeError:  # a list or an object for a type
            states = [BOOKKEEPING if type(kind) is str and kind in f.KNOWN else UNKNOWN for kind in kinds]
            self._talk += [kind in TALK for kind in kinds]
        sorts = plain.kinds(columns, sums_only=self.sums_only)
        for at in (*sorts.answers, *sorts.results, *sorts.sent):
            states[at] = USED
        self._take_answers(chunk, sorts.answers)
        self._link(chunk, sorts.answers)
        self._add("api_requests", chunk, sorts.sent, plain.sent(chunk.records, sorts.sent, known=self._known))
        if self.sums_only:
            self._some(chunk, sorts, states)
        else:
            self._all(chunk, sorts, states)
        self.states += states

    def _all(self, chunk: _Chunk, sorts: plain.Kinds, states: list[int]) -> None:
        """Prompts, whose text is decoded now, what the per-record functions see, and results."""
        turned, turns, rest = [], [], []
        for at, whole in zip(
            sorts.prompts, several([chunk.lines[at] for at in sorts.prompts], plain.TURN), strict=True
        ):
            turn = plain.prompt(whole)
            if turn is None:
                rest.append(at)
            else:
                turned.append(at)
                turns.append(turn)
                states[at] = USED
        self._add("turns", chunk, turned, turns)
        self._link(chunk, turned)
        self._one_by_one(chunk, sorted(rest + sorts.others), states)
        self._link(chunk, sorts.results)
        # Last, since what a result holds depends on its call, plain or not.
        rows, read = plain.results(self.sink, chunk, sorts.results)
        self._add("tool_results", chunk, sorts.results, rows)
        self._contents.at += [chunk.first + at for at, *_ in read]
        self._contents.own += [own for _, *own in read]  # type: ignore[misc]

    def _some(self, chunk: _Chunk, sorts: plain.Kinds, states: list[int]) -> None:
        """Of prompts and results only those that may tell of an agent: the others feed no sum."""
        agents, asides, lines = chunk.columns[f.AGENT], chunk.columns[f.SIDECHAIN], chunk.lines
        inline = (
            {at for at, aside in enumerate(asides) if aside is True and agents[at] is None} if True in asides else ()
        )
        some = []
        for at in sorts.prompts:
            line = lines[at]
            if at not in inline and plain.PROMPT in line and NEEDLE_TASK not in line and NEEDLE_AGENT not in line:
                states[at] = USED
            else:
                some.append(at)
        self._one_by_one(chunk, sorted(some + sorts.others), states)
        calls, ids = self.sink.calls, chunk.columns[plain.RESULT_OF]
        told = [at for at in sorts.results if at in inline or (type(ids[at]) is str and calls.get(ids[at]) != "other")]
        self._one_by_one(chunk, told, states)

    def _add(self, table: str, chunk: _Chunk, wanted: Sequence[int], own: Sequence[tuple[Any, ...]]) -> None:
        first, rows = chunk.first, self._rows[table]
        rows.at += [first + at for at in wanted]
        rows.own += own

    def _note_runs(self, file: int, sessions: Sequence[Any], agents: Sequence[Any]) -> None:
        """Note runs of records of one thread; where a value must be cleaned its record stands alone."""
        number = len(sessions)
        if sessions.count(sessions[0]) == number and agents.count(agents[0]) == number:
            pairs = [((sessions[0], agents[0]), number)]
        else:
            pairs = [(key, sum(1 for _ in rows)) for key, rows in groupby(zip(sessions, agents, strict=True))]
        for (session, agent), length in pairs:
            if _is_clean(session) and _is_clean(agent):
                self._heads.append((file, session, agent))
                self._lengths.append(length)
            else:
                self._heads += [(file, session, agent)] * length
                self._lengths += [1] * length

    def _link(self, chunk: _Chunk, wanted: Sequence[int]) -> None:
        """Note the parents of inline sidechain records, which name no agent."""
        agents, asides = chunk.columns[f.AGENT], chunk.columns[f.SIDECHAIN]
        if True not in asides:
            return
        linked = [at for at in wanted if agents[at] is None and asides[at] is True]
        parents = several([chunk.lines[at] for at in linked], plain.PARENTS)
        self._add("sidelinks", chunk, linked, [(parent and parent[0], None) for parent in parents])

    def _take_answers(self, chunk: _Chunk, answers: list[int]) -> None:
        """The plain answers of a chunk: their columns, the sizes of their texts, and their calls."""
        if not answers:
            return
        columns, first, odd = chunk.columns, chunk.first, self.odd
        pick = plain.picker(answers)
        self._answers += [first + at for at in answers]
        for column, values in self._answered.items():
            values.extend(pick(columns[column]))
        kinds, texts, thinkings = (pick(columns[at]) for at in (plain.BLOCK_TYPE, plain.TEXT, plain.THINKING))
        calls, rows, size = [], [], self._sizes.append
        call = plain.named_call if self.sums_only else plain.call
        for at, kind, text, thinking in zip(answers, kinds, texts, thinkings, strict=True):
            if kind == "tool_use":
                odd.line = first + at
                row = call(self.sink, chunk, at)
                calls.append(at)
                rows.append(row)
                self._inputs.append(row[plain.INPUT_CHARS])
                size(_NO_TEXT)
            else:
                self._inputs.append(0)
                size(plain.answer_sizes(kind, text, thinking))
        self._add("tool_uses", chunk, calls, rows)

    def _one_by_one(self, chunk: _Chunk, wanted: Sequence[int], states: list[int]) -> None:
        """Hand records to the function of their kind, each decoded again with the fields that it may look at."""
        kinds, lines = chunk.columns[f.TYPE], chunk.lines
        wanted = [at for at in wanted if type(kinds[at]) is str and kinds[at] in HANDLERS]
        given = [lines[at] for at in wanted]
        for at, line, record in zip(wanted, given, several(given), strict=True):
            self.odd.line = chunk.first + at
            if record is not None and dispatch(self.sink, chunk.place(at, self.odd), record, line):
                states[at] = USED

    def frames(self) -> RawFrames:
        """The raw tables of the records taken, and `records`: one row a record, for spans and the files' totals."""
        if not self.numbers:
            return {}
        records = self._records()
        places = records.select(_PLACE)
        out = {name: self._table(name, places, rows) for name, rows in self._rows.items()}
        out["usage"] = self._usage(records)
        out["records"] = records
        if self._contents.at:
            calls, texts, stubs = zip(*self._contents.own, strict=True)
            rows = places[self._contents.at].with_columns(
                self._series("tool_use_id", "str", calls, self._contents.at),
                pl.Series("stub", stubs, dtype=pl.Boolean),
            )
            out["contents"] = build.with_marks(rows, texts)
        return self._finished(out)

    def _finished(self, out: RawFrames) -> RawFrames:
        """Add what the per-record functions wrote, and note by file what was mended."""
        files = out["records"]["file"]
        for at in self.odd.surrogates:
            self.mended.setdefault(files[at], set()).add(self.numbers[at])
        for at in self.odd.clamped:
            self.clamped[files[at]] = self.clamped.get(files[at], 0) + 1
        for name, rows in build.frames(self.sink.drain(), self.mended).items():
            out[name] = pl.concat([out[name], rows]) if name in out else rows
        self._clear()
        return {name: table for name, table in out.items() if table.height}

    def _series(
        self, name: str, kind: RawType, values: Sequence[Any], wanted: Sequence[int] | None = None
    ) -> pl.Series:
        """A column; `wanted` are the positions of its values where it is not one of all records."""
        positions = range(len(self.numbers)) if wanted is None else wanted
        return build.series(name, kind, values, partial(self._cleaned, positions))

    def _cleaned(self, positions: Sequence[int], kind: RawType, values: Sequence[Any]) -> list[Any]:
        out = []
        for at, value in zip(positions, values, strict=True):
            self.odd.line = at
            out.append(build.clean(kind, value, self.odd))
        return out

    def _records(self) -> pl.DataFrame:
        """One row a record: place, state, whether it talks, folder and version."""
        files, sessions, agents = zip(*self._heads, strict=True)
        starts = list(accumulate(self._lengths, initial=0))[:-1]
        heads = pl.DataFrame(
            [
                pl.Series("file", files, dtype=pl.Int64),
                self._series("session_id", "str", sessions, starts),
                self._series("agent_id", "str", agents, starts),
            ]
        )
        lengths = pl.Series(self._lengths, dtype=pl.UInt32)
        run = pl.select(pl.int_range(lengths.len(), dtype=pl.UInt32).repeat_by(lengths).explode()).to_series()
        rows = heads[run].with_columns(
            pl.Series("line", self.numbers, dtype=pl.Int64),
            self._series("ts", "time", self._kept[f.TS]),
            self._sidechain(heads["agent_id"].is_not_null().gather(run)),
            self._series("uuid", "str", self._kept[f.UUID]),
            pl.Series("state", self.states, dtype=pl.Int8),
            pl.Series("talk", self._talk, dtype=pl.Boolean),
            self._series("cwd", "str", self._kept[f.CWD]),
        )
        if plain.VERSION in self._kept:
            rows = rows.with_columns(self._series("version", "str", self._kept[plain.VERSION]))
        else:
            rows = rows.with_columns(pl.lit(None, pl.String).alias("version"))
        return rows.select(*_PLACE, "state", "talk", "cwd", "version")

    def _sidechain(self, of_agent: pl.Series) -> pl.Series:
        """As `is_aside`, for all records."""
        told = self._kept[f.SIDECHAIN]
        if not set(map(type, told)) <= {bool, type(None)}:
            told = [one if type(one) is bool else None if one is None else False for one in told]
        return pl.Series("sidechain", told, dtype=pl.Boolean).fill_null(of_agent)

    def _table(self, name: str, places: pl.DataFrame, rows: _Rows) -> pl.DataFrame:
        """A raw table: places of its records, then its own columns."""
        own = BY_NAME[name].columns[len(_PLACE) :]
        if not rows.at:
            return pl.DataFrame(schema=polars_schema(BY_NAME[name]))
        pairs = zip(own, zip(*rows.own, strict=True), strict=True)
        return places[rows.at].hstack([self._series(column, kind, values, rows.at) for (column, kind), values in pairs])

    def _usage(self, records: pl.DataFrame) -> pl.DataFrame:
        """The table `usage` of the plain answers."""
        schema = polars_schema(BY_NAME["usage"])
        wanted, columns = self._answers, self._answered
        if not wanted:
            return pl.DataFrame(schema=schema)
        own = [self._series(name, "str", columns[at], wanted) for name, at in _TEXTS.items() if at in columns]
        own += [self._counter(name, columns[at], wanted) for name, at in _COUNTS.items() if at in columns]
        names = ("text_chars", "last_text_chars", "thinking_chars")
        own += [pl.Series(n, v, dtype=pl.Int64) for n, v in zip(names, zip(*self._sizes, strict=True), strict=True)]
        own.append(pl.Series("tool_chars", self._inputs, dtype=pl.Int64))
        errors = [error is True for error in columns.get(plain.API_ERROR, [None] * len(wanted))]
        own.append(pl.Series("is_api_error", errors, dtype=pl.Boolean))
        table = records.select(*_PLACE, "cwd", "version")[wanted].hstack(own)
        parts = pl.sum_horizontal(pl.col("cache_write_5m_tokens", "cache_write_1h_tokens").cast(pl.Int128))
        parts = parts.clip(upper_bound=INT64_MAX).cast(pl.Int64)
        some = pl.col("cache_write_5m_tokens").is_not_null() | pl.col("cache_write_1h_tokens").is_not_null()
        table = table.with_columns(
            pl.col("input_tokens").alias("context_input_tokens"),
            pl.col("cache_read_tokens").alias("context_read_tokens"),
            pl.coalesce("cache_write_tokens", pl.when(some).then(parts)).alias("context_write_tokens"),
            *(pl.lit(None, schema[name]).alias(name) for name, at in (_TEXTS | _COUNTS).items() if at not in columns),
            pl.lit(value=True).alias("has_usage"),
            pl.lit(value=False).alias("from_progress"),
        )
        return table.select(pl.col("inference_geo").replace("", None) if n == "inference_geo" else n for n in schema)

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


def _is_clean(value: Any) -> bool:
    return value is None or (type(value) is str and value.isascii())
