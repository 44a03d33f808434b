"""`setpoint replay`: past sessions under given limits: who would have been stopped, where, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import polars as pl

from measure.frames import Frames
from measure.reports.model import Filters, Report, Show, Table
from measure.reports.words import counted, short, usd
from policy import replay as rules
from policy import replay_worth as value
from policy.fit import compaction_choice, context_choice
from policy.fit.inputs import Priced, arrays, priced, valued
from policy.fit.quantiles import Floats
from policy.fit.returns_choice import assumptions
from policy.fit.runs import Thread, threads
from policy.prices import Prices
from policy.reports.fit_compaction import reread
from policy.reports.fit_context import callers_of

T = TypeVar("T")
FEATURES = ("returns", "context", "compaction")
ALL = "all"
WORTH = (
    Show("n"),
    Show("acted"),
    Show("share", "share, 95 %"),
    Show("saved_tokens", "tokens"),
    Show("saved_usd"),
    Show("range", "95 % interval"),
)
COLUMNS = (Show("agent_type", "type"), *WORTH)
TITLES = {
    "returns": "Returns: tokens kept out of the callers' contexts, dollars net of the blocks",
    "context": "Context bound: tokens not read again, dollars net of the restarts",
    "compaction": "Compaction: tokens not read again, dollars against what happened",
}


@dataclass(frozen=True, slots=True)
class Options:
    """Sections to replay (as in setpoint.json), the environment, and what is assumed of a stopped agent."""

    sections: Mapping[str, Mapping[str, Any]]
    environment: Mapping[str, str]
    prices: Prices
    now: datetime
    features: tuple[str, ...] = FEATURES
    max_turns: int | None = None
    obey: float = 1.0
    lag: int = 2
    list_runs: bool = False


@dataclass(slots=True)
class Replayed:
    """Rows by feature and type, the single runs, and sentences."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    lead: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def build(frames: Frames, options: Options, filters: Filters) -> Report:
    """The report: one row a feature and agent type, the runs with `--list`."""
    data = priced(frames, options.prices, options.now)
    own = threads(data, options.prices) if set(options.features) & {"context", "compaction"} else []
    out = Replayed()
    if "returns" in options.features:
        returns(out, data, options)
    if "context" in options.features:
        context(out, own, data, options)
    if "compaction" in options.features:
        compaction(out, own, data, options)
    tables = []
    for feature in options.features:
        rows = [row | {"agent_type": row["agent_type"] or ALL} for row in out.rows if row["feature"] == feature]
        tables.append(Table(TITLES[feature], rows, COLUMNS))
        if options.list_runs:
            own_runs = [run for run in out.runs if run["feature"] == feature]
            tables.append(Table(f"Runs acted on: {feature}", shown(own_runs, filters.top), RUN_COLUMNS))
    report = Report(
        name="replay",
        title="What these limits would have done to past sessions (dollars: an estimate)",
        rows=out.rows,
        tables=tables,
        totals={"returns": len(frames.returns), "threads": len(own), "sessions": len(frames.sessions)},
        lead=out.lead,
        notes=out.notes,
        extra={"limits": {name: dict(section) for name, section in options.sections.items()}},
        empty="Nothing to replay.",
    )
    if options.list_runs:
        report.extra["runs"] = out.runs
    return report


RUN_COLUMNS = (
    Show("session_id", "session"),
    Show("agent_id", "agent"),
    Show("agent_type", "type"),
    Show("where"),
    Show("decision"),
    Show("saved_usd"),
)


def shown(runs: list[dict[str, Any]], top: int | None) -> list[dict[str, Any]]:
    """The runs a person sees: dearest first."""
    ordered = sorted(runs, key=lambda run: -abs(run["saved_usd"] or 0.0))
    return ordered[: top or 20] if top != 0 else ordered


