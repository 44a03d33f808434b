"""What is known of each agent run before its requests are counted: who launched it, how, and of what type it is."""

from __future__ import annotations

from typing import Any

import polars as pl

from measure.frames.runs import POSITION, THREAD
from measure.transcripts.build import RawFrames
from measure.transcripts.values import INT64_MAX

LAUNCHERS = ("Agent", "Task")
DELIVERED = "deliveries of agents"
INLINE = 2  # rank of a chain inside a main file (`ownership`)
Key = tuple[str | None, str | None]
# The tables whose rows tell that a thread was at work.
_WORK = ("usage", "tool_results", "turns")

SCHEMA: dict[str, pl.DataType] = {
    "session_id": pl.String(),
    "agent_id": pl.String(),
    "agent_type": pl.String(),
    "launched_by": pl.String(),
    "parent_agent_id": pl.String(),
    "depth": pl.Int64(),
    "mode": pl.String(),
    "finished": pl.Boolean(),
    "model_known": pl.String(),
    "launched_at": pl.Datetime("us", "UTC"),
}


def launches(raw: RawFrames) -> pl.DataFrame:
    """One row an agent run that any record, meta file or journal names, in the order of (session, agent).

    Each fact comes from the meta file, else from the launching call, else from its result. `raw` is prepared.
    """
    known: dict[Key, dict[str, Any]] = {}
    calls = _calls(raw)
    for key, facts in (*_delivered(raw), *_seen(raw), *_results(raw), *_inline(raw, calls), *_metas(raw)):
        entry = known.setdefault(key, {})
        entry.update({name: value for name, value in facts.items() if value is not None})
    for (session, _), entry in known.items():
        _from_call(entry, calls.get((session, entry.get("launched_by"))))
    _depths(known)
    rows = [{"session_id": key[0], "agent_id": key[1], **facts} for key, facts in known.items()]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").sort(*THREAD)


def _calls(raw: RawFrames) -> dict[Key, dict[str, Any]]:
    """Launching calls by (session, tool_use_id); ids that stand for several calls tell nothing."""
    uses = raw["tool_uses"].filter(pl.col("owned") & pl.col("tool").is_in(LAUNCHERS))
    uses = uses.sort("rank", *POSITION, nulls_last=True)
    calls: dict[Key, dict[str, Any]] = {}
    twice = set()
    names = ("session_id", "tool_use_id", "agent_id", "message_id", "subagent_type", "background", "ts", "path", "line")
    for row in uses.select(names).iter_rows(named=True):
        key = (row["session_id"], row["tool_use_id"])
        if key not in calls:
            calls[key] = row
        elif calls[key]["message_id"] != row["message_id"]:  # no copy in a fork agent's file
            twice.add(key)
    return {key: row for key, row in calls.items() if key not in twice and key[1] is not None}


def _seen(raw: RawFrames) -> list[tuple[Key, dict[str, Any]]]:
    """Agents that have a file or rows of their own."""
    kinds = dict(raw["files"].select("path", "kind").iter_rows())
    spans = raw["spans"].filter(pl.col("rank") == 1).select(*THREAD, "path").unique(maintain_order=True)
    flows = [
        ((s, a), {"mode": "workflow" if kinds.get(p) == "workflow agent" else None}) for s, a, p in spans.iter_rows()
    ]
    usage = raw["usage"].select(*THREAD, *POSITION, "attribution_agent").filter(pl.col("agent_id").is_not_null())
    usage = usage.sort(*POSITION, nulls_last=True)
    types = usage.group_by(THREAD, maintain_order=True).agg(pl.col("attribution_agent").drop_nulls().first())
    forks = raw["fork_refs"].select(*THREAD).unique(maintain_order=True)
    return [
        *((key, facts) for key, facts in flows if key[1] is not None),
        *(((session, agent), {"agent_type": kind}) for session, agent, kind in types.iter_rows()),
        *(((session, agent), {"mode": "fork"}) for session, agent in forks.iter_rows() if agent is not None),
    ]


def answering_tools(raw: RawFrames) -> dict[str | None, str]:
    """The tool of each call whose result names an agent."""
    named = raw["agent_results"]["tool_use_id"].drop_nulls().unique().implode()
    uses = raw["tool_uses"].filter(pl.col("tool_use_id").is_in(named))
    return dict(uses.select("tool_use_id", "tool").iter_rows())


def agent_deliveries(raw: RawFrames) -> pl.DataFrame:
    """The deliveries of agents: those of background commands and of whole workflows are none. Kept in `raw`."""
    if DELIVERED not in raw:
        raw[DELIVERED] = _agent_deliveries(raw)
    return raw[DELIVERED]


def _agent_deliveries(raw: RawFrames) -> pl.DataFrame:
    rows = raw["deliveries"].filter(pl.col("owned") & pl.col("from_agent").is_not_null())
    tools = raw["tool_uses"].select("tool_use_id", "tool")
    tools = tools.filter(pl.col("tool_use_id").is_in(rows["tool_use_id"].drop_nulls().unique().implode()))
    tools = tools.drop_nulls().unique("tool_use_id", keep="first", maintain_order=True)
    rows = rows.join(tools, on="tool_use_id", how="left", maintain_order="left")
    by_agent = pl.col("tool").is_in([*LAUNCHERS, "SendMessage"])
    unknown = pl.col("tool").is_null() & pl.col("report_chars").is_not_null()
    return rows.filter(by_agent | unknown)


