"""Returns by every route, worked out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from measure.columns import schema

FRAME = (
    "[Subagent hand-back] The text below is the final report of a subagent this session delegated to. "
    "The report follows:\n"
)


def notification(agent: str, report: str | None, call: str = "t1", status: str = "completed", note: str = "") -> str:
    result = "" if report is None else f"<result>{report}</result>\n"
    return (
        f"<task-notification>\n<task-id>{agent}</task-id>\n<tool-use-id>{call}</tool-use-id>\n"
        f"<status>{status}</status>\n{note}{result}</task-notification>"
    )


def only(frames: Any) -> dict[str, Any]:
    assert frames.returns.schema == schema("returns")
    assert frames.returns.height == 1
    row: dict[str, Any] = frames.returns.row(0, named=True)
    return row


def foreground(main: Any, agent: str, blocks: list[str], notes: int = 0, tail: int = 0, call: str = "t1") -> None:
    """The result of a launching call as the main file holds it: the caller reads a wrapped text."""
    content = [{"type": "text", "text": text} for text in blocks]
    result = {"status": "completed", "agentId": agent, "agentType": "Explore", "content": content, "totalTokens": 1}
    result |= {"harnessNoteCount": notes, "harnessTailCount": tail}
    main.result(call, [{"type": "text", "text": FRAME + "".join(blocks)}], toolUseResult=result)


def test_a_foreground_report_is_what_is_left_of_the_result_without_the_clients_notes(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent", subagent_type="Explore")
    foreground(main, "a1", ["<tools-used>Read</tools-used>\n", "report!", "tail"], notes=1, tail=1)
    main.text("thanks")
    row = only(tree.frames())
    # "report!" is 7 characters; the caller read the frame and all three blocks: 30 + 7 + 4
    assert (row["route"], row["agent_id"], row["agent_type"], row["chars"]) == ("tool_result", "a1", "Explore", 7)
    assert row["caller_chars"] == len(FRAME) + 30 + 7 + 4
    assert (row["est_tokens"], row["first_chars"], row["tried"]) == (2, 7, None)
    assert (row["caller_agent_id"], row["caller_segment"], row["caller_step"]) == (None, 0, 1)


def test_utf16_units_are_counted_not_letters(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent")
    foreground(main, "a1", ["ä😀"])
    assert only(tree.frames())["chars"] == 3


def test_a_replaced_output_keeps_the_counts_of_notes_and_is_all_report(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="general-purpose", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.text("x" * 500)
    foreground(main, "a1", ["cut by a hook"], notes=1)
    row = only(tree.frames())
    assert (row["chars"], row["first_chars"], row["tried"]) == (13, 500, 0)


def test_a_turn_limit_is_a_status_and_the_text_so_far_the_report(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent")
    foreground(main, "a1", ["NOTE: this agent stopped at its 2-turn limit before finishing.", "so far"], notes=1)
    row = only(tree.frames())
    assert (row["status"], row["chars"]) == ("limit", 6)


def test_a_persisted_report_is_whole_for_us_and_a_preview_for_the_caller(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent")
    preview = "<persisted-output>\nOutput too large (60KB)."
    result = {"status": "completed", "agentId": "a1", "content": [{"type": "text", "text": "y" * 60_000}]}
    main.result("t1", preview, toolUseResult=result)
    row = only(tree.frames())
    assert (row["chars"], row["caller_chars"], row["est_tokens"]) == (60_000, len(preview), 15_000)


def test_a_nested_agents_report_is_read_from_the_text_its_caller_got(tree: Any) -> None:
    """Files of subagents hold no toolUseResult: the report stands indented in the client's frame."""
    outer = tree.agent("a1", agentType="general-purpose", spawnDepth=1)
    outer.call("t2", "Agent", subagent_type="Explore")
    tree.agent("a2", agentType="Explore", toolUseId="t2", parentAgentId="a1", spawnDepth=2).text("two\nlines")
    text = f"  <tools-used>\n{FRAME}  two\n  lines\nagentId: a2 (use SendMessage)\n<usage>subagent_tokens: 77</usage>"
    outer.result("t2", [{"type": "text", "text": text}])
    outer.text("on")
    row = only(tree.frames())
    assert (row["agent_id"], row["caller_agent_id"], row["chars"]) == ("a2", "a1", 9)
    assert (row["caller_chars"], row["caller_step"], row["tried"]) == (len(text), 1, 0)


