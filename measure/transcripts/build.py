"""Rows to columns: one Polars frame a raw table, wrong types and lone surrogates cleaned on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from measure.transcripts.raw import BY_NAME, TABLES, RawTable, RawType, Row, polars_schema
from measure.transcripts.values import INT64_MAX, moment

TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%.3fZ"
Mended = dict[int, set[int]]  # file -> lines in which lone surrogates were replaced
RawFrames = dict[str, pl.DataFrame]


def frames(rows: Mapping[str, Sequence[Row]], mended: Mended) -> RawFrames:
    """The raw tables that have rows, as frames."""
    return {name: frame(BY_NAME[name], table, mended) for name, table in rows.items() if table}


def frame(table: RawTable, rows: Sequence[Row], mended: Mended) -> pl.DataFrame:
    """One raw table. Adds to `mended` the lines whose text had to be mended."""
    if not rows:
        return pl.DataFrame(schema=polars_schema(table))
    columns = list(zip(*rows, strict=True))
    place = columns[:2] if table.names[:2] == ("file", "line") else None
    return pl.DataFrame(
        [
            _series(name, kind, values, place, mended)
            for (name, kind), values in zip(table.columns, columns, strict=True)
        ]
    )


def _series(name: str, kind: RawType, values: Sequence[Any], place: Any, mended: Mended) -> pl.Series:
    dtype = {"str": pl.String, "time": pl.String, "int": pl.Int64, "bool": pl.Boolean}[kind]
    try:
        series = pl.Series(name, values, dtype=dtype, strict=True)
    except (TypeError, ValueError, OverflowError):
        # UnicodeEncodeError is a ValueError: a lone surrogate
        cleaned = [_clean(kind, value, index, place, mended) for index, value in enumerate(values)]
        series = pl.Series(name, cleaned, dtype=dtype, strict=True)
    if kind == "time":
        return series.str.to_datetime(TIME_FORMAT, time_unit="us", time_zone="UTC", strict=False)
    return series


def _clean(kind: RawType, value: Any, index: int, place: Any, mended: Mended) -> Any:
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if kind == "int":
        return min(value, INT64_MAX) if type(value) is int and value >= -INT64_MAX else None
    if not isinstance(value, str):
        return None
    if kind == "time":
        return moment(value)
    try:
        value.encode()
    except UnicodeEncodeError:
        if place is not None:
            mended.setdefault(place[0][index], set()).add(place[1][index])
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def concat(parts: Sequence[RawFrames]) -> RawFrames:
    """All raw tables, parts below each other; those without rows are empty frames with their schema."""
    out: RawFrames = {}
    for table in TABLES:
        found = [part[table.name] for part in parts if table.name in part]
        out[table.name] = pl.concat(found) if found else pl.DataFrame(schema=polars_schema(table))
    return out
