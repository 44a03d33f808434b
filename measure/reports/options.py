"""From option texts to `Filters`: dates, durations and time zones, checked."""

from __future__ import annotations

import os
import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from measure.errors import SetpointError, UsageError
from measure.reports.model import Filters
from measure.transcripts.values import INT64_MAX
from measure.zone import local_names

DURATION = re.compile(r"(\d{1,6})([hdw])")
HOURS = {"h": 1, "d": 24, "w": 168}


def zone_name(text: str) -> str:
    """IANA name for an option value; "local" is the system's zone, UTC where the system names none."""
    if text.lower() != "local":
        return _checked(text)
    for name in local_names():
        try:
            return _checked(name)
        except UsageError:
            continue
    return "UTC"


def filters(
    *,
    since: str = "",
    until: str = "",
    timezone: str = "local",
    project: list[str] | None = None,
    session: list[str] | None = None,
    agent_type: list[str] | None = None,
    model: list[str] | None = None,
    **more: Any,
) -> Filters:
    """The shared options of every command that reads transcripts, checked; `more` are further fields of Filters."""
    _readable(more.get("prices"))
    zone = zone_name(timezone)
    first, end = window(since, until, zone, datetime.now(UTC))
    return Filters(
        since=first,
        until=end,
        timezone=zone,
        projects=tuple(project or ()),
        sessions=tuple(session or ()),
        agent_types=tuple(agent_type or ()),
        models=tuple(model or ()),
        **_in_range(more),
    )


def _readable(prices: str | None) -> None:
    """Raise SetpointError where the file of prices cannot be read, before a report that needs none of them is made."""
    if prices:
        try:
            with open(os.path.expanduser(prices), "rb"):  # noqa: PTH111, PTH123 - pathlib takes longer to import
                pass
        except OSError as error:
            raise SetpointError(f"prices file {prices}: cannot be read ({error.strerror}).") from None


def _in_range(given: dict[str, Any]) -> dict[str, Any]:
    """Numbers no larger than a column can hold: beyond, they mean the same."""
    return {name: min(value, INT64_MAX) if isinstance(value, int) else value for name, value in given.items()}


def since_instant(text: str | None, zone: str, now: datetime) -> datetime | None:
    """First instant shown: the local midnight of a date, or so long before now."""
    if not text:
        return None
    day = _date(text)
    return _midnight(day, zone) if day else _ago(text, now, "--since")


def until_instant(text: str | None, zone: str, now: datetime) -> datetime | None:
    """First instant no longer shown: the midnight after a date (the date is included), or so long before now."""
    if not text:
        return None
    day = _date(text)
    if day is None:
        return _ago(text, now, "--until")
    return _midnight(day + timedelta(days=1), zone) if day < date.max else None


def window(since: str | None, until: str | None, zone: str, now: datetime) -> tuple[datetime | None, datetime | None]:
    """Both ends. Raises UsageError for a bad value and for an empty window."""
    first, end = since_instant(since, zone, now), until_instant(until, zone, now)
    if first and end and first >= end:
        raise UsageError(f"--since {since} lies after --until {until}: nothing can be between them.")
    return first, end


def _date(text: str) -> date | None:
    for form in ("%Y-%m-%d", "%Y%m%d"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    return None


def _ago(text: str, now: datetime, option: str) -> datetime:
    match = DURATION.fullmatch(text.strip().lower())
    if not match:
        raise UsageError(f"{option} {text!r} is no date: write 2026-11-30, 20261130, 7d, 2w or 24h.")
    try:
        return now - timedelta(hours=int(match[1]) * HOURS[match[2]])
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _midnight(day: date, zone: str) -> datetime:
    try:
        return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)
    except OverflowError:
        return datetime.combine(day, time(), UTC)


def _checked(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"--timezone {name!r} is no time zone: write an IANA name such as Europe/Berlin, or local."
        ) from None
    return name
