"""Dates, durations and zones of the command line."""

from datetime import UTC, datetime

import pytest

from measure.errors import UsageError
from measure.reports.options import since_instant, until_instant, window, zone_name

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-11-30", "20261130"])
def test_both_ways_to_write_a_day(text: str) -> None:
    assert since_instant(text, "UTC", NOW) == datetime(2026, 11, 30, tzinfo=UTC)
    assert until_instant(text, "UTC", NOW) == datetime(2026, 12, 1, tzinfo=UTC), "the last day is included"


def test_a_day_begins_at_the_zones_midnight() -> None:
    assert since_instant("2026-07-01", "Europe/Berlin", NOW) == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_a_day_with_a_clock_change_has_23_hours() -> None:
    first, end = window("2026-03-29", "2026-03-29", "Europe/Berlin", NOW)
    assert first
    assert end
    assert (end - first).total_seconds() == 23 * 3600


@pytest.mark.parametrize(("text", "hours"), [("24h", 24), ("7d", 168), ("2w", 336), ("7D", 168)])
def test_durations_count_back_from_now(text: str, hours: int) -> None:
    since = since_instant(text, "UTC", NOW)
    assert since
    assert (NOW - since).total_seconds() == hours * 3600


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "2026-02-30", "7", "d", "-1d", "7 days", "2026/11/30"])
def test_what_is_no_date_is_a_usage_error_with_a_hint(text: str) -> None:
    with pytest.raises(UsageError, match="2026-11-30"):
        since_instant(text, "UTC", NOW)


def test_an_empty_window_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        window("2026-11-30", "2026-11-29", "UTC", NOW)


@pytest.mark.parametrize("text", ["999999d", "0001-01-01", "9999-12-31"])
def test_far_ends_do_not_overflow(text: str) -> None:
    for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
        since_instant(text, zone, NOW)
        until_instant(text, zone, NOW)


@pytest.mark.parametrize("name", ["Nowhere/City", "", "../etc/passwd", "Europe", "\0"])
def test_a_bad_zone_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError):
        zone_name(name)


def test_local_is_the_zone_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert zone_name("local") == "Asia/Tokyo"
