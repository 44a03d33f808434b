"""How values are written for people."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from measure.reports.words import cell, clean, duration, short, tail, usd

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.00k"),
        (12_345, "12.3k"),
        (999_999, "1.00M"),
        (4_560_000, "4.56M"),
        (7.89e9, "7.89B"),
    ],
)
def test_large_counts_are_short(value: int, text: str) -> None:
    assert short(value) == text


def test_unknown_is_a_dash_and_zero_is_zero() -> None:
    assert cell(None, "short", BERLIN) == "-"
    assert cell(0, "short", BERLIN) == "0"


def test_times_are_shown_in_the_zone_of_the_reader() -> None:
    assert cell(datetime(2026, 11, 30, 23, 30, tzinfo=UTC), "time", BERLIN) == "2026-12-01 00:30"


def test_a_month_is_shown_without_a_day() -> None:
    assert cell(date(2026, 11, 1), "month", BERLIN) == "2026-11"
    assert cell(date(2026, 11, 1), "day", BERLIN) == "2026-11-01"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234.5, "1,234.50"),
        (0.0123, "0.0123"),
        (0.000_2, "0.00020"),
        (0.000_012, "0.000012"),
        (-0.000_345_6, "-0.00035"),
        (1.5e-7, "0.00000015"),
        (0, "0.00"),
        (-1e-17, "0.00"),
    ],
)
def test_money_shows_two_significant_digits_or_more_when_it_is_little(value: float, text: str) -> None:
    assert usd(value) == text


def test_what_a_transcript_holds_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in clean("\x1b[2J\x07evil")
    assert "\u202e" not in clean("\u202eevil")


def test_the_end_of_a_path_is_kept() -> None:
    assert tail("/home/user/project", 10) == "…r/project"
    assert tail("/short", 10) == "/short"


@pytest.mark.parametrize(("seconds", "text"), [(3.2, "3.2s"), (75, "1m15s"), (7500, "2h05m"), (360_000, "4d04h")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
