"""Tokens by project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.reports.grouped import grouped
from measure.reports.model import Filters, Report, Show

if TYPE_CHECKING:
    from measure.frames import Frames


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """One row a project (repository root; null where no record names a folder), most requests first."""
    return usage.by(frames.requests, "project").sort("requests", "project", descending=[True, False])


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `projects`."""
    table = rows(frames, filters) if table is None else table
    return grouped("projects", "Tokens by project", Show("project"), table, frames, filters)
