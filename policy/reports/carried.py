"""Returns, reads and tools with their carry cost: what each text has cost the context that received it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from measure.frames.runs import THREAD, along
from measure.reports import reads as measure_reads
from measure.reports import returns as measure_returns
from measure.reports import tools as measure_tools
from measure.reports.model import Show, Table
from measure.reports.words import clean, usd
from policy.cost import cost
from policy.price_file import in_force
from policy.reports.money import extra, notes, warnings
from policy.spend import labelled

if TYPE_CHECKING:
    from measure.frames import Frames
    from measure.reports.model import Filters, Report
    from policy.calibrate import Calibration, Factor

CARRY = "carry_usd"
FACTORS = {"chars_per_token": "factor", "low": "low", "high": "high"}
MEANS = (
    "Carry $: the text's cache write, then a read (or, where the cache was rebuilt, a write) for each later request of "
    "its thread up to the next compaction; an estimate, since tokens are characters divided by a factor."
)


def returns(frames: Frames, filters: Filters) -> Report:
    """The report `returns` with `carry_usd`: what each return has cost its caller."""
    table = measure_returns.rows(frames, filters)
    place = {"agent_id": "caller_agent_id", "step": "caller_step", "chars": "caller_chars"}
    paid, told = _carried(frames, filters, table, place)
    return _with(measure_returns.build(frames, filters, paid), paid, told)


def reads(frames: Frames, filters: Filters) -> Report:
    """The report `reads` with `carry_usd`: what each read has cost its thread, and what the guard would have saved."""
    table = measure_reads.rows(frames, filters)
    place = {"agent_id": "agent_id", "step": "result_step", "chars": "chars"}
    paid, told = _carried(frames, filters, table, place)
    report = _with(measure_reads.build(frames, filters, paid), paid, told)
    # NumPy is not imported for a report that has nothing to fit.
    from policy.fit.inputs import Priced
    from policy.reports import fit_reads as guard

    guard.add(report, Priced(frames, told["costs"], made={"calibration": told["calibration"]}))
    return report


def tools(frames: Frames, filters: Filters) -> Report:
    """The report `tools` with `carry_usd`, the dearest tool first."""
    place = {"agent_id": "agent_id", "step": "result_step", "chars": "result_chars"}
    calls, told = _carried(frames, filters, frames.tool_calls, place)
    table = measure_tools.by_tool(calls).sort(CARRY, descending=True, nulls_last=True, maintain_order=True)
    report = _with(measure_tools.build(frames, filters, table), table, told)
    report.tables[0] = _narrower(report.tables[0], table)
    report.lead += _dearest(table)
    return report


def _carried(
    frames: Frames, filters: Filters, rows: pl.DataFrame, place: dict[str, str]
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """`rows` plus `carry_usd`, and what the report says about it.

    The threads are those before any filter: a return of an agent is carried by its caller, and a text's later
    requests may lie outside the window.
    """
    whole = frames.unfiltered or frames
    prices = in_force(filters.prices)
    costs = labelled(cost(whole.requests, prices), filters.timezone)
    texts = rows.select("session_id", **{name: pl.col(column) for name, column in place.items()})
    carriers = _carriers(costs, texts)
    used, calibration = _factors(whole, carriers)
    paid = rows.with_columns(_paid(texts, carriers, calibration))
    told = {
        "costs": costs,
        "calibration": calibration,
        "table": factor_table(used),
        "notes": [MEANS, *factor_notes(used), *images(rows), *warnings(costs), *notes(costs, prices)],
        "extra": extra(costs, prices) | {"calibration": [asdict(each) for each in used]},
    }
    return paid, told


def _carriers(costs: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """The requests of the threads that received any of `texts`."""
    threads = texts.select(THREAD).unique().with_columns(_carries=True)
    return along(costs, threads, THREAD).filter("_carries").drop("_carries")


def _factors(whole: Frames, carriers: pl.DataFrame) -> tuple[list[Factor], Calibration | None]:
    """The factors of the models that carry any text, the most used first; nothing is measured where none does."""
    if not carriers.height:
        return [], None
    from policy.kept import calibration as measured

    models = carriers["model"].drop_nulls().value_counts(sort=True)["model"].to_list()
    calibration = measured(whole, models)
    return [calibration.of(model) for model in models], calibration


def _paid(texts: pl.DataFrame, carriers: pl.DataFrame, calibration: Calibration | None) -> pl.Series:
    """What each text has cost; a text that no request sent costs nothing."""
    if not texts.height:
        return pl.Series(CARRY, [], pl.Float64)
    from policy.calibrate import Calibration
    from policy.carry import carry

    return carry(texts, carriers, calibration or Calibration())[CARRY]


def factor_table(factors: list[Factor]) -> Table:
    """The factors for people: one row a model."""
    rows = [
        row | {name: "-" if row[name] is None else f"{row[name]:.2f}" for name in FACTORS}
        for row in map(asdict, factors)
    ]
    columns = tuple(Show(name, header) for name, header in FACTORS.items())
    return Table("Characters per token, measured", rows, (Show("model"), *columns, Show("steps"), Show("threads")))


def factor_notes(factors: list[Factor]) -> list[str]:
    """How the factors are meant, and which are none of ours."""
    if not factors:
        return []
    from policy.calibrate import FALLBACK, LEAST_STEPS

    lines = []
    if any(each.low is not None for each in factors):
        lines.append("Low, high: the factor's 95 % interval, by a jackknife over threads.")
    if any(each.low is None for each in factors):
        lines.append(
            f"A factor without an interval is a fallback: with fewer than {LEAST_STEPS} steps of a model, or growth "
            f"that does not follow the characters, {FALLBACK:g} characters per token are taken."
        )
    return lines


def images(rows: pl.DataFrame) -> list[str]:
    """A sentence about images and documents, whose tokens no count of characters holds."""
    found = int(rows["images"].sum()) if "images" in rows.columns else 0
    return [f"Images and documents, whose size is no count of characters, are not in these dollars: {found:,}."] * (
        found > 0
    )


def _with(report: Report, table: pl.DataFrame, told: dict[str, Any]) -> Report:
    report.totals[CARRY] = table[CARRY].sum() if table[CARRY].count() else None
    if told["table"].rows:
        report.tables.append(told["table"])
    report.notes += told["notes"]
    # The requests' own total belongs to the report cost; here the total is that of the texts.
    report.extra |= {key: value for key, value in told["extra"].items() if key != "total_usd"}
    return report


def _narrower(shown: Table, table: pl.DataFrame) -> Table:
    """The table of tools with room for its dollars in 80 columns; the columns left out stay in the rows."""
    show = tuple(each for each in shown.show if each.column not in {"denied", "p90"})
    return replace(shown, show=show, total=(shown.total or {}) | {CARRY: table[CARRY].sum()})


def _dearest(table: pl.DataFrame) -> list[str]:
    whole = float(table[CARRY].sum())
    if not whole:
        return []
    first = table.row(0, named=True)
    share = first[CARRY] / whole
    return [f"The results of {clean(first['tool'])} cost most: ${usd(first[CARRY])}, {share:.0%} of ${usd(whole)}."]
