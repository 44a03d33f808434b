"""Tables of finished reports as the template wants them: the text a person reads, and the value to sort by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from measure.names import short_path, short_project
from measure.reports.foot import foot, head
from measure.reports.layout import TEXT
from measure.reports.model import Report, Source, Table, plain
from measure.reports.render import lines_of
from measure.reports.words import header_of, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is read, and what is sorted by (a number, or ISO text; None sorts last)."""

    text: str
    value: float | str | None


@dataclass(frozen=True, slots=True)
class Column:
    header: str
    is_text: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A table, ready: `last` is the line of totals."""

    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    last: list[str] | None


@dataclass(frozen=True, slots=True)
class Section:
    """One report on the page."""

    name: str
    title: str
    lead: list[str]
    grids: list[Grid]
    notes: list[str]
    empty: str


def section(report: Report, zone: str) -> Section:
    """`report` for the page; an empty one keeps its sentence and no table."""
    full = len(report.rows) > 0
    grids = [grid(table, ZoneInfo(zone)) for table in report.tables] if full else []
    return Section(report.name, report.title, report.lead, grids, report.notes, "" if full else report.empty)


def grid(table: Table, zone: ZoneInfo) -> Grid:
    """The same cells as in the terminal, but with paths relative to their project."""
    paths = [show.column for show in table.show if kind_of(show, None) == "path"]
    rows = [_private(row, paths) for row in plain(table.rows)]
    kinds, texts, last = lines_of(replace(table, rows=rows), zone)
    names = [show.column for show in table.show]
    return Grid(
        title=table.title,
        columns=[
            Column(header_of(show).strip() or "value", kind in TEXT)
            for show, kind in zip(table.show, kinds, strict=True)
        ],
        rows=[
            [Cell(text, _value(row.get(name), text)) for name, text in zip(names, line, strict=True)]
            for row, line in zip(rows, texts, strict=True)
        ],
        last=last,
    )


def _private(row: dict[str, Any], paths: Sequence[str]) -> dict[str, Any]:
    """A page is made to be passed on: no folder above a project's own is told."""
    project = row.get("project")
    root = project if isinstance(project, str) else None
    short = {
        name: short_path(row[name], root) for name in paths if name != "project" and isinstance(row.get(name), str)
    }
    return row | short | ({"project": short_project(root)} if root else {})


def _value(value: Any, text: str) -> float | str | None:
    if value is None or isinstance(value, bool | str):
        return None if value is None else text
    if isinstance(value, datetime | date):
        return value.isoformat()
    return value if isinstance(value, int | float) else text


def head_lines(source: Source) -> Sequence[str]:
    """What a reader must know first, without a path."""
    if source.files_read:
        return [line for line in head(source) if line]
    return ["No transcripts were found."]


def source_lines(source: Source) -> Sequence[str]:
    """The foot of the reports without a path: skipped files are counted by reason, notes that name a file left out."""
    reasons = Counter(reason for _, reason in source.skipped)
    lines = foot(replace(source, skipped=(), notes=()))
    lines += [f"Skipped {count:,}: {reason}." for reason, count in reasons.items() if _pathless(reason)]
    return lines + [note for note in source.notes if _pathless(note)]


def _pathless(text: str) -> bool:
    return "/" not in text and "\\" not in text
