"""What a report is: plain values, finished before any renderer sees them.

A report module offers two functions:

- `rows(frames, filters) -> pl.DataFrame`: the one table behind its numbers;
- `build(frames, filters, table=None) -> Report`: the same table, told to a reader. A policy report may hand in a
  table with more columns (`carry_usd`): they are shown where they stand.

Nothing heavy is imported here: `overview --json` must start in no time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

SCHEMA_VERSION = 1

Kind = Literal["text", "path", "count", "short", "share", "seconds", "ms", "time", "day", "month", "usd", "flag", "id"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What the user asked to see, already checked. An option of a policy report is a field here too.

    `since` is the first instant shown, `until` the first instant no longer shown (both UTC).
    """

    since: datetime | None = None
    until: datetime | None = None
    timezone: str = "UTC"
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    agent_types: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    top: int | None = None
    over: int = 800
    above: int = 150_000
    bound: int | None = None
    prices: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The filters under their option names, instants as UTC ISO 8601."""
        return {
            "since": iso(self.since),
            "until": iso(self.until),
            "timezone": self.timezone,
            "project": list(self.projects),
            "session": list(self.sessions),
            "agent_type": list(self.agent_types),
            "model": list(self.models),
            "top": self.top,
            "over": self.over,
            "above": self.above,
            "bound": self.bound,
            "prices": self.prices,
        }


@dataclass(frozen=True, slots=True)
class Show:
    """How one column is shown; header and kind follow from the column's name where not given."""

    column: str
    header: str = ""
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people: some columns of a frame (or of plain rows), in order."""

    title: str
    rows: pl.DataFrame | list[dict[str, Any]]
    show: tuple[Show, ...]
    total: dict[str, Any] | None = None
    """A last line with these values by column; null where a sum means nothing."""


@dataclass(slots=True)
class Report:
    """A finished report. `rows` is the machine's table (JSON, CSV); `tables` are what a person reads."""

    name: str
    title: str
    rows: pl.DataFrame | list[dict[str, Any]]
    tables: list[Table]
    totals: dict[str, Any] = field(default_factory=dict)
    lead: list[str] = field(default_factory=list)
    """Sentences above the tables."""
    notes: list[str] = field(default_factory=list)
    """Sentences below the tables: how a number is meant."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Further keys of the JSON object."""
    empty: str = "Nothing found."
    """Shown instead of the tables when `rows` is empty."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the numbers come from: the foot of every report."""

    files_read: int
    skipped: tuple[tuple[str, str], ...]
    records: dict[str, int]
    horizon: dict[str, Any]
    notes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    sample: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a registry: `target` is "module:function", imported when the report is asked for."""

    name: str
    target: str
    help: str
    separate: bool = False
    """True where `build` takes one Frames per path (a list) instead of all paths together."""


Build = Callable[[Any, Filters], Report]
"""What a registry entry names: frames (all paths together; a list where `separate`) and filters in, report out."""


def plain(rows: pl.DataFrame | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows as dicts, whatever they came as."""
    return rows if isinstance(rows, list) else rows.to_dicts()


def iso(value: datetime | None) -> str | None:
    """UTC ISO 8601 with a Z, to the millisecond where there is one."""
    if value is None:
        return None
    return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds").replace("+00:00", "Z")


def shows(*names: str) -> tuple[Show, ...]:
    """Columns by name alone."""
    return tuple(Show(name) for name in names)


def money(columns: Iterable[str]) -> tuple[Show, ...]:
    """The `*_usd` columns that a policy report added."""
    return tuple(Show(name) for name in columns if name.endswith("_usd"))
