"""From a command line to finished fits: read once, fit each feature, compare or write, print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from measure.errors import UsageError
from measure.lazy import resolve
from measure.reports.model import Entry, Filters, Report, Show, Source, Table, iso
from measure.reports.run import Form, names_and_paths, write
from measure.reports.words import counted
from policy.fit import FITS
from policy.fit.limit import Limit, interval_text
from policy.fit.options import Fitted, Options
from policy.limits import Drift, Scope, drift, save
from policy.reports.fitted import table

OWN = ("Limits", "Bounds")  # a feature's own table, which the one over all features replaces
Act = Literal["drift", "project", "global"]


def features_and_paths(words: Iterable[str]) -> tuple[list[Entry], list[Path]]:
    """Sort the words of a command line; no feature named: all of them."""
    return names_and_paths(words, FITS, default=[entry.name for entry in FITS])


def share(text: str) -> float:
    """A share between 0 and 1: "20%" or "0.2". Raises UsageError for anything else."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 < value < 1:
        raise UsageError(f"--max-blocked {text!r} is no share: write 20% or 0.2.")
    return value


def fit_all(
    entries: Sequence[Entry],
    paths: Sequence[Path],
    filters: Filters,
    options: Options,
    *,
    form: Form,
    or_sample: bool,
    act: Act | None,
) -> bool:
    """Read, fit, act and print. True where --drift found a limit outside its fresh interval."""
    from measure.reports.read import read
    from measure.reports.select import select
    from policy.fit.inputs import priced

    frames, source = read(paths, or_sample=or_sample)
    chosen = select(frames, filters)
    data = priced(chosen, options.prices, options.now)
    fitted: list[Fitted] = [resolve(entry.target)(data, options) for entry in entries]
    if len(fitted) > 1:
        every = [limit for each in fitted for limit in each.limits]
        for each in fitted:
            each.report.tables = [own for own in each.report.tables if own.title not in OWN]
        fitted[0].report.tables.insert(0, table("Limits in force and fitted", every, "interval or range"))
    outside = False
    if act == "drift":
        outside = any([compared(each) for each in fitted])  # noqa: C419 - each must be compared, not only up to the first
    elif act is not None:
        written(fitted, act, source, options)
    write([each.report for each in fitted], filters, source, form)
    return outside


def compared(fitted: Fitted) -> bool:
    """Add the comparison to the report; True where a limit lies outside."""
    found = drift(fitted.limits)
    outside = [each for each in found if each.outside]
    fitted.report.extra["drift"] = [drift_row(each) for each in found]
    fitted.report.lead.insert(0, sentence(found, outside, fitted.limits))
    if found:
        rows = [drift_row(each) | {"range": interval_text(each.limit)} for each in found]
        show = (
            Show("limit"),
            Show("in_force", "in force"),
            Show("range", "fresh interval"),
            Show("n"),
            Show("outside"),
        )
        fitted.report.tables.insert(0, Table("Limits in force against a fresh fit", rows, show))
    return bool(outside)


def drift_row(found: Drift) -> dict[str, Any]:
    """One comparison."""
    limit = found.limit
    return {
        "limit": limit.name,
        "in_force": limit.in_force,
        "fitted": limit.value,
        "interval": limit.interval,
        "n": limit.n,
        "sessions": limit.sessions,
        "outside": found.outside,
    }


def sentence(found: list[Drift], outside: list[Drift], limits: list[Limit]) -> str:
    """The verdict on drift."""
    if not found:
        return f"Drift: none of {counted(len(limits), 'limit')} has enough data for a fresh interval."
    if not outside:
        return f"Drift: every limit that could be fitted ({len(found)}) lies inside its fresh interval."
    names = ", ".join(each.limit.name for each in outside)
    return f"Drift: outside their fresh intervals: {len(outside)} of {counted(len(found), 'limit')}: {names}."


def written(fitted: list[Fitted], scope: Scope, source: Source, options: Options) -> None:
    """Write all limits in one step and say where."""
    limits = [limit for each in fitted for limit in each.limits]
    horizon = source.horizon.get("oldest")
    path = save(scope, limits, iso(options.now) or "", str(horizon) if horizon else None)
    count = sum(limit.value is not None for limit in limits)
    line = f"Wrote {counted(count, 'limit')} to {path}." if path else "Nothing written: no limit has enough data."
    for each in fitted:
        each.report.extra["written"] = str(path) if path else None
    _first(fitted).lead.insert(0, line)


def _first(fitted: list[Fitted]) -> Report:
    return fitted[0].report
