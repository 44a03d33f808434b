"""Marks tell equal lines and their sizes, and hold no text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from measure.transcripts import lines
from measure.transcripts.lines import unpack_marks


def line_marks(text: str) -> tuple[int | None, list[int]]:
    """Number of the first line and marks of one text, the texts beside it being of other kinds."""
    beside = ["", "1\ta\n2\tb", "    7→x", "😀\n", "1\t😀"]
    numbers, marks = lines.line_marks([*beside, text, *beside])
    return numbers[len(beside)], marks[len(beside)].to_list()


def test_read_and_bash_give_the_same_checks_for_the_same_lines() -> None:
    arrow = line_marks("     9→one\n    10→\ttwo\n    11→")
    tab = line_marks("9\tone\n10\t\ttwo\n11\t")
    bash = line_marks("one\n\ttwo\n")
    assert (arrow[0], tab[0], bash[0]) == (9, 9, None)
    assert unpack_marks(arrow[1])[0] == unpack_marks(tab[1])[0] == unpack_marks(bash[1])[0]


def test_sizes_are_those_of_the_lines_as_the_model_read_them() -> None:
    # "     9→one" is 6 columns, the arrow, 3 letters; the emoji is 2 UTF-16 units
    assert unpack_marks(line_marks("     9→one\n    10→😀")[1])[1] == [10, 9]
    assert unpack_marks(line_marks("ab\n\n" + "x" * 9000)[1])[1] == [2, 0, 4095]


def test_what_the_client_adds_below_is_left_out() -> None:
    _, marks = line_marks("     1→a\tb\n     2→\n\n<system-reminder>\nnote→x\n</system-reminder>\n")
    assert unpack_marks(marks)[1] == [10, 7]


def test_numbers_that_do_not_count_up_are_the_text_of_the_file() -> None:
    assert line_marks("5\tx\n7\ty")[0] is None
    assert line_marks("x\t5\ny\t6")[0] is None
    assert line_marks("²\tx")[0] is None
    assert line_marks("5\tx")[0] == 5


@given(st.text(max_size=200))
def test_no_text_raises_and_every_line_has_a_mark(text: str) -> None:
    first, packed = line_marks(text)
    checks, sizes = unpack_marks(packed)
    assert len(checks) == len(sizes)
    assert first is not None or len(checks) == text.count("\n") + 1


def test_an_empty_line_has_the_check_0_and_no_other_line_has() -> None:
    assert unpack_marks(line_marks("a\n\nb")[1])[0][1] == 0
    assert all(unpack_marks(line_marks("\n".join(map(str, range(100))))[1])[0])


def test_the_probe_is_the_same_in_one_version() -> None:
    assert lines.probe() == lines.probe()
    assert len(set(lines.probe().split())) == 3
