"""The frame `returns`: one row a delivered return, by every route, each delivery once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import polars as pl

from measure.frames.attempts import HANDBACK, Attempts, Ends
from measure.frames.labels import in_order, labelled
from measure.frames.launches import LAUNCHERS, agent_deliveries, answering_tools
from measure.frames.runs import POSITION, THREAD
from measure.frames.steps import step_after, with_segment
from measure.frames.tool_calls import est_tokens
from measure.transcripts.build import RawFrames

Row = dict[str, Any]
EPOCH = datetime.fromtimestamp(0, UTC)
PLACE = ("path", "file_ts", "line", "ts", "thread", "seat")
SCHEMA: dict[str, pl.DataType] = {
    "session_id": pl.String(),
    "agent_id": pl.String(),
    "caller_agent_id": pl.String(),
    "route": pl.String(),
    "path": pl.String(),
    "file_ts": pl.Datetime("us", "UTC"),
    "line": pl.Int64(),
    "thread": pl.UInt32(),
    "seat": pl.Int64(),
    "ts": pl.Datetime("us", "UTC"),
    "chars": pl.Int64(),
    "caller_chars": pl.Int64(),
    "status": pl.String(),
    "tool_use_id": pl.String(),
    "in_context": pl.Boolean(),
    "handed": pl.Boolean(),
    "delivery": pl.Int64(),
    "tried": pl.Int64(),
    "first_chars": pl.Int64(),
}


def returns(raw: RawFrames, placed: pl.DataFrame, launched: pl.DataFrame) -> pl.DataFrame:
    """One row a delivery, in the order of (session, agent, delivery). `launched` is `launches.launches`.

    `chars` are the report's own, `caller_chars` what the caller's context received; both are null where unknown
    (a notification that was queued and never read, a report of which only a preview is left). Where an agent's own
    file is missing, `tried` is null and `first_chars` the size that was delivered: the most that is known.
    """
    by_call = {(s, call): agent for s, agent, call in launched.select(*THREAD, "launched_by").iter_rows() if call}
    modes = {(s, agent): mode for s, agent, mode in launched.select(*THREAD, "mode").iter_rows()}
    handbacks = list(_handbacks(raw))
    handed = {(row["session_id"], row["agent_id"]) for row in handbacks}
    rows = [
        *_results(raw, by_call),
        *_bare(raw, by_call, modes),
        *_notifications(raw),
        *handbacks,
        *(row for row in _messages(raw) if (row["session_id"], row["agent_id"]) not in handed),
        *_workflows(raw),
    ]
    _attempts(rows, Ends(raw))
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return _framed(raw, placed, launched, frame)


def _framed(raw: RawFrames, placed: pl.DataFrame, types: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    frame = with_segment(frame, raw["boundaries"]).with_columns(step_after(frame, placed))
    frame = frame.with_columns(
        pl.when("in_context").then("segment").alias("caller_segment"),
        pl.when("in_context").then("step").alias("caller_step"),
        est_tokens("chars", "est_tokens"),
        est_tokens("first_chars", "first_est_tokens"),
    )
    return labelled("returns", in_order(frame, "delivery", *POSITION), raw, types)


def _row(source: Row, route: str, **given: Any) -> Row:
    """A row that stands where `source` stands; its caller is the thread of that record."""
    row = dict.fromkeys(SCHEMA) | {name: source.get(name) for name in PLACE}
    row |= {"session_id": source["session_id"], "caller_agent_id": source["agent_id"], "route": route}
    return row | {"in_context": True, "handed": False} | given


def _results(raw: RawFrames, by_call: dict[tuple[Any, Any], str]) -> Iterator[Row]:
    """Reports that a launching call gave back."""
    tools = answering_tools(raw)
    rows = raw["agent_results"].filter(
        pl.col("owned")
        & pl.col("run_id").is_null()
        & pl.col("handback").is_null()
        & pl.col("report_chars").is_not_null()
    )
    for row in rows.sort(*POSITION, nulls_last=True).iter_rows(named=True):
        call = row["tool_use_id"]
        if row["is_async"] or row["is_error"] or tools.get(call, "Agent") not in LAUNCHERS:
            continue
        agent = row["result_agent"] or by_call.get((row["session_id"], call))
        status = "limit" if row["hit_limit"] else row["status"]
        given = {"agent_id": agent, "chars": row["report_chars"], "caller_chars": row["caller_chars"]}
        yield _row(row, "tool_result", **given, status=status, tool_use_id=call)


def _bare(raw: RawFrames, by_call: dict[tuple[Any, Any], str], modes: dict[Any, str | None]) -> Iterator[Row]:
    """Results of launching calls that tell nothing but the text: old inline sidechains, and persisted ones."""
    uses = raw["tool_uses"].filter(pl.col("owned") & pl.col("tool").is_in(LAUNCHERS))
    told = raw["agent_results"].select("file", "tool_use_id").unique()
    rows = raw["tool_results"].filter(pl.col("owned") & pl.col("tool_use_id").is_in(uses["tool_use_id"].implode()))
    rows = rows.filter(~pl.col("is_error").fill_null(value=False))
    rows = rows.filter(~pl.col("hook_denied") & pl.col("denial").is_null() & ~pl.col("interrupted"))
    rows = rows.join(uses.select("file", "tool_use_id").unique(), on=("file", "tool_use_id"), how="semi")
    rows = rows.join(told, on=("file", "tool_use_id"), how="anti")
    for row in rows.sort(*POSITION, nulls_last=True).iter_rows(named=True):
        agent = by_call.get((row["session_id"], row["tool_use_id"]))
        if agent is not None and agent == row["agent_id"]:
            continue  # a fork's own file begins with its launch and a placeholder for the answer
        route = "inline" if modes.get((row["session_id"], agent)) == "inline" else "tool_result"
        size = None if row["persisted"] else row["chars"]
        given = {"agent_id": agent, "chars": size, "caller_chars": row["chars"], "status": "completed"}
        yield _row(row, route, **given, tool_use_id=row["tool_use_id"])


def _once(rows: pl.DataFrame) -> Iterator[tuple[Row, bool]]:
    """Each delivery once, and whether it reached the context, though it stands in up to three shapes of record.

    A delivery stands at most once in each shape: of those that are alike there are as many as in the most
    frequent shape. A queued copy of one that another session got (a fork's) is none.
    """
    contexts = ("user", "attachment")
    elsewhere = {
        (agent, digest)
        for agent, digest, shape in rows.select("from_agent", "digest", "shape").iter_rows()
        if shape in contexts
    }
    alike: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for row in rows.sort(*POSITION, nulls_last=True).iter_rows(named=True):
        key = (row["session_id"], row["agent_id"], row["from_agent"], row["status"], row["report_chars"])
        alike.setdefault(key, {}).setdefault(row["shape"], []).append(row)
    for shapes in alike.values():
        read = [row for shape in contexts for row in shapes.get(shape, [])]
        queued = shapes.get("enqueue", []) or next(
            (rows for shape, rows in shapes.items() if shape not in contexts), []
        )
        count = max(len(queued), *(len(shapes.get(shape, [])) for shape in contexts))
        for number in range(count):
            if number < len(read):
                yield read[number] | {"ts": (queued[number] if number < len(queued) else read[number])["ts"]}, True
            elif (queued[number]["from_agent"], queued[number]["digest"]) not in elsewhere or read:
                yield queued[number], False


def _notifications(raw: RawFrames) -> Iterator[Row]:
    """Reports of background agents."""
    rows = agent_deliveries(raw)
    rows = rows.filter((pl.col("kind") == "task-notification") & pl.col("report_chars").is_not_null())
    for row, arrived in _once(rows):
        given = {"agent_id": row["from_agent"], "chars": row["report_chars"], "status": row["status"]}
        size = row["caller_chars"] if arrived else None
        yield _row(row, "notification", **given, caller_chars=size, tool_use_id=row["tool_use_id"], in_context=arrived)


def _messages(raw: RawFrames) -> Iterator[Row]:
    """Handed-back reports as the caller got them."""
    rows = agent_deliveries(raw).filter((pl.col("kind") == "agent-message") & pl.col("handback"))
    for row, arrived in _once(rows):
        given = {"agent_id": row["from_agent"], "chars": row["report_chars"], "handed": True}
        yield _row(row, "handback", **given, caller_chars=row["caller_chars"] if arrived else None, in_context=arrived)


def _handbacks(raw: RawFrames) -> Iterator[Row]:
    """Accepted hand-backs in the agents' own files, each with the message that carried it to the caller."""
    calls = raw["tool_uses"].filter(pl.col("owned") & (pl.col("tool") == HANDBACK) & pl.col("agent_id").is_not_null())
    results = raw["tool_results"].filter(pl.col("owned") & pl.col("tool_use_id").is_in(calls["tool_use_id"].implode()))
    accepted = results.filter(~pl.col("is_error").fill_null(value=False) & ~pl.col("hook_denied"))
    calls = calls.join(accepted.select("file", "tool_use_id").unique(), on=("file", "tool_use_id"), how="semi")
    carried: dict[tuple[Any, Any], list[Row]] = {}
    for row in _messages(raw):
        carried.setdefault((row["session_id"], row["agent_id"]), []).append(row)
    for call in calls.sort(*POSITION, nulls_last=True).iter_rows(named=True):
        waiting = carried.get((call["session_id"], call["agent_id"]), [])
        size = call["message_chars"]
        if waiting:
            yield waiting.pop(0) | {"chars": size, "tool_use_id": call["tool_use_id"], "status": "completed"}
        else:
            lost = _row(call, "handback", agent_id=call["agent_id"], chars=size, tool_use_id=call["tool_use_id"])
            yield lost | {"caller_agent_id": None, "in_context": False, "handed": True}


def _workflows(raw: RawFrames) -> Iterator[Row]:
    """What a workflow's agents gave back to its script: no context received it."""
    spans = raw["spans"].filter(pl.col("rank") == 1).select("file_session", "agent_id", "session_id", "last_ts")
    threads = {(folder, agent): (session, last) for folder, agent, session, last in spans.iter_rows()}
    paths = dict(raw["files"].select("file", "path").iter_rows())
    for row in raw["journal"].iter_rows(named=True):
        agent = row["agent_id"]
        session, ended = threads.get((row["session_id"], agent), (row["session_id"], None))
        source = {
            "session_id": session,
            "agent_id": None,
            "path": paths.get(row["file"]),
            "line": row["part"],
            "ts": ended,
        }
        given = {"agent_id": agent, "chars": row["chars"], "status": "completed", "in_context": False}
        yield _row(source, "workflow", **given)


def _attempts(rows: list[Row], ends: Ends) -> None:
    """Number the deliveries of each agent and add what it had tried before each."""
    rows.sort(key=lambda row: (row["ts"] is None, row["ts"] or EPOCH, row["path"] or "", row["line"] or 0))
    last: dict[tuple[Any, Any], tuple[int, datetime | None]] = {}
    for row in rows:
        key = (row["session_id"], row["agent_id"])
        number, after = last.get(key, (0, None)) if key[1] is not None else (0, None)
        last[key] = (number + 1, row["ts"])
        row["delivery"] = number
        found = ends.between(key, after, row["ts"], row["chars"] if row["handed"] else None)
        row["tried"], row["first_chars"] = found.tried, _first(found, row["chars"])


def _first(found: Attempts, chars: int | None) -> int | None:
    """Size before any block or cut: a report that was not blocked is never smaller than what was delivered of it."""
    if found.tried or chars is None:
        return found.first_chars if found.first_chars is not None else chars
    return max(chars, found.first_chars or 0)
