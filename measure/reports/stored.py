"""Reports that need no frames of everything: the overview, which the store knows or which is counted part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from measure.reports.model import Entry, Filters, Report, Source

if TYPE_CHECKING:
    from measure.reports.overview import Counts

# Filters that leave the overview's figures alone.
_FREE = ("timezone", "top", "over", "above", "prices")


def is_plain_overview(entries: Sequence[Entry], filters: Filters) -> bool:
    """The overview alone, of everything."""
    unfiltered = replace(filters, **{name: getattr(Filters(), name) for name in _FREE}) == Filters()
    return unfiltered and [entry.name for entry in entries] == ["overview"]


def without_frames(
    entries: Sequence[Entry], paths: Sequence[Path], filters: Filters, *, form: str, or_sample: bool
) -> tuple[list[Report], Source | None]:
    """The finished reports and their source; no report where the frames must be asked.

    From a store only JSON is answered, and that without Polars.
    """
    if not is_plain_overview(entries, filters):
        return [], None
    from measure.store import place

    told = _known(paths, form) if place.is_on() else _counted(paths, or_sample=or_sample)
    if told is None:
        return [], None
    from measure.reports.overview import told as report

    return [report(told[0], filters)], told[1]


def _known(paths: Sequence[Path], form: str) -> tuple[Counts, Source] | None:
    from measure.store import quick

    return quick.overview(paths) if form == "json" else None


def _counted(paths: Sequence[Path], *, or_sample: bool) -> tuple[Counts, Source]:
    from measure.reports.read import overview

    return overview(paths, or_sample=or_sample)
