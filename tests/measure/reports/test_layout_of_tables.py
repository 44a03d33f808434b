"""A table finds room on a narrow screen without a number being cut."""

import re
from pathlib import Path

import pytest

from measure import cli
from measure.reports.layout import fit, parts, widths

SAMPLE = Path(__file__).resolve().parents[3] / "data" / "transcripts"
NAMES = [entry.name for entry in cli.reports() if not entry.separate]
COMMANDS = [["report", *NAMES], ["fit"], ["fit", "context", "compaction", "cache", "reads"], ["replay"], ["prices"]]


def test_a_table_that_fits_stays_whole() -> None:
    assert parts(["text", "count"], [["name", "n"], ["abc", "1,000"]], 12) == [[0, 1]]


def test_columns_without_room_go_into_parts_that_name_their_rows_again() -> None:
    lines = [["name", "id", "a", "b", "c"], ["main", "12345678", "1,000,000", "2,000,000", "3"]]
    # name and id take 4 + 2 + 8 + 1 of 30; a column of nine and its gap just fits, three do not
    assert parts(["text", "id", "count", "count", "count"], lines, 30) == [[0, 1, 2], [0, 1, 3, 4]]


def test_values_that_are_written_as_texts_name_no_rows() -> None:
    lines = [["measure", "A", "B"], ["cost of a session", "$10.27", "$0.0122"]]
    assert parts(["text", "text", "text"], lines, 30) == [[0, 1], [0, 2]]


def test_names_that_tell_rows_apart_keep_24_letters_on_a_narrow_screen() -> None:
    lines = [["model", "input"], ["claude-sonnet-4-20250514-x", "3"]]
    assert widths(["text", "count"], lines, 20) == [24, 5]


def test_a_sentence_is_cut_before_its_number_not_inside_it() -> None:
    assert fit("2 runs in 1,234 sessions", "text", 14) == "2 runs in …"
    assert fit("2 runs in 1,234 sessions", "text", 17) == "2 runs in 1,234 …"


def test_an_interval_is_a_text_that_never_gives_way() -> None:
    lines = [["name", "interval"], ["x" * 40, "1,390 to 2,819"]]
    assert widths(["text", "text"], lines, 42) == [25, 14]


@pytest.mark.parametrize("columns", [40, 50, 60, 79])
def test_no_number_of_any_command_is_cut_on_a_narrow_screen(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: set[str] = set()
    for width in (200, columns):
        monkeypatch.setenv("COLUMNS", str(width))
        seen: set[str] = set()
        for command in COMMANDS:
            assert cli.run([*command, *([] if command == ["prices"] else [str(SAMPLE)])]) == 0
            out = capsys.readouterr().out
            assert all(len(line.rstrip()) <= width for line in out.splitlines()), command
            seen |= set(re.findall(r"(?<![\w/…-])[\d,.]*\d[kMB%]?(?![\w/…-])", out))
        whole = whole or seen
    assert seen == whole, "every number of the wide tables stands in the narrow ones, and no other"