def test_a_bare_report_of_an_older_client_ends_before_its_trailer(tree: Any) -> None:
    outer = tree.agent("a1")
    outer.call("t2", "Task")
    trailer = "agentId: a2 (for resuming)\n<usage>total_tokens: 9</usage>"
    outer.result("t2", [{"type": "text", "text": "abc"}, {"type": "text", "text": trailer}])
    row = only(tree.frames())
    assert (row["agent_id"], row["chars"], row["caller_chars"]) == ("a2", 3, 3 + len(trailer))


def test_a_launch_in_the_background_is_no_return(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent", run_in_background=True)
    launched = {"isAsync": True, "status": "async_launched", "agentId": "a1"}
    main.result("t1", "Async agent launched successfully.\nagentId: a1", toolUseResult=launched)
    frames = tree.frames()
    assert frames.returns.height == 0
    run = frames.agents.filter(pl.col("agent_id") == "a1").row(0, named=True)
    assert (run["returns"], run["mode"], run["launched_by"]) == (None, "background", "t1")


def launch(main: Any) -> None:
    main.call("t1", "Agent", run_in_background=True)
    launched = {"isAsync": True, "status": "async_launched", "agentId": "a1"}
    main.result("t1", "Async agent launched successfully.\nagentId: a1", toolUseResult=launched)
    main.text("waiting")


def test_a_notification_counts_once_though_it_stands_in_three_shapes(tree: Any) -> None:
    main, text = tree.main(), notification("a1", "report")
    launch(main)
    main.add("queue-operation", operation="enqueue", content=text)
    main.add("queue-operation", operation="remove", content=text)
    main.add("attachment", attachment={"type": "queued_command", "prompt": text})
    main.text("thanks")
    row = only(tree.frames())
    assert (row["route"], row["agent_id"], row["chars"], row["caller_chars"]) == ("notification", "a1", 6, len(text))
    assert (row["status"], row["caller_step"], row["delivery"]) == ("completed", 2, 0)


def test_the_same_report_twice_is_two_deliveries(tree: Any) -> None:
    main, text = tree.main(), notification("a1", "report")
    launch(main)
    for _ in range(2):
        main.add("queue-operation", operation="enqueue", content=text)
        main.user(text, origin={"kind": "task-notification"})
        main.text("thanks")
    frames = tree.frames()
    assert frames.returns.select("delivery", "chars", "caller_step").rows() == [(0, 6, 2), (1, 6, 3)]
    assert frames.agents.filter(pl.col("agent_id") == "a1")["returns"].to_list() == [2]


def test_a_notification_that_was_only_queued_was_read_by_nobody(tree: Any) -> None:
    main = tree.main()
    launch(main)
    main.add("queue-operation", operation="enqueue", content=notification("a1", "report"))
    main.text("next")
    row = only(tree.frames())
    assert (row["chars"], row["caller_chars"], row["caller_step"], row["caller_segment"]) == (6, None, None, None)


def test_a_cut_notification_is_counted_whole_and_received_cut(tree: Any) -> None:
    """100,000 characters arrive; the mark in the middle says how many were left out."""
    main = tree.main()
    launch(main)
    kept = "a" * 50_000 + "\n\n... [50000 characters truncated] ...\n\n" + "b" * 50_000
    text = notification("a1", kept)
    main.user(text)
    row = only(tree.frames())
    assert (row["chars"], row["caller_chars"]) == (150_000, len(text))


def test_the_clients_warning_before_a_report_is_not_the_report(tree: Any) -> None:
    main = tree.main()
    launch(main)
    main.user(notification("a1", "[harness: subagent output matched instruction-shaped pattern(s): x.]\n\nreport"))
    assert only(tree.frames())["chars"] == 6


def test_background_commands_and_workflows_notify_without_being_agents(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Bash", "Command running in background with ID: b1", command="sleep 9", run_in_background=True)
    main.user(notification("b1", None))
    main.tool("t2", "Workflow", "Workflow launched in background. Task ID: w1", script="x")
    main.user(notification("w1", '{"a":"b"}', call="t2"))
    frames = tree.frames()
    assert frames.returns.height == 0
    assert frames.agents["agent_id"].to_list() == [None]


def message(agent: str, report: str) -> str:
    lines = "\n".join("  " + line for line in report.split("\n"))
    return f'<agent-message from="{agent}">\n{FRAME}{lines}\n</agent-message>'


def test_a_hand_back_is_the_last_accepted_call_and_reaches_the_caller_once(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.call("h1", "SubagentHandback", message="L" * 6800)
    agent.result("h1", "PreToolUse:SubagentHandback hook error: too long", is_error=True)
    agent.call("h2", "SubagentHandback", message="short report a.txt:1")
    agent.result("h2", '{"success":true}')
    text = message("a1", "short report a.txt:1")
    origin = {"kind": "peer", "from": "a1", "handback": True, "handbackReportText": "short report a.txt:1"}
    main.add("queue-operation", operation="enqueue", content=text)
    content = [{"type": "text", "text": "This agent's report was delivered to you as a message.\n"}]
    result = {"status": "completed", "agentId": "a1", "handback": "send", "harnessNoteCount": 1, "content": content}
    main.result("t1", content, toolUseResult=result)
    main.add("attachment", attachment={"type": "queued_command", "prompt": text, "origin": origin})
    main.text("thanks")
    row = only(tree.frames())
    assert (row["route"], row["chars"], row["caller_chars"], row["tool_use_id"]) == ("handback", 20, len(text), "h2")
    assert (row["tried"], row["first_chars"], row["first_est_tokens"]) == (1, 6800, 1700)
    assert (row["caller_agent_id"], row["caller_step"]) == (None, 1)


def test_blocked_attempts_are_counted_and_the_first_one_sized(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.user("do it")
    agent.request({"type": "text", "text": "first part"}, {"type": "text", "text": "L" * 900})
    agent.user("Stop hook feedback:\ntoo long", isMeta=True)
    agent.text("L" * 500)
    agent.user("Stop hook feedback:\ntoo long", isMeta=True)
    agent.text("short")
    foreground(main, "a1", ["short"])
    row = only(tree.frames())
    # the report is the last text block of the last message: 900, not 910
    assert (row["chars"], row["tried"], row["first_chars"]) == (5, 2, 900)


def test_a_note_at_the_end_lets_the_agent_go_on_as_a_block_does(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.text("L" * 900)
    agent.add(
        "attachment", attachment={"type": "hook_additional_context", "hookEvent": "SubagentStop", "content": ["x"]}
    )
    agent.text("short")
    foreground(main, "a1", ["short"])
    row = only(tree.frames())
    assert (row["tried"], row["first_chars"]) == (1, 900)


def test_a_block_that_the_client_overruled_was_no_attempt(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore", toolUseId="t1", requestShape="foreground")
    main.call("t1", "Agent")
    agent.text("L" * 900)
    agent.user("Stop hook feedback:\ntoo long", isMeta=True)
    agent.text("M" * 800)
    agent.user("Stop hook feedback:\ntoo long", isMeta=True)
    foreground(main, "a1", ["M" * 800])
    row = only(tree.frames())
    assert (row["chars"], row["tried"], row["first_chars"]) == (800, 1, 900)


def test_attempts_belong_to_the_delivery_they_came_before(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore", toolUseId="t1", requestShape="background")
    launch(main)
    agent.text("one")
    main.user(notification("a1", "one"))
    agent.text("L" * 700)
    agent.user("Stop hook feedback:\ntoo long", isMeta=True)
    agent.text("two!")
    main.user(notification("a1", "two!"))
    rows = tree.frames().returns.select("delivery", "chars", "tried", "first_chars").rows()
    assert rows == [(0, 3, 0, 3), (1, 4, 1, 700)]


def test_an_api_error_in_place_of_a_report_is_no_return(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Agent")
    foreground(main, "a1", ["API Error: 401 token has expired"])
    main.call("t2", "Agent")
    main.result("t2", "Agent terminated early due to an API error: overloaded", is_error=True)
    assert tree.frames().returns.height == 0


def test_old_inline_sidechains_return_the_text_of_their_result(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Task", subagent_type="general-purpose")
    main.call("t2", "Task", subagent_type="Explore")
    for root, text in (("r1", "longer report"), ("r2", "report")):
        prompt = main.user(f"job {root}", isSidechain=True, uuid=root, parentUuid=None)
        body = {"id": f"m{root}", "role": "assistant", "model": "m", "content": [{"type": "text", "text": text}]}
        usage = {"input_tokens": 5, "output_tokens": 5}
        main.add("assistant", message=body | {"usage": usage}, isSidechain=True, parentUuid=prompt["uuid"])
    main.result("t1", [{"type": "text", "text": "report"}])
    main.result("t2", [{"type": "text", "text": "longer report"}])
    frames = tree.frames()
    # both ran at once: the chain's last text tells whose result it is
    rows = frames.returns.sort("agent_id").select("agent_id", "agent_type", "route", "chars", "caller_chars").rows()
    assert rows == [("r1", "Explore", "inline", 13, 13), ("r2", "general-purpose", "inline", 6, 6)]
    runs = frames.agents.filter(pl.col("agent_id").is_not_null()).sort("agent_id")
    assert runs.select("mode", "status", "requests", "launched_by").rows() == [
        ("inline", "completed", 1, "t2"),
        ("inline", "completed", 1, "t1"),
    ]


def test_a_workflows_agent_gives_its_value_to_the_script(tree: Any) -> None:
    tree.main().text("hi")
    agent = tree.agent("a1", workflow="wf_1", agentType="workflow-subagent", inWorkflowRun=True)
    agent.text("L" * 300)
    agent.user("Stop hook feedback:\ntoo long", isMeta=True)
    agent.text("short")
    journal = agent.path.parent / "journal.jsonl"
    journal.write_text(
        '{"type":"started","agentId":"a1"}\n{"type":"result","agentId":"a1","result":{"a":["b",1]}}\n', encoding="utf-8"
    )
    frames = tree.frames()
    row = only(frames)
    # {"a":["b",1]} is 13 characters; no context received it
    assert (row["route"], row["chars"], row["caller_chars"], row["caller_step"]) == ("workflow", 13, None, None)
    assert (row["tried"], row["first_chars"]) == (1, 300)
    assert [one["reason"] for one in frames.skipped] == ["no transcript: a workflow's journal"]


def test_a_forks_copy_of_its_own_launch_is_no_return(tree: Any) -> None:
    main, fork = tree.main(), tree.agent("a1", agentType="fork", isFork=True, toolUseId="t1", requestShape="foreground")
    message_id = main.call("t1", "Agent", context=21_000, subagent_type="fork")
    block = {"type": "tool_use", "id": "t1", "name": "Agent", "input": {}}
    usage = {"input_tokens": 3, "cache_creation_input_tokens": 20_997, "output_tokens": 100}
    fork.add("assistant", message={"id": message_id, "model": "m", "content": [block], "usage": usage})
    fork.result("t1", "Fork started.")
    fork.text("done", context=21_500)
    foreground(main, "a1", ["done"])
    frames = tree.frames()
    assert only(frames)["chars"] == 4
    run = frames.agents.filter(pl.col("agent_id") == "a1").row(0, named=True)
    # the copied request is the parent's; what it held is what the fork took over
    assert (run["requests"], run["mode"], run["inherited_tokens"], run["first_context_tokens"]) == (
        1,
        "fork",
        21_000,
        21_500,
    )
    assert frames.tool_calls.select("agent_id", "tool_use_id").rows() == [(None, "t1")]


@pytest.mark.parametrize("tool", ["SendMessage", "TaskOutput"])
def test_results_of_other_tools_that_name_an_agent_are_no_returns(tree: Any, tool: str) -> None:
    main = tree.main()
    main.call("t1", tool, to="a1", message="go on")
    main.result("t1", "resumed", toolUseResult={"status": "completed", "agentId": "a1", "content": "x"})
    assert tree.frames().returns.height == 0
