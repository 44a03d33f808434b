"""Files are joined by what the overview of one of them may depend on in the other, and by nothing else."""

from __future__ import annotations

from pathlib import Path

from made_transcripts import OTHER, SESSION, agent, assistant, session, user

from measure.frames.links import groups, linked
from measure.frames.ownership import prepare
from measure.transcripts.find import META_SUFFIX, listing
from measure.transcripts.scan import scan


def joined(root: Path) -> list[int]:
    """The groups of the files below `root`, of meta files last."""
    found = listing([root])
    return linked(prepare(scan(found)), found)[0]


def two(root: Path, one: list[object], other: list[object]) -> list[int]:
    session(root, one, SESSION)
    session(root, other, OTHER)
    return joined(root)


def call(at: int, tool: str, **more: object) -> dict[str, object]:
    block = {"type": "tool_use", "id": "call_1", "name": tool, "input": {"prompt": "x"}}
    return assistant(at, f"m{at}", content=[block], **more)


def test_groups_are_numbered_in_the_order_of_their_first_nodes() -> None:
    assert groups(6, [(5, 1), (3, 4), (4, 0)]) == [0, 1, 2, 0, 0, 1]
    assert groups(0, []) == []


def test_a_response_a_session_and_a_record_without_a_response_join(tmp_path: Path) -> None:
    named = {"sessionId": OTHER}
    assert two(tmp_path / "a", [assistant(1, "m1")], [assistant(2, "m1", **named)]) == [0, 0]
    assert two(tmp_path / "b", [assistant(1, "m1")], [assistant(2, "m2")]) == [0, 0]
    assert two(tmp_path / "c", [assistant(1, None)], [assistant(1, "", **named)]) == [0, 0]
    assert two(tmp_path / "d", [assistant(1, "m1")], [assistant(2, "m2", **named)]) == [0, 1]


def test_the_id_of_a_call_joins_only_where_an_agent_was_launched_by_it(tmp_path: Path) -> None:
    named = {"sessionId": OTHER}
    assert two(tmp_path / "a", [call(1, "Read")], [call(2, "Read", **named)]) == [0, 1]
    assert two(tmp_path / "b", [call(1, "Agent")], [call(2, "Read", **named)]) == [0, 0]


def test_a_meta_file_is_joined_with_its_transcript_and_its_session(tmp_path: Path) -> None:
    session(tmp_path, [user(1)])
    path = agent(tmp_path, [user(2, sessionId=OTHER)])
    path.with_name("agent-a9" + META_SUFFIX).write_text("{}")
    session(tmp_path, [user(3, sessionId=OTHER)], OTHER)
    assert joined(tmp_path) == [0, 1, 1, 0]
    path.with_name(path.stem + META_SUFFIX).write_text("{}")
    assert joined(tmp_path) == [0, 0, 0, 0, 0]
