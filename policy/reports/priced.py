"""Reports of `measure` with their price: sessions, agents, models, days and projects gain the column `cost_usd`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from measure.reports import agents as measure_agents
from measure.reports import days as measure_days
from measure.reports import models as measure_models
from measure.reports import projects as measure_projects
from measure.reports import sessions as measure_sessions
from measure.reports.model import Table
from policy.rebuilds import THREAD, summed
from policy.reports.money import costed, extra, notes, warnings

if TYPE_CHECKING:
    from measure.frames import Frames
    from measure.reports.model import Filters, Report

COST = "cost_usd"


def models(frames: Frames, filters: Filters) -> Report:
    """The report `models`, priced."""
    return _priced(frames, filters, measure_models, ("model",))


def days(frames: Frames, filters: Filters) -> Report:
    """The report `days`, priced."""
    return _priced(frames, filters, measure_days, ("day",))


def projects(frames: Frames, filters: Filters) -> Report:
    """The report `projects`, priced."""
    return _priced(frames, filters, measure_projects, ("project",))


def sessions(frames: Frames, filters: Filters) -> Report:
    """The report `sessions`, priced."""
    return _priced(frames, filters, measure_sessions, ("session_id",))


def agents(frames: Frames, filters: Filters) -> Report:
    """The report `agents`, priced."""
    return _priced(frames, filters, measure_agents, THREAD)


def _priced(frames: Frames, filters: Filters, report: object, keys: tuple[str, ...]) -> Report:
    costs, prices = costed(frames, filters)
    usd = costs.group_by(keys).agg(summed("usd").alias(COST))
    table: pl.DataFrame = report.rows(frames, filters)  # type: ignore[attr-defined] # a module with rows and build
    table = table.join(usd, on=keys, how="left", nulls_equal=True, maintain_order="left").with_columns(
        pl.when(pl.col("requests") == 0).then(0.0).otherwise(COST).alias(COST)  # nothing was used: no unknown price
    )
    built: Report = report.build(frames, filters, table)  # type: ignore[attr-defined]
    built.tables = [_narrower(each) for each in built.tables] if report is measure_sessions else built.tables
    built.totals[COST] = costs["usd"].sum() if costs["usd"].count() else None
    built.notes += [*warnings(costs), *notes(costs, prices)]
    built.extra |= extra(costs, prices)
    return built


def _narrower(shown: Table) -> Table:
    """The table of sessions with room for its dollars in 80 columns; the column left out stays in the rows."""
    return replace(shown, show=tuple(each for each in shown.show if each.column not in {"input_tokens", "agents"}))
