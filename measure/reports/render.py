"""Reports for people: Rich tables that fit 80 columns, and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, Any, Literal
from zoneinfo import ZoneInfo

from measure.reports.foot import foot, head
from measure.reports.model import Filters, Kind, Report, Source, Table, plain
from measure.reports.words import cell, clean, header_of, kind_of, tail

TEXT: frozenset[Kind] = frozenset({"text", "path", "id", "time", "day", "month"})
SQUEEZED: frozenset[Kind] = frozenset({"text", "path"})
NARROWEST = 6
GAP = 2
NARROWING = ("since", "until", "project", "session", "agent_type", "model")
NARROW_SCREEN = 80  # below it lines run on: a number that is cut would be a wrong number


def as_text(reports: Sequence[Report], filters: Filters, source: Source | None, out: IO[str]) -> None:
    """Write the reports as tables, with colour only where the terminal wants it (NO_COLOR is honoured)."""
    from rich.console import Console
    from rich.text import Text

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would exit 1; our caller knows what to do

    console = Quiet(file=out, highlight=False, markup=False, emoji=False)
    console.width = max(console.width, NARROW_SCREEN)
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
            console.print(_rich(table, zone, console.width))
        for line in _notes(report, said):
            console.print(Text(line, style="dim"))
        console.print()
    for line in foot(source) if source else ():
        console.print(Text(line, style="dim"))


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


def _rich(table: Table, zone: ZoneInfo, width: int) -> Any:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    kinds, body, last = lines_of(table, zone)
    heads = [header_of(show) for show in table.show]
    lines = [heads, *body, *([last] if last else [])]
    widths = _widths(kinds, lines, width)
    out = RichTable(title=table.title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    out.show_edge, out.padding, out.show_footer = False, (0, 1, 0, 0), last is not None
    for index, (name, kind) in enumerate(zip(heads, kinds, strict=True)):
        total = Text(last[index]) if last else ""
        justify: Literal["left", "right"] = "left" if kind in TEXT else "right"
        out.add_column(Text(name), total, justify=justify, no_wrap=True, width=widths[index])
    for row in body:
        out.add_row(*(Text(_fit(text, kind, w)) for text, kind, w in zip(row, kinds, widths, strict=True)))
    return out


def _widths(kinds: list[Kind], lines: list[list[str]], width: int) -> list[int]:
    """Numbers are never cut; what texts are too wide for `width` share what is left, the widest giving way first."""
    from rich.cells import cell_len

    widths = [max(cell_len(line[index]) for line in lines) for index in range(len(kinds))]
    gaps = GAP * (len(kinds) - 1) + 1
    soft = [index for index, kind in enumerate(kinds) if kind in SQUEEZED]
    while sum(widths) + gaps > width and soft:
        widest = max(soft, key=lambda index: widths[index])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths


def _fit(text: str, kind: Kind, width: int) -> str:
    """A text cut to its column: a path keeps its end, another text its beginning."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return tail(text, width) if kind == "path" else set_cell_size(text, width - 1) + "…"


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