def add(
    out: Replayed,
    feature: str,
    kinds: Sequence[str],
    sessions: Sequence[str],
    acted: np.ndarray,
    dollars: Floats,
    tokens: Floats,
) -> value.Worth:
    """Rows for all and for each type; gives back the worth of all."""
    names = np.array(kinds, dtype=object)
    every = np.array(sessions, dtype=object)
    total = None
    for kind in (ALL, *sorted(set(kinds))):
        part = np.ones(len(names), bool) if kind == ALL else names == kind
        made = value.worth(list(every[part]), acted[part], dollars[part], tokens[part])
        total = total or made
        out.rows.append({"feature": feature, "agent_type": None if kind == ALL else kind} | row(made))
    assert total is not None
    return total


def row(made: value.Worth) -> dict[str, Any]:
    """One worth as a row; infinite ends (one session) are null."""
    plain = asdict(made)
    finite = made.sessions > 1
    return plain | {
        "share": f"{100 * made.share_low:.0f}-{100 * made.share_high:.0f} %",
        "range": f"{usd(made.usd_low)} to {usd(made.usd_high)}" if finite else "none: one session",
        "usd_interval": [made.usd_low, made.usd_high] if finite else None,
        "tokens_interval": [made.tokens_low, made.tokens_high] if finite else None,
    }


def returns(out: Replayed, data: Priced, options: Options) -> None:
    """Returns: every one of known size is decided; dollars where both threads have prices and the session is closed."""
    section = dict(options.sections.get("returns", {})) | {"enabled": True}
    decided = rules.return_decisions(data.frames.returns, section, options.environment)
    known = decided.filter(pl.col("action").is_not_null())
    if not len(known):
        out.lead.append("returns: none of known size.")
        return
    worth = valued(data)
    priced_rows = rules.return_decisions(worth, section, options.environment)
    dollars, tokens = np.zeros(0), np.zeros(0)
    if len(worth):
        dollars, tokens = value.of_returns(arrays(worth), priced_rows, assumptions(data.steps))
        kinds = worth["agent_type"].fill_null("(unknown)").to_list()
        acted = (priced_rows["action"] != "pass").to_numpy()
        add(out, "returns", kinds, worth["session_id"].to_list(), acted, dollars, tokens)
    counts = dict(known["action"].value_counts().iter_rows())
    words = ", ".join(
        f"{counts[name]} {name}" for name in ("pass", "compress", "file", "spill", "cut") if name in counts
    )
    out.lead.append(f"returns: n = {len(known)}: {words}.")
    if len(worth) < len(known):
        out.notes.append(
            f"returns: decided but not valued: {len(known) - len(worth):,} of {len(known):,} "
            "(open session, or a thread without a price)."
        )
    saved = dict(zip(_keys(priced_rows), zip(dollars.tolist(), tokens.tolist(), strict=True), strict=True))
    out.runs += [return_run(run, saved) for run in known.filter(pl.col("action") != "pass").iter_rows(named=True)]


def _keys(rows: pl.DataFrame) -> list[tuple[Any, ...]]:
    return list(rows.select("session_id", "agent_id", "delivery", "caller_agent_id", "caller_step").iter_rows())


def return_run(run: dict[str, Any], saved: dict[tuple[Any, ...], tuple[float, float]]) -> dict[str, Any]:
    """One blocked or cut return."""
    key = tuple(run[name] for name in ("session_id", "agent_id", "delivery", "caller_agent_id", "caller_step"))
    dollars, tokens = saved.get(key, (None, None))
    return {
        "feature": "returns",
        "session_id": run["session_id"],
        "agent_id": run["agent_id"],
        "agent_type": run["agent_type"],
        "where": f"{run['first_est_tokens']:,} est. tokens",
        "size": run["first_est_tokens"],
        "limit": run["pass_tokens"],
        "step": None,
        "decision": run["action"],
        "saved_usd": dollars,
        "saved_tokens": tokens,
    }


