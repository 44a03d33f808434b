"""Reports for people: Rich tables that fit the screen, and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal
from zoneinfo import ZoneInfo

from measure.reports.foot import foot, head
from measure.reports.layout import GAP, TEXT, fit, parts, widths
from measure.reports.model import Filters, Kind, Report, Source, Table, plain
from measure.reports.words import cell, clean, header_of, kind_of

if TYPE_CHECKING:
    from rich.console import Console

NARROWING = ("since", "until", "project", "session", "agent_type", "model")
NARROW_SCREEN = 40  # below it lines run on: a number that is cut would be a wrong number


def as_text(reports: Sequence[Report], filters: Filters, source: Source | None, out: IO[str]) -> None:
    """Write the reports as tables, with colour only where the terminal wants it (NO_COLOR is honoured)."""
    from rich.text import Text

    console = console_for(out)
    zone = ZoneInfo(filters.timezone)
    said: set[str] = set()
    for line in head(source) if source else ():
        console.print(Text(line), soft_wrap=True)
    for report in reports if source is None or source.files_read else ():
        console.print(Text(report.title, style="bold"))
        for line in report.lead if len(report.rows) else (_empty(report, filters),):
            console.print(line)
        for table in report.tables if len(report.rows) else ():
            console.print()
            _print(console, table, zone)
        for line in _notes(report, said):
            console.print(Text(line, style="dim"))
        console.print()
    for line in foot(source) if source else ():
        console.print(Text(line, style="dim"))


def console_for(out: IO[str]) -> Console:
    """A console that prints text as it is, on no screen narrower than `NARROW_SCREEN`."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would exit 1; our caller knows what to do

    console = Quiet(file=out, highlight=False, markup=False, emoji=False)
    console.width = max(console.width, NARROW_SCREEN)
    return console


def as_markdown(reports: Sequence[Report], filters: Filters, source: Source | None) -> str:
    """The same tables as GitHub Markdown."""
    zone = ZoneInfo(filters.timezone)
    said: set[str] = set()
    blocks = [_escape(line) for line in head(source) if line] if source else []
    for report in reports if source is None or source.files_read else ():
        blocks += [f"## {report.title}", *(report.lead if len(report.rows) else [_empty(report, filters)])]
        for table in report.tables if len(report.rows) else ():
            blocks.append("\n".join(_markdown(table, zone)))
        blocks += _notes(report, said)
    if source:
        blocks.append("  \n".join(_escape(line) for line in foot(source)))
    return "\n\n".join(blocks) + "\n"


def _empty(report: Report, filters: Filters) -> str:
    """Nothing found; where filters were given, they may be why."""
    given = [
        f"--{name.replace('_', '-')} {value if isinstance(value, str) else ' '.join(value)}"
        for name, value in filters.as_json().items()
        if name in NARROWING and value
    ]
    return f"{report.empty} Filters: {clean(', '.join(given))}." if given else report.empty


def _notes(report: Report, said: set[str]) -> list[str]:
    """The sentences below the tables; what an earlier report of the same call said is not said again."""
    new = [line for line in report.notes if line not in said] if len(report.rows) else []
    said.update(new)
    return new


def lines_of(table: Table, zone: ZoneInfo) -> tuple[list[Kind], list[list[str]], list[str] | None]:
    """Kinds, cells and the last line of a table, as text."""
    rows = plain(table.rows)
    kinds = [kind_of(show, _first(rows, show.column)) for show in table.show]
    body = [[cell(row.get(s.column), k, zone) for s, k in zip(table.show, kinds, strict=True)] for row in rows]
    last = None
    if table.total is not None:
        total = table.total
        last = [
            cell(total[s.column], k, zone) if s.column in total else "" for s, k in zip(table.show, kinds, strict=True)
        ]
    return kinds, body, last


def _first(rows: list[dict[str, Any]], column: str) -> object:
    return next((row[column] for row in rows if row.get(column) is not None), None)


def _print(console: Console, table: Table, zone: ZoneInfo) -> None:
    """The table, in parts below each other where it is wider than the screen."""
    from rich.text import Text

    kinds, body, last = lines_of(table, zone)
    heads = [header_of(show) for show in table.show]
    screen = console.width
    if table.title:
        console.print(Text(table.title, style="bold"))
    lines = [heads, *body, *([last] if last else [])]
    for number, columns in enumerate(parts(kinds, lines, screen)):
        if number:
            console.print()
        own = [[line[index] for index in columns] for line in lines]
        shown, wide = _rich([kinds[index] for index in columns], own, screen, totals=last is not None)
        console.width = max(screen, wide)  # Rich would cut what is wider
        console.print(shown)
        console.width = screen


def _rich(kinds: list[Kind], lines: list[list[str]], width: int, *, totals: bool) -> tuple[Any, int]:
    """A part as Rich draws it, and its width; the first of `lines` are the headers, the last the totals."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    each = widths(kinds, lines, width)
    out = RichTable(box=box.SIMPLE_HEAD)
    out.show_edge, out.padding, out.show_footer = False, (0, 1, 0, 0), totals
    for index, (name, kind) in enumerate(zip(lines[0], kinds, strict=True)):
        total = Text(lines[-1][index]) if totals else ""
        justify: Literal["left", "right"] = "left" if kind in TEXT else "right"
        out.add_column(Text(name), total, justify=justify, no_wrap=True, width=each[index])
    for row in lines[1 : len(lines) - totals]:
        out.add_row(*(Text(fit(text, kind, w)) for text, kind, w in zip(row, kinds, each, strict=True)))
    return out, sum(each) + GAP * len(each)


def _markdown(table: Table, zone: ZoneInfo) -> Iterator[str]:
    kinds, body, last = lines_of(table, zone)
    if table.title:
        yield f"### {table.title}"
        yield ""
    yield _row([header_of(show) for show in table.show])
    yield _row(["---" if kind in TEXT else "---:" for kind in kinds], escape=False)
    for row in body:
        yield _row(row)
    if last:
        yield _row([f"**{value}**" if value else "" for value in last], escape=False)


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    return "| " + " | ".join(_escape(c) if escape else c for c in cells) + " |"


def _escape(text: str) -> str:
    for char in "\\|*_`<>[]":
        text = text.replace(char, f"\\{char}")
    return text
