"""Reports that the store answers without Polars: the overview of everything, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from measure.reports.model import Entry, Filters, Report, Source

# The frames that the overview counts.
LOOKED_AT = ("requests", "agents", "sessions", "files")
# Filters that leave the overview's figures alone.
_FREE = ("timezone", "top", "over", "above", "prices")


def is_plain_overview(entries: Sequence[Entry], filters: Filters) -> bool:
    """The overview alone, of everything."""
    unfiltered = replace(filters, **{name: getattr(Filters(), name) for name in _FREE}) == Filters()
    return unfiltered and [entry.name for entry in entries] == ["overview"]


def stored(
    entries: Sequence[Entry], paths: Sequence[Path], filters: Filters, form: str
) -> tuple[list[Report], Source | None]:
    """The finished reports and their source; no report where the frames must be asked."""
    if form != "json" or not is_plain_overview(entries, filters):
        return [], None
    from measure.store import place, quick

    told = quick.overview(paths) if place.is_on() else None
    if told is None:
        return [], None
    from measure.reports.overview import told as report

    return [report(told[0], filters)], told[1]
