"""The context of a thread, from the end of its transcript."""

import json
from pathlib import Path

from hooks.runtime.tail import FIRST, agent_file, client_version, last


def answer(tokens: int, message: str = "m1", model: str = "claude-opus-5-5", output: int = 10, text: str = "") -> str:
    usage = {"input_tokens": 3, "cache_read_input_tokens": tokens - 5, "cache_creation_input_tokens": 2}
    content = [{"type": "text", "text": text}]
    body = {"id": message, "model": model, "usage": usage | {"output_tokens": output}, "content": content}
    return json.dumps({"type": "assistant", "message": body}) + "\n"


def result(text: str) -> str:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    return json.dumps({"type": "user", "message": {"role": "user", "content": content}}) + "\n"


BOUNDARY = json.dumps({"type": "system", "subtype": "compact_boundary"}) + "\n"


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(lines))
    return str(path)


def test_last_response_counts_input_cache_read_and_cache_write(tmp_path: Path) -> None:
    found = last(write(tmp_path / "t", answer(1000), answer(2000, "m2"), result("x")))
    assert found is not None
    assert (found.tokens, found.model, found.message_id) == (2000, "claude-opus-5-5", "m2")


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    assert last(write(tmp_path / "t", answer(1000), answer(2000)[:-30])).tokens == 1000  # type: ignore[union-attr]


def test_after_a_compaction_there_is_no_reading_until_the_next_response(tmp_path: Path) -> None:
    path = tmp_path / "t"
    assert last(write(path, answer(90_000), BOUNDARY, result("x"))).tokens is None  # type: ignore[union-attr]
    assert last(write(path, answer(90_000), BOUNDARY, answer(9_000))).tokens == 9_000  # type: ignore[union-attr]


def test_notices_of_the_client_and_zero_usage_are_no_responses(tmp_path: Path) -> None:
    zero = (
        answer(5).replace('"cache_creation_input_tokens": 2', '"cache_creation_input_tokens": 0').replace("3,", "0,", 1)
    )
    path = write(tmp_path / "t", answer(1000), answer(7000, "m2", "<synthetic>"), zero)
    assert last(path).tokens == 1000  # type: ignore[union-attr]


def test_the_window_grows_until_a_huge_line_fits(tmp_path: Path) -> None:
    big = result("x" * (5 * FIRST))
    assert last(write(tmp_path / "t", answer(1000), big)).tokens == 1000  # type: ignore[union-attr]


def test_past_four_megabytes_nothing_is_read(tmp_path: Path) -> None:
    assert last(write(tmp_path / "t", answer(1000), result("x" * 5_000_000))) is None


def test_a_missing_or_empty_file_has_no_reading(tmp_path: Path) -> None:
    assert last(str(tmp_path / "none")) is None
    assert last(write(tmp_path / "t")) is None


def test_current_adds_the_answer_and_what_came_since(tmp_path: Path) -> None:
    """1000 of prompt, 10 of answer, 400 characters of result: 1110."""
    assert last(write(tmp_path / "t", answer(1000), result("x" * 400))).current() == 1110  # type: ignore[union-attr]


def test_results_between_the_lines_of_one_response_count_too(tmp_path: Path) -> None:
    """They came while it was still streaming, so its usage does not hold them."""
    path = write(tmp_path / "t", answer(500, "m0"), result("y" * 4000), answer(1000), result("x" * 400), answer(1000))
    assert last(path).current() == 1110  # type: ignore[union-attr]


def test_agent_files_are_found_in_both_places(tmp_path: Path) -> None:
    main = tmp_path / "s.jsonl"
    flat = tmp_path / "s" / "subagents" / "agent-a1.jsonl"
    deep = tmp_path / "s" / "subagents" / "workflows" / "wf_1" / "agent-a2.jsonl"
    deep.parent.mkdir(parents=True)
    for path in (flat, deep):
        path.touch()
    assert agent_file(str(main), "a1") == str(flat)
    assert agent_file(str(main), "a2") == str(deep)
    assert agent_file(str(main), "a3") is None
    assert agent_file(str(main), "../a1") is None


def test_the_clients_version_is_the_records_own_and_not_one_inside_a_result(tmp_path: Path) -> None:
    rows = [{"version": "2.1.332"}, {"type": "user", "toolUseResult": {"version": "1.0.0"}}, {"version": 3}]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    assert client_version(str(path)) == (2, 1, 332)
    assert client_version(str(tmp_path / "none")) is None
    assert client_version("\0") is None


def test_the_clients_version_is_found_in_a_record_of_any_length(tmp_path: Path) -> None:
    """The report that a hook judges may be the last line, and longer than the first look."""
    path = write(tmp_path / "t.jsonl", json.dumps({"text": "x" * 3 * FIRST, "version": "2.1.332"}) + "\n")
    assert client_version(path) == (2, 1, 332)
