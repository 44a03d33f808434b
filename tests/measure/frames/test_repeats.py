"""Kinds of repeat reads, each with its counter-case. Line N of the file has check N, and 9 UTF-16 units."""

from __future__ import annotations

from measure.frames.repeats import NONE, Held, Range, Repeat

WHOLE = Range()


def read(held: Held, first: int, last: int, asked: Range | None = None, start: bool = True, add: int = 0) -> Repeat:
    checks = [line + add for line in range(first, last + 1)]
    sizes = [9] * len(checks)
    return held.read(asked or Range(first, last), first if start else None, checks, sizes, 10 * len(checks))


def test_the_first_read_repeats_nothing() -> None:
    assert read(Held(), 1, 50, WHOLE) == NONE


def test_the_same_range_again_is_the_same_and_all_of_it_avoidable() -> None:
    held = Held()
    read(held, 1, 50, WHOLE)
    assert read(held, 1, 50, WHOLE) == Repeat("same", 500)
    read(held, 60, 70)
    assert read(held, 60, 70) == Repeat("same", 110)


def test_a_range_inside_what_is_held_is_contained() -> None:
    held = Held()
    read(held, 1, 50, WHOLE)
    assert read(held, 40, 45) == Repeat("contained", 60)


def test_two_reads_together_contain_a_third() -> None:
    held = Held()
    read(held, 1, 20)
    read(held, 21, 40)
    assert read(held, 11, 30) == Repeat("contained", 200)


def test_a_range_held_in_part_overlaps_and_only_that_part_is_avoidable() -> None:
    held = Held()
    read(held, 1, 50)
    assert read(held, 41, 60) == Repeat("overlap", 100)  # lines 41 to 50, 9 units and a line feed each


def test_ranges_that_only_touch_do_not_repeat() -> None:
    held = Held()
    read(held, 1, 50)
    assert read(held, 51, 60) == NONE


def test_a_file_that_changed_repeats_nothing_and_is_held_anew() -> None:
    held = Held()
    read(held, 1, 50, WHOLE)
    assert read(held, 1, 50, WHOLE, add=1000) == NONE
    assert read(held, 1, 50, WHOLE, add=1000) == Repeat("same", 500)
    assert read(held, 1, 50, WHOLE) == NONE


def test_one_changed_line_in_the_range_means_the_file_changed() -> None:
    held = Held()
    read(held, 1, 10, WHOLE)
    checks = [*range(1, 10), 77]
    assert held.read(WHOLE, 1, checks, [9] * 10, 100) == NONE


def test_lines_read_after_a_change_stay_held_when_the_change_shows() -> None:
    held = Held()
    read(held, 1, 10)
    read(held, 20, 29)
    # line 5 was changed by somebody: seen when it comes again
    assert held.read(Range(5, 6), 5, [77, 6], [9, 9], 20) == NONE
    assert read(held, 20, 25) == Repeat("contained", 60)
    assert held.read(Range(4, 6), 4, [4, 77, 6], [9] * 3, 30) == Repeat("contained", 30)


def test_bash_and_read_see_the_same_lines() -> None:
    held = Held()
    read(held, 1, 50, WHOLE)
    assert read(held, 1, 50, WHOLE, start=False) == Repeat("same", 500)
    assert read(held, 20, 29, start=False) == Repeat("contained", 100)


def test_read_shows_an_empty_last_line_that_cat_does_not() -> None:
    held = Held()
    read(held, 1, 5, WHOLE, start=False)
    assert held.read(WHOLE, 1, [1, 2, 3, 4, 5, 0], [9] * 5 + [2], 52) == Repeat("same", 52)


def test_blank_lines_taken_off_the_front_of_a_print_do_not_look_like_a_change() -> None:
    held = Held()
    held.read(WHOLE, 1, [1, 0, 3, 4, 5], [9, 0, 9, 9, 9], 41)
    # lines 2 to 5, of which line 2 is blank and was taken off
    assert held.read(Range(2, 5), None, [3, 4, 5], [9] * 3, 29) == Repeat("contained", 29)


def test_the_end_of_a_file_is_contained_where_the_whole_file_is_held() -> None:
    held = Held()
    read(held, 1, 50, WHOLE)
    assert read(held, 41, 50, Range(None, None, 10), start=False) == Repeat("contained", 100)


def test_the_end_of_a_file_of_unknown_length_repeats_nothing() -> None:
    held = Held()
    read(held, 1, 50)
    assert read(held, 41, 50, Range(None, None, 10), start=False) == NONE


def test_the_same_end_of_a_file_again_is_the_same_while_its_lines_are() -> None:
    held = Held()
    end = Range(None, None, 10)
    assert read(held, 41, 50, end, start=False) == NONE
    assert read(held, 41, 50, end, start=False) == Repeat("same", 100)
    assert read(held, 42, 51, end, start=False) == NONE


def test_equal_blank_lines_alone_are_no_repeat() -> None:
    held = Held()
    held.read(Range(1, 2), 1, [0, 0], [2, 2], 5)
    assert held.read(Range(1, 2), 1, [0, 0], [2, 2], 5) == NONE
