"""The one output form that a command line asked for."""

from __future__ import annotations

from measure.errors import UsageError
from measure.reports.run import Form


def form(*, json: bool, markdown: bool, csv: bool) -> Form:
    """The form; UsageError where several are asked for."""
    if json + markdown + csv > 1:
        raise UsageError("--json, --markdown and --csv exclude each other: choose one.")
    return "json" if json else "markdown" if markdown else "csv" if csv else "text"
