"""Agent runs and main threads: sums, type, mode, depth and end of each, worked out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from measure.columns import schema


def run(frames: Any, agent: str | None) -> dict[str, Any]:
    assert frames.agents.schema == schema("agents")
    rows = frames.agents.filter(pl.col("agent_id").eq_missing(agent))
    assert rows.height == 1
    row: dict[str, Any] = rows.row(0, named=True)
    return row


def test_sums_and_the_ends_of_the_context_curve(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore", toolUseId="t1", requestShape="foreground")
    main.text("hi", context=20_000, output=7)
    agent.text("1", context=8_000, output=10)
    agent.text("2", context=9_500, output=20)
    agent.text("3", context=9_000, output=30, model="claude-haiku-5-5")
    frames = tree.frames()
    row = run(frames, "a1")
    assert (row["requests"], row["output_tokens"], row["model"]) == (3, 60, "claude-opus-5-5")
    assert (row["first_context_tokens"], row["peak_context_tokens"], row["final_context_tokens"]) == (8000, 9500, 9000)
    assert (row["input_tokens"], row["cache_read_tokens"], row["cache_write_tokens"]) == (9, 0, 26_491)
    assert row["total_input_tokens"] == 26_500
    assert (row["project"], row["version"], row["file"]) == ("/p", "2.1.332", str(agent.path))
    assert str(row["started"]) == "2026-11-30 10:00:04+00:00"
    assert str(row["ended"]) == "2026-11-30 10:00:08+00:00"
    main_row = run(frames, None)
    assert (main_row["mode"], main_row["depth"], main_row["agent_type"], main_row["status"]) == ("main", 0, None, None)
    assert (main_row["total_input_tokens"], main_row["output_tokens"], main_row["returns"]) == (20_000, 7, None)


def test_type_depth_parent_and_mode_come_from_the_meta_file(tree: Any) -> None:
    tree.main().text("hi")
    tree.agent("a1", agentType="general-purpose", toolUseId="t1", spawnDepth=1, requestShape="background").text("x")
    tree.agent("a2", agentType="Explore", toolUseId="t2", spawnDepth=2, parentAgentId="a1").text("x")
    tree.agent("a3", agentType="fork", isFork=True, requestShape="foreground", spawnDepth=1).text("x")
    tree.agent("a4", workflow="wf_1", agentType="workflow-subagent", inWorkflowRun=True, spawnDepth=1).text("x")
    rows = tree.frames().agents.filter(pl.col("agent_id").is_not_null())
    assert rows.select("agent_id", "agent_type", "depth", "parent_agent_id", "launched_by", "mode").rows() == [
        ("a1", "general-purpose", 1, None, "t1", "background"),
        ("a2", "Explore", 2, "a1", "t2", None),
        ("a3", "fork", 1, None, None, "fork"),
        ("a4", "workflow-subagent", 1, None, None, "workflow"),
    ]


def test_without_a_meta_file_the_launching_call_and_its_result_tell(tree: Any) -> None:
    main, outer = tree.main(), tree.agent("a1")
    main.call("t1", "Task", subagent_type="planner")
    outer.call("t2", "Task", subagent_type="Explore")
    tree.agent("a2").call("t3", "Task", subagent_type="Explore")
    tree.agent("a3").text("x")
    for agent, call, writer in (("a1", "t1", main), ("a2", "t2", outer), ("a3", "t3", tree.agent("a2"))):
        content = [{"type": "text", "text": "ok"}]
        writer.result(call, content, toolUseResult={"status": "completed", "agentId": agent, "content": content})
    rows = tree.frames().agents.filter(pl.col("agent_id").is_not_null())
    assert rows.select("agent_id", "agent_type", "depth", "parent_agent_id", "launched_by", "mode").rows() == [
        ("a1", "planner", 1, None, "t1", "foreground"),
        ("a2", "Explore", 2, "a1", "t2", "foreground"),
        ("a3", "Explore", 3, "a2", "t3", "foreground"),
    ]


def test_an_agent_is_known_by_session_and_id(tree: Any) -> None:
    for session in ("s1", "s2"):
        tree.main(session).text("hi")
        tree.agent("a1", session=session, agentType=session).text("x")
    rows = tree.frames().agents.filter(pl.col("agent_id") == "a1").sort("session_id")
    assert rows.select("session_id", "agent_type", "requests").rows() == [("s1", "s1", 1), ("s2", "s2", 1)]


def test_of_a_run_whose_file_is_missing_nothing_is_summed(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent", subagent_type="Explore", run_in_background=True)
    launched = {"isAsync": True, "status": "async_launched", "agentId": "a1", "resolvedModel": "claude-haiku-5-5"}
    main.result("t1", "Async agent launched successfully.", toolUseResult=launched)
    row = run(tree.frames(), "a1")
    assert (row["requests"], row["total_input_tokens"], row["output_tokens"], row["returns"]) == (
        None,
        None,
        None,
        None,
    )
    assert (row["agent_type"], row["model"], row["mode"], row["status"]) == (
        "Explore",
        "claude-haiku-5-5",
        "background",
        "unknown",
    )
    assert str(row["started"]) == "2026-11-30 10:00:02+00:00"


def completed(main: Any, text: str = "ok", notes: list[str] | None = None) -> None:
    content = [{"type": "text", "text": one} for one in [*(notes or []), text]]
    result = {"status": "completed", "agentId": "a1", "content": content, "harnessNoteCount": len(notes or [])}
    main.result("t1", content, toolUseResult=result)


def notify(main: Any, status: str) -> None:
    main.user(f"<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>{status}</status>\n"
              "<result>so far</result></task-notification>")  # fmt: skip


def interrupt(thread: Any) -> None:
    thread.user([{"type": "text", "text": "[Request interrupted by user]"}])


def api_error(agent: Any) -> None:
    zero = {"input_tokens": 0, "output_tokens": 0}
    message = {"id": "n", "model": "<synthetic>", "content": [{"type": "text", "text": "x"}], "usage": zero}
    agent.add("assistant", message=message, isApiErrorMessage=True)


ENDS = {
    "a result": ("completed", lambda main, agent: completed(main)),
    "a result with the turn limit": (
        "limit",
        lambda main, agent: completed(main, notes=["NOTE: this agent stopped at its 6-turn limit before finishing."]),
    ),
    "an API error as the report": ("failed", lambda main, agent: completed(main, "API Error: 401 expired")),
    "an error result": (
        "failed",
        lambda main, agent: main.result("t1", "Agent terminated early due to an API error", is_error=True),
    ),
    "an API error in its file": ("failed", lambda main, agent: api_error(agent)),
    "an API error it recovered from": ("unknown", lambda main, agent: (api_error(agent), agent.text("on"))),
    "an interrupt in its file": ("stopped", lambda main, agent: interrupt(agent)),
    "a refusal of the user": (
        "stopped",
        lambda main, agent: main.result("t1", "rejected", is_error=True, toolDenialKind="user-rejected"),
    ),
    "a notification": ("completed", lambda main, agent: notify(main, "completed")),
    "a notification of failure": ("failed", lambda main, agent: notify(main, "failed")),
    "a notification of a kill": ("stopped", lambda main, agent: notify(main, "killed")),
    "a stop that was asked for": ("stopped", lambda main, agent: main.tool("k", "TaskStop", "ok", task_id="a1")),
    "nothing": ("unknown", lambda main, agent: None),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_run_is_told_by(tree: Any, name: str) -> None:
    status, end = ENDS[name]
    main, agent = tree.main(), tree.agent("a1", agentType="x", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.text("1")
    end(main, agent)
    assert run(tree.frames(), "a1")["status"] == status


def test_a_background_run_of_which_the_client_wrote_no_end_is_running(tree: Any) -> None:
    tree.main().text("hi")
    tree.agent("a1", agentType="x", requestShape="background").text("1")
    tree.agent("a2", agentType="x", requestShape="background", finished=True).text("1")
    frames = tree.frames()
    assert (run(frames, "a1")["status"], run(frames, "a2")["status"]) == ("running", "unknown")


def test_compactions_and_returns_are_counted_per_run(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="x", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.text("1")
    agent.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    agent.text("2")
    completed(main)
    frames = tree.frames()
    assert (run(frames, "a1")["compactions"], run(frames, "a1")["returns"]) == (1, 1)
    assert run(frames, None)["compactions"] == 0


def test_a_forked_session_shows_the_context_it_took_over(tree: Any) -> None:
    main, fork = tree.main("s1"), tree.main("s2")
    usage = {"input_tokens": 3, "cache_read_input_tokens": 4_997, "output_tokens": 9}
    body = {"id": "m1", "model": "m", "content": [{"type": "text", "text": "x"}], "usage": usage}
    record = main.add("assistant", message=body)
    fork.add("assistant", message=body, uuid=record["uuid"], timestamp=record["timestamp"])
    main.text("own")
    fork.text("other", context=6_000)
    rows = tree.frames().agents.select("session_id", "requests", "inherited_tokens", "first_context_tokens").rows()
    assert rows == [("s1", 2, None, 5_000), ("s2", 1, 5_000, 6_000)]
