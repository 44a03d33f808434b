"""Tool calls with the size of what the model read, worked out by hand."""

from __future__ import annotations

from typing import Any

from measure.columns import schema


def rows(frames: Any, *columns: str) -> list[tuple[Any, ...]]:
    assert frames.tool_calls.schema == schema("tool_calls")
    found: list[tuple[Any, ...]] = frames.tool_calls.select(columns).rows()
    return found


def test_a_result_has_the_size_of_its_texts_and_the_step_that_carries_it(tree: Any) -> None:
    main = tree.main()
    main.call("t1", "Grep", pattern="x")
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    main.result("t1", [{"type": "text", "text": "abcd"}, picture, {"type": "text", "text": "e"}])
    main.tool("t2", "Bash", "no", is_error=True, command="x")
    main.call("t3", "Bash", command="y")
    columns = ("tool", "result_chars", "result_est_tokens", "images", "is_error", "result_step", "persisted", "denied")
    # t3 was never answered; t2's answer is carried by the request that makes call t3
    assert rows(tree.frames(), *columns) == [
        ("Grep", 5, 2, 1, False, 1, False, False),
        ("Bash", 2, 1, 0, True, 2, False, False),
        ("Bash", None, None, None, None, None, None, None),
    ]


def test_an_answer_inside_a_streaming_message_is_carried_by_the_next_request(tree: Any) -> None:
    main = tree.main()
    usage = {"input_tokens": 9, "output_tokens": 9}
    for call in ("t1", "t2"):
        block = {"type": "tool_use", "id": call, "name": "Read", "input": {}}
        main.add("assistant", message={"id": "m1", "model": "m", "content": [block], "usage": usage})
        main.result(call, "x")
    main.text("next")
    assert rows(tree.frames(), "tool_use_id", "result_step") == [("t1", 1), ("t2", 1)]


def test_refused_and_persisted_calls_are_marked(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Bash", "PreToolUse:Bash hook error: use Read", is_error=True, command="cat a")
    main.call("t2", "Edit", file_path="/p/a")
    main.result("t2", "The user rejected it", is_error=True, toolDenialKind="user-rejected")
    main.tool("t3", "Bash", "<persisted-output>\nOutput too large (1MB)", command="seq 9")
    assert rows(tree.frames(), "tool_use_id", "denied", "persisted") == [
        ("t1", True, False),
        ("t2", True, False),
        ("t3", False, True),
    ]


def test_the_nth_result_answers_the_nth_call_of_an_id_that_stands_twice(tree: Any) -> None:
    main = tree.main()
    main.tool("same", "Bash", "a", command="x")
    main.tool("same", "Bash", "bbb", command="y")
    assert rows(tree.frames(), "result_chars") == [(1,), (3,)]


def test_an_answer_in_the_file_where_the_session_went_on_is_found(tree: Any) -> None:
    tree.main("s1").call("t1", "Bash", command="x")
    other = tree.main("s2")
    other.user("on", uuid="x1")
    other.result("t1", "abc")
    assert rows(tree.frames(), "session_id", "result_chars") == [("s1", 3)]


def test_calls_belong_to_their_thread_and_segment(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore")
    main.tool("t1", "Bash", "a", command="x")
    main.add("system", subtype="compact_boundary", compactMetadata={})
    main.tool("t2", "Bash", "a", command="x")
    agent.tool("t3", "Bash", "a", command="x")
    assert rows(tree.frames(), "tool_use_id", "agent_id", "agent_type", "segment") == [
        ("t1", None, None, 0),
        ("t2", None, None, 1),
        ("t3", "a1", "Explore", 0),
    ]