def context(out: Replayed, own: list[Thread], data: Priced, options: Options) -> None:
    """Subagents: told to report, and the turns note."""
    runs = context_choice.agents_only(own)
    if not runs:
        out.lead.append("context: no subagent run of two requests or more.")
        return
    told = rules.context_decisions(runs, options.sections.get("context", {}), options.max_turns)
    callers = callers_of(data)
    restarts = _by_party(runs, lambda party, part: context_choice.restart_of(part, callers(party)))
    stops, dollars, tokens = value.of_context(told, restarts, options.obey, options.lag)
    reached = np.array([each.stopped is not None for each in told])
    add(out, "context", [r.party for r in runs], [r.session for r in runs], reached, dollars, tokens)
    line = f"context: n = {counted(len(runs), 'run')}: {reached.sum()} told to report, "
    line += f"{stops.sum()} with work left after the lag"
    if options.max_turns is not None:
        near = sum(each.turns_left is not None for each in told)
        line += f"; {near} would have had the turns note (maxTurns {options.max_turns})"
    out.lead.append(line + ".")
    out.notes.append(f"context: a share of {options.obey:g} obeys, {counted(options.lag, 'request')} after the note.")
    for each, saved, unread in zip(told, dollars.tolist(), tokens.tolist(), strict=True):
        if each.stopped is not None or each.turns_left is not None:
            out.runs.append(context_run(each, saved, unread))


def context_run(each: rules.Told, saved: float, unread: float) -> dict[str, Any]:
    """One run that was told something."""
    run, step = each.thread, each.stopped if each.stopped is not None else each.turns_left
    assert step is not None
    return {
        "feature": "context",
        "session_id": run.session,
        "agent_id": run.agent,
        "agent_type": run.party,
        "where": f"{step + 1:,} of {len(run.context):,}, {short(float(run.context[step]))}",
        "size": int(run.context[step]),
        "limit": each.bound,
        "step": step,
        "decision": "report" if each.stopped is not None else "turns left",
        "saved_usd": saved,
        "saved_tokens": unread,
    }


def compaction(out: Replayed, own: list[Thread], data: Priced, options: Options) -> None:
    """Every thread: where its policy would have let a compaction pass."""
    if not own:
        out.lead.append("compaction: no thread of two requests or more.")
        return
    again = reread(data)["values"]
    after = _by_party(
        own, lambda _, part: compaction_choice.After(base=compaction_choice.base_of(part, own)[0], **again)
    )
    base = {party: each.base for party, each in after.items()}
    k0 = _by_party(own, lambda party, part: compaction_choice.cycle_of(part, after[party]).k0)
    made = rules.compaction_decisions(own, options.sections.get("compaction", {}), base)
    dollars, tokens = value.of_compaction(made, base, k0)
    acted = np.array([bool(each.forced) for each in made])
    add(out, "compaction", [t.party for t in own], [t.session for t in own], acted, dollars, tokens)
    count = sum(len(each.forced) for each in made)
    out.lead.append(
        f"compaction: n = {counted(len(own), 'thread')}: {counted(count, 'compaction')} in {acted.sum()} of them, "
        f"{counted(sum(each.held for each in made), 'ask')} held."
    )
    for each, saved, unread in zip(made, dollars.tolist(), tokens.tolist(), strict=True):
        if each.forced:
            out.runs.append(compaction_run(each, saved, unread))


def compaction_run(each: rules.Compacted, saved: float, unread: float) -> dict[str, Any]:
    """One thread that would have been compacted."""
    thread = each.thread
    return {
        "feature": "compaction",
        "session_id": thread.session,
        "agent_id": thread.agent,
        "agent_type": thread.party,
        "where": "after " + ", ".join(f"{step + 1:,}" for step in each.forced[:4]),
        "size": None,
        "limit": each.force_at,
        "step": each.forced[0],
        "decision": f"{len(each.forced)} x",
        "saved_usd": saved,
        "saved_tokens": unread,
    }


def _by_party(own: list[Thread], make: Callable[[str, list[Thread]], T]) -> dict[str, T]:
    return {party: make(party, [t for t in own if t.party == party]) for party in sorted({t.party for t in own})}
