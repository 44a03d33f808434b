"""Rows to columns: one Polars frame a raw table, wrong types and lone surrogates cleaned on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from measure.transcripts.lines import line_marks
from measure.transcripts.raw import BY_NAME, TABLES, RawTable, RawType, Row, polars_schema
from measure.transcripts.values import INT64_MAX, Oddities, moment

# With the point outside Polars reads it with its own parser, else with chrono's, which takes three times as long.
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%3fZ"
# A time outside cannot be one of a transcript: unknown, and no zone or window carries it past what a datetime holds.
EARLIEST, LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2999, 1, 1, tzinfo=UTC)
Mended = dict[int, set[int]]  # file -> lines in which lone surrogates were replaced
RawFrames = dict[str, pl.DataFrame]
_DTYPES = {"str": pl.String, "time": pl.String, "int": pl.Int64, "bool": pl.Boolean}
_WITHOUT_TEXT = RawTable(
    "contents without text",
    "",
    tuple(pair for pair in BY_NAME["contents"].columns if pair[0] not in {"first_number", "marks"}),
)


def frames(rows: Mapping[str, Sequence[Row]], mended: Mended) -> RawFrames:
    """The raw tables that have rows, as frames."""
    return {name: frame(BY_NAME[name], table, mended) for name, table in rows.items() if table}


def frame(table: RawTable, rows: Sequence[Row], mended: Mended) -> pl.DataFrame:
    """One raw table. Adds to `mended` the lines whose text had to be mended."""
    if not rows:
        return pl.DataFrame(schema=polars_schema(table))
    if table.name == "contents":
        return _contents(table, rows, mended)
    columns = list(zip(*rows, strict=True))
    odd = Oddities()

    def cleaned(kind: RawType, values: Sequence[Any]) -> list[Any]:
        out = []
        for odd.line, value in enumerate(values):
            out.append(clean(kind, value, odd))
        return out

    pairs = zip(table.columns, columns, strict=True)
    out = pl.DataFrame([series(name, kind, values, cleaned) for (name, kind), values in pairs])
    if table.names[:2] == ("file", "line"):
        for at in odd.surrogates:
            mended.setdefault(columns[0][at], set()).add(columns[1][at])
    return out


def _contents(table: RawTable, rows: Sequence[Row], mended: Mended) -> pl.DataFrame:
    """The texts that reads brought in become the marks of their lines; no word of them goes on."""
    at = table.names.index("marks")
    out = frame(_WITHOUT_TEXT, [row[: at - 1] + row[at + 1 :] for row in rows], mended)
    return with_marks(out, [row[at] for row in rows])


def with_marks(rows: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
    """The table `contents` from its other columns, and the texts they tell of: null for a stub."""
    numbers, marks = line_marks([text for text in texts if text is not None])
    held = pl.Series([text is not None for text in texts]).arg_true()
    out = rows.with_row_index("row").join(
        pl.DataFrame({"row": held, "first_number": numbers, "marks": marks}),
        on="row",
        how="left",
        maintain_order="left",
    )
    return out.select(BY_NAME["contents"].names)


def series(
    name: str, kind: RawType, values: Sequence[Any], cleaned: Callable[[RawType, Sequence[Any]], list[Any]]
) -> pl.Series:
    """A column of the raw type `kind`; `cleaned` is asked for the values where they are not all of that type."""
    dtype = _DTYPES[kind]
    try:
        column = pl.Series(name, values, dtype=dtype, strict=True)
    except (TypeError, ValueError, OverflowError):
        # UnicodeEncodeError is a ValueError: a lone surrogate
        column = pl.Series(name, cleaned(kind, values), dtype=dtype, strict=True)
    if kind != "time":
        return column
    times = _times(column)
    if times.null_count() == column.null_count():
        return times
    return _times(pl.Series(name, cleaned(kind, values), dtype=dtype, strict=True))


def _times(column: pl.Series) -> pl.Series:
    times = column.str.to_datetime(TIME_FORMAT, time_unit="us", time_zone="UTC", strict=False)
    if times.is_empty() or times.is_between(EARLIEST, LATEST).all(ignore_nulls=True):
        return times
    return times.set(~times.is_between(EARLIEST, LATEST), None)


def clean(kind: RawType, value: Any, odd: Oddities) -> Any:
    """One value of the type `kind`, or None."""
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if kind == "int":
        return min(value, INT64_MAX) if type(value) is int and value >= -INT64_MAX else None
    return moment(value) if kind == "time" else odd.string(value)


def joined(parts: Sequence[RawFrames]) -> RawFrames:
    """The tables that have rows, parts below each other."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: pl.concat([part[name] for part in parts if name in part]) for name in names}


def concat(parts: Sequence[RawFrames]) -> RawFrames:
    """All raw tables, parts below each other; those without rows are empty frames with their schema."""
    found = joined(parts)
    return {t.name: found[t.name] if t.name in found else pl.DataFrame(schema=polars_schema(t)) for t in TABLES}
