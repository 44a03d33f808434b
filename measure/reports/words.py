"""Values as people read them: the only place that rounds, abbreviates or leaves the UTC clock."""

from __future__ import annotations

import math
import unicodedata
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from measure.reports.model import Kind, Show

UNKNOWN = "-"
NO_MONEY = 1e-10  # dollars: a hundredth of the cheapest token; below it stand only the remains of binary fractions

_SUFFIXES: tuple[tuple[str, Kind], ...] = (
    ("_usd", "usd"),
    ("_share", "share"),
    ("_ms", "ms"),
    ("_seconds", "seconds"),
    ("_tokens", "short"),
    ("_chars", "short"),
    ("_id", "id"),
)
_NAMES: dict[str, Kind] = {
    "ts": "time",
    "started": "time",
    "ended": "time",
    "day": "day",
    "path": "path",
    "project": "path",
    "file": "path",
}


def kind_of(show: Show, sample: object) -> Kind:
    """Kind of a column: as declared, else by its name, else by a value of it."""
    if show.kind:
        return show.kind
    if show.column in _NAMES:
        return _NAMES[show.column]
    for suffix, kind in _SUFFIXES:
        if show.column.endswith(suffix):
            return kind
    if isinstance(sample, bool):
        return "flag"
    return "count" if isinstance(sample, int | float) else "text"


def header_of(show: Show) -> str:
    """Header of a column: as declared, else its name without the unit."""
    if show.header:
        return show.header
    name = show.column
    for suffix in ("_tokens", "_usd", "_chars", "_share", "_seconds"):
        name = name.removesuffix(suffix)
    if show.column.endswith("_usd"):
        name = "$" if name == "cost" else f"{name} $"
    return name.replace("_", " ")


def short(value: float) -> str:
    """A large count in three or four digits: 999, 12.3k, 4.56M, 7.89B."""
    for unit, size in (("B", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)):
        if abs(value) >= size * 0.99995:
            scaled = value / size
            digits = 2 if abs(scaled) < 9.995 else 1
            return f"{scaled:.{digits}f}{unit}"
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def counted(number: int, noun: str) -> str:
    """ "1 agent", "40 agents": a count with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def usd(value: float) -> str:
    """Dollars: cents; below ten cents four decimals, and as many more as two significant digits need."""
    if abs(value) >= 0.1 or abs(value) < NO_MONEY:
        return f"{abs(value) if abs(value) < NO_MONEY else value:,.2f}"
    return f"{value:.{max(4, 1 - math.floor(math.log10(abs(value))))}f}"


def tail(path: str, width: int = 34) -> str:
    """The end of a long path: the end tells paths apart."""
    return path if len(path) <= width else "…" + path[-(width - 1) :]


def clean(text: str) -> str:
    """Text without control characters: what a transcript holds must not steer the reader's terminal."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in {"Cc", "Cf", "Cs"} else c for c in text)


def duration(seconds: float) -> str:
    """12s, 3m20s, 2h05m, 4d03h."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f}s" if seconds < 10 else f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02d}h"


def cell(value: Any, kind: Kind, zone: ZoneInfo) -> str:
    """One value as text; unknown is a dash, never 0."""
    if value is None:
        return UNKNOWN
    if isinstance(value, datetime):
        return value.astimezone(zone).strftime("%Y-%m-%d" if kind == "day" else "%Y-%m-%d %H:%M")
    if isinstance(value, date):
        return value.strftime("%Y-%m") if kind == "month" else value.isoformat()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value, kind)
    if isinstance(value, list):
        return ", ".join(cell(v, kind, zone) for v in value)
    text = clean(str(value))
    if kind == "id":
        return text[:8]
    return text


def _number(value: float, kind: Kind) -> str:
    match kind:
        case "short":
            return short(value)
        case "usd":
            return usd(value)
        case "share":
            return f"{100 * value:.1f}%"
        case "seconds":
            return duration(value)
        case "ms":
            return f"{value:,.0f}"
        case _:
            return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
