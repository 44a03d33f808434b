"""Tokens by model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.reports.grouped import grouped
from measure.reports.model import Filters, Report, Show

if TYPE_CHECKING:
    from measure.frames import Frames


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """One row a model, most requests first; a null model is one that the transcript does not name."""
    return usage.by(frames.requests, "model").sort("requests", "model", descending=[True, False])


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `models`."""
    table = rows(frames, filters) if table is None else table
    return grouped("models", "Tokens by model", Show("model"), table, frames, filters)
