"""Tables for people: they fit, cut no number, and cannot be broken by what they hold."""

import io

import pytest

from measure.reports.model import Filters, Report, Show, Source, Table
from measure.reports.render import as_markdown, as_text

SOURCE = Source(1, (), {"read": 1, "used": 1, "bookkeeping": 0, "unknown": 0, "damaged": 0}, {})
WIDE = {
    "path": "/home/user/" + "deep/" * 30 + "file.py",
    "agent_type": "x" * 60,
    "n": 123_456_789,
    "cost_usd": 12345.678,
}
SHOW = (Show("path"), Show("agent_type"), Show("n"), Show("cost_usd"))


def text(report: Report, monkeypatch: pytest.MonkeyPatch, columns: int = 80) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    as_text([report], Filters(), SOURCE, out)
    return out.getvalue()


def one(row: dict[str, object], **total: object) -> Report:
    return Report("r", "Title", [row], [Table("T", [row], SHOW, total or None)])


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_texts_give_way_and_numbers_do_not(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    out = text(one(WIDE), monkeypatch, columns)
    assert all(len(line) <= columns for line in out.splitlines())
    assert "123,456,789" in out
    assert "12,345.68" in out
    assert "file.py" in out, "a path keeps its end"


def test_markup_and_control_characters_are_only_text(monkeypatch: pytest.MonkeyPatch) -> None:
    out = text(one({"path": "[bold]a[/bold]", "agent_type": "\x1b[31mred:smile:", "n": 1}), monkeypatch)
    assert "[bold]a[/bold]" in out
    assert "\x1b" not in out
    assert ":smile:" in out


def test_markdown_cells_cannot_break_the_table() -> None:
    out = as_markdown(
        [one({"path": "a|b", "agent_type": "<script>", "n": None, "cost_usd": 0.5}, n=1)], Filters(), SOURCE
    )
    row = next(line for line in out.splitlines() if "script" in line)
    assert row == r"| a\|b | \<script\> | - | 0.50 |"
    assert "| --- | --- | --- | ---: |" in out, "a column of which nothing is known is text"


def test_wide_characters_are_measured_as_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.cells import cell_len

    out = text(one({"path": "/家/" + "漢字" * 40, "agent_type": "数", "n": 1}), monkeypatch)
    assert all(cell_len(line) <= 80 for line in out.splitlines())


def test_an_empty_report_is_a_sentence_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    report = Report("r", "Title", [], [Table("T", [], SHOW)], notes=["a note"], empty="Nothing here.")
    out = text(report, monkeypatch)
    assert "Nothing here." in out
    assert "a note" not in out


def test_what_one_report_said_the_next_does_not_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = one({"path": "/a", "n": 1}), one({"path": "/b", "n": 2})
    first.notes, second.notes = ["Both.", "First."], ["Both.", "Second."]
    out = io.StringIO()
    as_text([first, second], Filters(), SOURCE, out)
    assert out.getvalue().count("Both.") == 1
    assert "Second." in out.getvalue()
    assert as_markdown([first, second], Filters(), SOURCE).count("Both.") == 1
