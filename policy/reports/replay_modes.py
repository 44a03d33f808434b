"""The modes of the return budget side by side: what announcing, blocking or shortening would have cost and saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hooks.runtime.returns import ANNOUNCE, BLOCK, MODES
from measure.frames import Frames
from measure.reports.model import Report, Show, Table
from measure.reports.words import counted, usd
from policy import asked
from policy import replay as rules
from policy import replay_worth as value
from policy.fit.inputs import Priced, arrays, priced, valued
from policy.fit.returns_choice import assumptions
from policy.reports.replay import WORTH, Options, return_run, row

LEAST_RETURNS, LEAST_SESSIONS = 30, 5  # fewer tell nothing: then block, as people know it
COLUMNS = (Show("mode"), *WORTH)
ADVISED = ("mode", "n", "sessions", "acted", "saved_tokens", "tokens_interval", "saved_usd", "usd_interval")


def rows(data: Priced, section: Mapping[str, Any], environment: Mapping[str, str], modes: Sequence[str]) -> list[Any]:
    """One row a mode: returns valued, acted on, tokens kept out of the callers' contexts, dollars net of the blocks."""
    worth = valued(data) if len(data.frames.returns) else None
    if worth is None or not len(worth):
        return []
    sessions, given, assumed = worth["session_id"].to_list(), arrays(worth), assumptions(data.steps)
    tried = {mode: decisions(worth, section, environment, mode) for mode in dict.fromkeys([*modes, BLOCK])}
    effects = {mode: value.of_returns(given, decided, assumed) for mode, decided in tried.items()}
    found = []
    for mode in modes:
        acted = (tried[mode]["action"] != "pass").to_numpy()
        made = row(value.worth(sessions, acted, *effects[mode]))
        better = row(value.worth(sessions, acted, effects[mode][0] - effects[BLOCK][0], effects[mode][1]))
        found.append({"feature": "returns", "mode": mode} | made | {"usd_over_block": better["usd_interval"]})
    return found


def decisions(
    worth: pl.DataFrame, section: Mapping[str, Any], environment: Mapping[str, str], mode: str
) -> pl.DataFrame:
    """Every valued return under one mode."""
    tried = asked.overlaid(dict(section), {"mode": mode}) | {"enabled": True}
    return rules.return_decisions(worth, tried, environment)


def recommend(found: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """(mode, why): the one that saved most and surely something; block where the data say too little."""
    n = found[0]["n"] if found else 0
    sessions = found[0]["sessions"] if found else 0
    if n < LEAST_RETURNS or sessions < LEAST_SESSIONS:
        return BLOCK, f"too few to choose by: {counted(n, 'return')} in {counted(sessions, 'session')}"
    best = max(found, key=lambda one: one["saved_usd"])
    if best["saved_usd"] > 0 and best["usd_interval"] and best["usd_interval"][0] > 0:
        return str(best["mode"]), "it saved most, and its interval lies above zero"
    if best["mode"] != BLOCK and best["usd_over_block"] and best["usd_over_block"][0] > 0:
        return str(best["mode"]), "return by return it beats blocking, and that interval lies above zero"
    harm = [one for one in found if one["mode"] == BLOCK and one["usd_interval"] and one["usd_interval"][1] < 0]
    if harm:
        return ANNOUNCE, "blocking lost money, and no mode surely saved any"
    return BLOCK, "no mode surely saved money"


def build(frames: Frames, options: Options, modes: Sequence[str]) -> Report:
    """The report of `setpoint replay returns --mode announce,block,shorten`."""
    data = priced(frames, options.prices, options.now)
    section = dict(options.sections.get("returns", {}))
    found = rows(data, section, options.environment, modes)
    known = frames.returns.filter(pl.col("first_est_tokens").is_not_null())
    mode, why = recommend(found)
    report = Report(
        name="replay",
        title="What each mode of the return budget would have done to past sessions (dollars: an estimate)",
        rows=found,
        tables=[Table("Returns: tokens kept out of the callers' contexts, dollars net of the blocks", found, COLUMNS)],
        totals={"returns": len(frames.returns), "sessions": len(frames.sessions)},
        lead=[f"Of these take {mode}: {why}."] if set(modes) == set(MODES) else [],
        notes=[
            "announce: what the announcement alone changes does not show in past sessions; it is counted as nothing.",
            "shorten: background reports are cut from client 2.1.330 on, and a workflow's where its result holds them.",
        ],
        extra={"limits": {"returns": section}, "recommended": mode, "why": why},
        empty="Nothing to replay.",
    )
    if len(known) > (found[0]["n"] if found else 0):
        report.notes.append(
            f"Not valued: {len(known) - (found[0]['n'] if found else 0)} of {counted(len(known), 'return')}."
        )
    if options.list_runs:
        report.extra["runs"] = runs(data, section, options, modes)
    return report


def runs(data: Priced, section: dict[str, Any], options: Options, modes: Sequence[str]) -> list[dict[str, Any]]:
    """Every return that a mode would have acted on, with its own dollars: for checks by hand."""
    worth = valued(data)
    found = []
    for mode in modes:
        decided = decisions(worth, section, options.environment, mode)
        dollars, tokens = value.of_returns(arrays(worth), decided, assumptions(data.steps))
        for run, saved, kept in zip(decided.iter_rows(named=True), dollars.tolist(), tokens.tolist(), strict=True):
            if run["action"] != "pass":
                found.append(return_run(run, {}) | {"mode": mode, "saved_usd": saved, "saved_tokens": kept})
    return found


def advice(frames: Frames, options: Options) -> dict[str, Any]:
    """The modes' rows and the one to take, also in `lines` of text: what an installation says before it asks."""
    data = priced(frames, options.prices, options.now)
    found = rows(data, options.sections.get("returns", {}), options.environment, MODES)
    mode, why = recommend(found)
    text = [
        f"  {one['mode']:<9} would have saved ${usd(one['saved_usd'])} ({one['range']}) and "
        f"{one['saved_tokens']:,.0f} tokens of {counted(one['n'], 'return')}"
        for one in found
    ]
    text.append(f"  advice    mode {mode}: {why} (from your own transcripts)")
    modes = [{key: one[key] for key in ADVISED} for one in found]
    return {"modes": modes, "recommended": mode, "why": why, "lines": text}
