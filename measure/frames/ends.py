"""How each agent run ended: completed, failed, stopped, limit, running or unknown."""

from __future__ import annotations

from typing import Any

import polars as pl

from measure.frames.launches import LAUNCHERS, agent_deliveries, answering_tools
from measure.frames.runs import POSITION, THREAD
from measure.transcripts.build import RawFrames

Key = tuple[str | None, str | None]
_WORDS = {
    "completed": "completed",
    "success": "completed",
    "limit": "limit",
    "failed": "failed",
    "error": "failed",
    "killed": "stopped",
    "stopped": "stopped",
    "cancelled": "stopped",
    "canceled": "stopped",
    "interrupted": "stopped",
}
_SCHEMA = {"session_id": pl.String, "agent_id": pl.String, "status": pl.String}


def statuses(raw: RawFrames, launched: pl.DataFrame, returns: pl.DataFrame) -> pl.DataFrame:
    """One row an agent: session_id, agent_id, status. The last word on it counts, whoever said it.

    A return is the strongest word; then come the launching call's own result, an interrupt or a final API error in
    the agent's file, a stop that was asked for. A run launched in the background of which nothing else is known is
    running where the client writes an end (`finished` in its meta file) and has written none, else unknown.
    """
    words: dict[Key, str] = {}
    for source in (_stops(raw), _files(raw), _calls(raw, launched), _results(raw, launched), _notices(raw)):
        words.update(source)
    for session, agent, status in returns.select(*THREAD, "status").iter_rows():
        if words.get((session, agent)) not in {"failed", "stopped"} or status == "limit":
            words[session, agent] = _WORDS.get(status or "completed", "unknown")
    rows = []
    for session, agent, mode, finished in launched.select(*THREAD, "mode", "finished").iter_rows():
        otherwise = "running" if mode == "background" and finished is False else "unknown"
        rows.append((session, agent, words.get((session, agent), otherwise)))
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def _notices(raw: RawFrames) -> dict[Key, str]:
    """The status of the last notification of each agent."""
    rows = agent_deliveries(raw).filter(pl.col("status").is_not_null()).sort(*POSITION, nulls_last=True)
    found = rows.select("session_id", "from_agent", "status").iter_rows()
    return {(session, agent): _WORDS.get(status, "unknown") for session, agent, status in found}


def _results(raw: RawFrames, launched: pl.DataFrame) -> dict[Key, str]:
    """What the launching call's result says, of runs that it waited for."""
    by_call = _by_call(launched)
    tools = answering_tools(raw)
    rows = raw["agent_results"].filter(pl.col("owned") & pl.col("run_id").is_null()).sort(*POSITION, nulls_last=True)
    names = ("session_id", "result_agent", "tool_use_id", "status", "is_async", "is_error", "hit_limit")
    found: dict[Key, str] = {}
    for session, agent, call, status, late, is_error, limit in rows.select(names).iter_rows():
        if not late and status in _WORDS and tools.get(call, "Agent") in LAUNCHERS:
            key = (session, agent or by_call.get((session, call)))
            found[key] = "failed" if is_error else "limit" if limit else _WORDS[status]
    return found


def _calls(raw: RawFrames, launched: pl.DataFrame) -> dict[Key, str]:
    """Launching calls that ended in an error, a refusal or an interrupt, or in a bare text."""
    by_call = _by_call(launched)
    told = raw["agent_results"].select("file", "tool_use_id").unique()
    uses = raw["tool_uses"].filter(pl.col("tool").is_in(LAUNCHERS)).select("file", "tool_use_id").unique()
    rows = raw["tool_results"].filter(pl.col("owned") & pl.col("tool_use_id").is_in(uses["tool_use_id"].implode()))
    rows = rows.join(uses, on=("file", "tool_use_id"), how="semi")
    rows = rows.join(told, on=("file", "tool_use_id"), how="anti").sort(*POSITION, nulls_last=True)
    names = ("session_id", "agent_id", "tool_use_id", "is_error", "interrupted", "denial")
    found: dict[Key, str] = {}
    for session, caller, call, is_error, interrupted, denial in rows.select(names).iter_rows():
        agent = by_call.get((session, call))
        if agent is not None and agent != caller:
            stopped = interrupted or denial is not None
            found[session, agent] = "stopped" if stopped else "failed" if is_error else "completed"
    return found


def _files(raw: RawFrames) -> dict[Key, str]:
    """The last thing in each agent's file, where that is an interrupt or an API error."""
    names = (*THREAD, *POSITION)
    marks = raw["events"].filter(pl.col("owned") & pl.col("agent_id").is_not_null())
    errors = (pl.col("kind") == "synthetic") & (pl.col("outcome") == "api_error")
    word = pl.when(pl.col("kind") == "interrupt").then(pl.lit("stopped")).when(errors).then(pl.lit("failed"))
    work = raw["usage"].select(*names, "owned").filter(pl.col("owned") & pl.col("agent_id").is_not_null())
    rows = pl.concat(
        [
            marks.filter(pl.col("kind").is_in(["interrupt", "synthetic"])).select(*names, word.alias("word")),
            work.select(*names, pl.lit(None, pl.String).alias("word")),
        ]
    )
    last = rows.sort(*POSITION, nulls_last=True).group_by(THREAD, maintain_order=True).agg(pl.col("word").last())
    return {(session, agent): word for session, agent, word in last.iter_rows() if word is not None}


def _stops(raw: RawFrames) -> dict[Key, str]:
    """Agents that somebody asked to stop."""
    rows = raw["tool_uses"].filter(pl.col("owned") & pl.col("tool").is_in(["TaskStop", "KillShell", "KillBash"]))
    found = rows.filter(pl.col("target").is_not_null()).select("session_id", "target").iter_rows()
    return dict.fromkeys(found, "stopped")


def _by_call(launched: pl.DataFrame) -> dict[tuple[Any, Any], str]:
    return {(s, call): agent for s, agent, call in launched.select(*THREAD, "launched_by").iter_rows() if call}
