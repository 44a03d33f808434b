"""Turns of the current run, counted from the lines that came since."""

import json
from pathlib import Path
from typing import Any

from hooks.runtime.progress import advance


def turn(message: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": message, "model": "claude-opus-5-5", "usage": {"input_tokens": 9}}}


def user(content: object, **more: object) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


RESULT = user([{"type": "tool_result", "tool_use_id": "t1", "content": "x"}])
PROMPT = user("do it")


def add(path: Path, *rows: dict[str, Any]) -> str:
    with path.open("a") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return str(path)


def count(path: str) -> int:
    return len(advance(path, {})[0]["ids"])


def test_lines_of_one_response_count_once(tmp_path: Path) -> None:
    assert count(add(tmp_path / "t", PROMPT, turn("m1"), turn("m1"), RESULT, turn("m1"), RESULT, turn("m2"))) == 2


def test_counting_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "t"
    first, _ = advance(add(path, PROMPT, turn("m1"), RESULT), {})
    second, _ = advance(add(path, turn("m1"), turn("m2"), turn("m3")), first)
    assert len(second["ids"]) == 3
    assert second["offset"] == path.stat().st_size


def test_a_message_of_the_coordinator_starts_a_new_run(tmp_path: Path) -> None:
    path = tmp_path / "t"
    first, _ = advance(add(path, PROMPT, turn("m1"), turn("m2")), {})
    woken = user("go on", isMeta=True, origin={"kind": "coordinator"})
    second, _ = advance(add(path, woken, turn("m3")), first)
    assert (len(second["ids"]), second["runs"]) == (1, 2)


def test_feedback_summaries_and_results_start_none(tmp_path: Path) -> None:
    feedback = user("Stop hook feedback:", isMeta=True)
    summary = user("This session is being continued", isCompactSummary=True)
    assert count(add(tmp_path / "t", PROMPT, turn("m1"), feedback, turn("m2"), summary, RESULT, turn("m3"))) == 3


def test_a_fork_starts_after_the_response_it_copied(tmp_path: Path) -> None:
    content = [RESULT["message"]["content"][0], {"type": "text", "text": "<fork-boilerplate>\nYou are a fork."}]
    assert count(add(tmp_path / "t", turn("m0"), user(content), turn("m1"))) == 1


def test_a_torn_line_waits_for_the_next_call(tmp_path: Path) -> None:
    path = tmp_path / "t"
    add(path, PROMPT, turn("m1"))
    whole = json.dumps(turn("m2")) + "\n"
    with path.open("a") as out:
        out.write(whole[:20])
    first, _ = advance(str(path), {})
    assert len(first["ids"]) == 1
    with path.open("a") as out:
        out.write(whole[20:])
    assert len(advance(str(path), first)[0]["ids"]) == 2


def test_a_replaced_file_is_counted_from_its_start(tmp_path: Path) -> None:
    path = tmp_path / "t"
    first, _ = advance(add(path, PROMPT, turn("m1"), turn("m2"), turn("m3")), {})
    path.write_text(json.dumps(turn("m9")) + "\n")
    assert len(advance(str(path), first)[0]["ids"]) == 1