def _delivered(raw: RawFrames) -> list[tuple[Key, dict[str, Any]]]:
    """Agents that a delivery names."""
    rows = agent_deliveries(raw).select("session_id", "from_agent", "tool_use_id").unique(maintain_order=True)
    return [((session, agent), {"launched_by": call}) for session, agent, call in rows.iter_rows()]


def _results(raw: RawFrames) -> list[tuple[Key, dict[str, Any]]]:
    """Agents that the result of a launching call names; the first result of each is that of its launch."""
    tools = answering_tools(raw)
    rows = raw["agent_results"].filter(pl.col("owned") & pl.col("result_agent").is_not_null())
    found: list[tuple[Key, dict[str, Any]]] = []
    named: set[Key] = set()
    names = ("session_id", "result_agent", "tool_use_id", "agent_type", "is_async", "model", "run_id")
    for session, agent, call, kind, late, model, run in rows.sort(*POSITION, nulls_last=True).select(names).iter_rows():
        key = (session, agent)
        if key in named or run is not None or tools.get(call, "Agent") not in LAUNCHERS:
            continue
        named.add(key)
        mode = "background" if late else "foreground"
        found.append((key, {"agent_type": kind, "launched_by": call, "mode": mode, "model_known": model}))
    return found


def _inline(raw: RawFrames, calls: dict[Key, dict[str, Any]]) -> list[tuple[Key, dict[str, Any]]]:
    """Old inline sidechains: the launching call is the one whose result is the chain's last text, else the next one."""
    named = set(raw["agent_results"].filter(pl.col("result_agent").is_not_null())["tool_use_id"])
    launched = pl.Series([call for _, call in calls], dtype=pl.String).implode()
    results = raw["tool_results"].filter(pl.col("owned") & pl.col("tool_use_id").is_in(launched))
    sizes = dict(results.select("tool_use_id", "chars").iter_rows())
    free: dict[Key, list[dict[str, Any]]] = {}
    for (session, call), facts in calls.items():
        if call not in named:
            free.setdefault((session, facts["path"]), []).append(facts)
    found: list[tuple[Key, dict[str, Any]]] = []
    for session, agent, path, line, last in _chains(raw).iter_rows():
        before = [call for call in free.get((session, path), []) if call["line"] < line]
        equal = [call for call in before if last is not None and sizes.get(call["tool_use_id"]) == last]
        launcher = next(iter(equal or before), None)
        if launcher is not None:
            free[session, path].remove(launcher)
        found.append(((session, agent), {"mode": "inline", "launched_by": launcher and launcher["tool_use_id"]}))
    return found


def _chains(raw: RawFrames) -> pl.DataFrame:
    """One row an inline sidechain: thread, path, first line, and the size of its last text."""
    columns = [*THREAD, "path", "line"]
    inline = pl.col("owned") & (pl.col("rank") == INLINE) & pl.col("agent_id").is_not_null()
    work = [raw[name].select(*columns, "owned", "rank").filter(inline) for name in _WORK if name != "usage"]
    usage = raw["usage"].select(*columns, "owned", "rank", pl.col("last_text_chars").alias("text")).filter(inline)
    rows = pl.concat([usage, *work], how="diagonal")
    chains = rows.sort("line").group_by(*THREAD, "path", maintain_order=True)
    return chains.agg(pl.col("line").min(), pl.col("text").drop_nulls().last()).sort("path", "line")


def _metas(raw: RawFrames) -> list[tuple[Key, dict[str, Any]]]:
    """What the meta file says; its agent is the one that its transcript is about."""
    threads = raw["spans"].filter((pl.col("rank") == 1) & pl.col("agent_id").is_not_null())
    by_file = {file: (session, agent) for file, session, agent in threads.select("file", *THREAD).iter_rows()}
    found: list[tuple[Key, dict[str, Any]]] = []
    for row in raw["metas"].iter_rows(named=True):
        key = by_file.get(row["file"], (row["session_id"], row["agent_id"]))
        mode = "fork" if row["is_fork"] else "workflow" if row["in_workflow"] else row["request_shape"]
        model = None if row["model"] == "inherit" else row["model"]
        facts = {name: row[name] for name in ("agent_type", "launched_by", "parent_agent_id", "depth")}
        # Clients that write a request shape also write `finished` when the run ends.
        finished = row["finished"] or (False if row["request_shape"] else None)
        found.append((key, {**facts, "finished": finished, "mode": mode, "model_known": model}))
    return found


def _from_call(entry: dict[str, Any], call: dict[str, Any] | None) -> None:
    """Fill what is still unknown from the launching call."""
    if call is None:
        return
    entry["launched_at"] = call["ts"]
    facts = {"agent_type": call["subagent_type"], "parent_agent_id": call["agent_id"]}
    if call["background"] is not None:
        facts["mode"] = "background" if call["background"] else "foreground"
    for name, value in facts.items():
        if entry.get(name) is None and value is not None:
            entry[name] = value


def _depths(known: dict[Key, dict[str, Any]]) -> None:
    """1 for an agent whose parent is the main thread or unknown, one more than its parent for a nested one."""
    for (session, agent), entry in known.items():
        chain = [agent]
        depth, at = entry.get("depth"), entry
        while depth is None:
            parent = at.get("parent_agent_id")
            if parent is None or parent in chain or (session, parent) not in known:
                depth = 1 if parent is None else 2
                break
            chain.append(parent)
            at = known[session, parent]
            depth = at.get("depth")
        if entry.get("depth") is None:
            entry["depth"] = min(depth + len(chain) - 1, INT64_MAX)
