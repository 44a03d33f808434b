"""What counts as one request, and which of its records counts: one hand-made case a rule."""

from __future__ import annotations

import itertools
from pathlib import Path

import polars as pl
import pytest
from made_transcripts import OTHER, SESSION, agent, assistant, base, read, session, tokens, usage, user

from measure.columns import schema
from measure.frames import load


def test_record_with_most_output_counts_whole_in_any_order(tmp_path: Path) -> None:
    records = [
        assistant(1, usage=usage(3, 1, 100, 20)),
        assistant(2, usage=usage(3, 427, 100, 20)),
        assistant(3, usage=usage(9, 3, 999, 99)),
    ]
    for number, order in enumerate(itertools.permutations(records)):
        frames = read(tmp_path / str(number), list(order))
        # never a maximum per field (9, 999), never a sum, never the first record
        assert tokens(frames.requests) == (1, 3, 100, 20, 427)


def test_equal_output_is_decided_by_larger_prompt_then_later_time(tmp_path: Path) -> None:
    larger = read(tmp_path / "a", [assistant(1, usage=usage(5, 7)), assistant(2, usage=usage(3, 7))])
    assert larger.requests["input_tokens"].to_list() == [5]
    later = read(tmp_path / "b", [assistant(9, model="late"), assistant(2, model="early")])
    assert later.requests["model"].to_list() == ["late"]


def test_same_id_under_another_request_id_is_a_replay_where_prompts_are_equal(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, request="req_1"), assistant(2, request="req_2")])
    assert tokens(frames.requests) == (1, 3, 100, 20, 10)
    assert frames.requests["is_replay"].to_list() == [True]


def test_same_id_under_another_request_id_is_another_request_where_prompts_differ(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, request="req_1"), assistant(2, request="req_2", usage=usage(4, 5))])
    assert tokens(frames.requests) == (2, 7, 200, 40, 15)
    assert not frames.requests["is_replay"].any()


def test_missing_request_id_is_no_other_request(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, request=None), assistant(2, request="req_1", usage=usage(3, 40))])
    assert tokens(frames.requests) == (1, 3, 100, 20, 40)


@pytest.mark.parametrize("zero_first", [True, False])
@pytest.mark.parametrize("request_id", [None, "req_zero"])
def test_zero_placeholder_of_a_gateway_loses(tmp_path: Path, zero_first: bool, request_id: str | None) -> None:
    pair = [assistant(1, request=request_id, usage=usage(0, 0, 0, 0)), assistant(2, request="req_1")]
    frames = read(tmp_path, pair if zero_first else pair[::-1])
    assert tokens(frames.requests) == (1, 3, 100, 20, 10)


def test_records_without_an_id_count_one_by_one(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, None), assistant(2, None), assistant(3, "")])
    assert tokens(frames.requests) == (3, 9, 300, 60, 30)
    assert frames.requests["message_id"].to_list() == [None, None, None]


def test_replayed_record_without_id_is_not_new(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, None), boundary(2), assistant(1, None)])
    assert frames.requests.height == 1


@pytest.mark.parametrize("bad", [None, 3.0, "3", True, [3], -1])
def test_bad_counter_costs_that_counter_not_the_record(tmp_path: Path, bad: object) -> None:
    frames = read(tmp_path, [assistant(1, usage=usage(3, 10, bad, 20))])
    row = frames.requests.row(0, named=True)
    assert (row["input_tokens"], row["cache_read_tokens"], row["output_tokens"]) == (3, None, 10)


def test_missing_usage_is_unknown_not_zero(tmp_path: Path) -> None:
    record = assistant(1)
    del record["message"]["usage"]
    row = read(tmp_path, [record]).requests.row(0, named=True)
    assert (row["input_tokens"], row["output_tokens"], row["context_tokens"]) == (None, None, None)


@pytest.mark.parametrize("version", ["1.0.98-beta", "", None, 7])
def test_odd_version_costs_nothing(tmp_path: Path, version: object) -> None:
    assert tokens(read(tmp_path, [assistant(1, version=version)]).requests) == (1, 3, 100, 20, 10)


def test_huge_counter_is_clamped_and_counted(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, usage=usage(2**70, 10))])
    assert frames.requests["input_tokens"].to_list() == [2**63 - 1]
    assert frames.files["clamped"].to_list() == [1]


def test_synthetic_notice_is_an_event_not_a_request(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, "uuid", model="<synthetic>", usage=usage(0, 0, 0, 0)), assistant(2)])
    assert frames.requests["message_id"].to_list() == ["msg_1"]


def test_main_thread_owns_what_a_fork_agent_or_aside_copied(tmp_path: Path) -> None:
    session(tmp_path, [user(1), assistant(2, "msg_main")])
    agent(tmp_path, [assistant(2, "msg_main", uuid="copied"), assistant(3, "msg_own")], "aside_question-1")
    requests = load([tmp_path]).requests
    assert requests.select("agent_id", "message_id").rows() == [(None, "msg_main"), ("aside_question-1", "msg_own")]


def test_subagent_file_owns_before_the_inline_copy(tmp_path: Path) -> None:
    inline = assistant(2, "msg_a", isSidechain=True)
    session(tmp_path, [user(1), inline])
    agent(tmp_path, [assistant(2, "msg_a", usage=usage(3, 5))])
    requests = load([tmp_path]).requests
    assert requests.select("agent_id", "output_tokens").rows() == [("a1", 10)]


def test_inline_sidechains_are_agents_named_by_the_root_of_their_chain(tmp_path: Path) -> None:
    root = user(1, isSidechain=True)
    answer = assistant(2, "msg_a", isSidechain=True, parentUuid=root["uuid"])
    later = assistant(3, "msg_b", isSidechain=True, parentUuid=answer["uuid"])
    frames = read(tmp_path, [user(0), root, answer, later, assistant(4, "msg_main")])
    named = dict(frames.requests.select("message_id", "agent_id").iter_rows())
    assert named == {"msg_a": root["uuid"], "msg_b": root["uuid"], "msg_main": None}


def test_progress_copies_count_only_where_the_id_stands_nowhere_else(tmp_path: Path) -> None:
    def progress(at: int, message_id: str) -> dict[str, object]:
        inner = {"type": "assistant", "uuid": f"p{at}", "message": assistant(at, message_id)["message"]}
        return base("progress", at, data={"type": "agent_progress", "agentId": "a1", "message": inner})

    session(tmp_path, [user(1), progress(2, "msg_a"), progress(3, "msg_lost")])
    agent(tmp_path, [assistant(2, "msg_a", usage=usage(3, 4))])
    rows = load([tmp_path]).requests.select("message_id", "agent_id", "output_tokens", "from_progress").rows()
    # the copy has more output (10), the agent's own record counts all the same
    assert sorted(rows) == [("msg_a", "a1", 4, False), ("msg_lost", "a1", 10, True)]


def boundary(at: int, **more: object) -> dict[str, object]:
    meta = {"trigger": "auto", "preTokens": 1000}
    return base("system", at, subtype="compact_boundary", compactMetadata=meta, **more)


def test_replay_after_a_compaction_is_no_new_point_of_the_curve(tmp_path: Path) -> None:
    old = [user(1), assistant(2, "msg_1"), assistant(3, "msg_2", request="req_2")]
    frames = read(tmp_path, [*old, boundary(4), *old, assistant(5, "msg_3", request="req_3")])
    rows = frames.requests.select("message_id", "step", "segment").rows()
    assert rows == [("msg_1", 0, 0), ("msg_2", 1, 0), ("msg_3", 2, 1)]


def test_microcompaction_ends_no_segment(tmp_path: Path) -> None:
    micro = base("system", 2, subtype="microcompact_boundary")
    frames = read(tmp_path, [assistant(1), micro, assistant(3, "msg_2", request="r2")])
    assert frames.requests["segment"].to_list() == [0, 0]


def test_segments_are_counted_by_thread(tmp_path: Path) -> None:
    session(tmp_path, [assistant(1, "m1"), boundary(2), assistant(3, "m2", request="r2")])
    agent(tmp_path, [assistant(4, "m3", request="r3"), boundary(5), boundary(6), assistant(7, "m4", request="r4")])
    assert load([tmp_path]).requests["segment"].to_list() == [0, 1, 0, 2]


def test_context_is_that_of_the_last_message_iteration(tmp_path: Path) -> None:
    steps = [
        {"type": "message", "input_tokens": 1, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 10},
        {"type": "message", "input_tokens": 2, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 5},
        {"type": "compaction", "input_tokens": 999},
    ]
    frames = read(tmp_path, [assistant(1, usage=usage(3, 10, 110, 15, iterations=steps))])
    row = frames.requests.row(0, named=True)
    assert (row["context_tokens"], row["cache_read_tokens"]) == (67, 110)


def test_context_leaves_output_out_and_all_zero_has_none(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1), assistant(2, "z", usage=usage(0, 0, 0, 0))])
    assert frames.requests["context_tokens"].to_list() == [123, None]


@pytest.mark.parametrize(
    ("aggregate", "five", "hour", "expected"),
    [
        (20, 15, 5, (20, 15, 5, 0, False)),
        (20, 12, None, (20, 12, None, 8, False)),
        (20, None, None, (20, None, None, 20, False)),
        (None, 12, 3, (15, 12, 3, 0, False)),
        (None, None, None, (None, None, None, None, False)),
        (20, 30, 10, (20, 15, 5, 0, True)),
        (0, 7, 0, (0, 0, 0, 0, True)),
    ],
)
def test_parts_of_cache_writes_and_remainder_are_the_aggregate(
    tmp_path: Path, aggregate: int | None, five: int | None, hour: int | None, expected: tuple[object, ...]
) -> None:
    parts = {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour}
    given = usage(3, 10, 100, aggregate) | {"cache_creation": parts}
    row = read(tmp_path, [assistant(1, usage=given)]).requests.row(0, named=True)
    kinds = ("tokens", "5m_tokens", "1h_tokens", "unknown_tokens", "scaled")
    assert tuple(row[f"cache_write_{kind}"] for kind in kinds) == expected


def test_output_is_a_lower_bound_where_the_text_is_longer_than_it_can_be(tmp_path: Path) -> None:
    long = [{"type": "text", "text": "x" * 400}]
    records = [
        assistant(1, "placeholder", content=long, usage=usage(3, 1), stop_reason=None),
        assistant(2, "final", request="r2", content=long, usage=usage(3, 100), stop_reason=None),
        assistant(3, "short", request="r3", usage=usage(3, 1), stop_reason=None),
    ]
    rows = read(tmp_path, records).requests.select("message_id", "output_is_lower_bound").rows()
    # old clients wrote no stop_reason at all: it decides nothing
    assert rows == [("placeholder", True), ("final", False), ("short", False)]


def test_plain_resume_is_one_session_and_a_fork_counts_only_its_own(tmp_path: Path) -> None:
    old = [user(1), assistant(2, "m1"), user(3), assistant(4, "m2", request="r2")]
    session(tmp_path, old)
    copies = [record | {"sessionId": OTHER} for record in old]
    started = base("queue-operation", 60, OTHER, operation="enqueue")
    session(tmp_path, [started, *copies, user(61, sessionId=OTHER), assistant(62, "m3", sessionId=OTHER)], OTHER)
    frames = load([tmp_path])
    assert frames.requests.select("session_id", "message_id").rows() == [
        (SESSION, "m1"),
        (SESSION, "m2"),
        (OTHER, "m3"),
    ]
    assert dict(frames.sessions.select("session_id", "forked_from").iter_rows()) == {SESSION: None, OTHER: SESSION}


def test_fork_whose_rows_keep_the_old_session_id_leaves_them_to_the_original(tmp_path: Path) -> None:
    # the fork's file sorts first and begins with the copies: neither time nor order tells, only the names do
    old = [user(1, sessionId=OTHER), assistant(2, "m1", sessionId=OTHER)]
    session(tmp_path, old, OTHER)
    session(tmp_path, [*old, assistant(9, "m2")], SESSION)
    rows = load([tmp_path]).requests.select("session_id", "message_id", "file").rows()
    assert [(s, m, Path(f).stem) for s, m, f in rows] == [(SESSION, "m2", SESSION), (OTHER, "m1", OTHER)]


def test_api_request_proves_the_original_where_times_do_not(tmp_path: Path) -> None:
    answer = assistant(2, "m1", requestRef="ref-1")
    session(tmp_path, [answer])
    proof = {"type": "api-request", "id": "ref-1", "sessionId": OTHER, "timestamp": answer["timestamp"]}
    session(tmp_path, [answer | {"sessionId": OTHER}, proof], OTHER)
    assert load([tmp_path]).requests["session_id"].to_list() == [OTHER]


def test_moved_session_is_counted_once(tmp_path: Path) -> None:
    records = [user(1), assistant(2, "m1")]
    session(tmp_path, records, project="old")
    session(tmp_path, [*records, assistant(3, "m2", request="r2")], project="new")
    frames = load([tmp_path])
    assert tokens(frames.requests)[0] == 2
    assert frames.requests["step"].to_list() == [0, 1]
    assert frames.sessions.height == 1


def test_roots_that_hold_the_same_response_count_it_once(tmp_path: Path) -> None:
    session(tmp_path / "a", [assistant(1, usage=usage(3, 5))])
    session(tmp_path / "b", [assistant(1, usage=usage(3, 50))])
    assert tokens(load([tmp_path / "a", tmp_path / "b"]).requests) == (1, 3, 100, 20, 50)
    assert tokens(load([tmp_path / "b", tmp_path / "a"]).requests) == (1, 3, 100, 20, 50)


def test_time_that_runs_backwards_does_not_reorder_steps(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(9, "m1"), assistant(2, "m2", request="r2"), assistant(5, "m3", timestamp=None)])
    assert frames.requests["message_id"].to_list() == ["m1", "m2", "m3"]


@pytest.mark.parametrize(
    ("written", "millisecond"),
    [("2026-11-02T09:00:01Z", 0), ("2026-11-02T10:00:01.250+01:00", 250), ("2026-11-02T09:00:01.25", 250)],
)
def test_times_in_other_iso_forms_are_utc_instants(tmp_path: Path, written: str, millisecond: int) -> None:
    ts = read(tmp_path, [assistant(1, timestamp=written)]).requests["ts"].item()
    assert ts.isoformat() == f"2026-11-02T09:00:01{f'.{millisecond}000' if millisecond else ''}+00:00"


def test_empty_frame_has_the_declared_schema(tmp_path: Path) -> None:
    frames = load([tmp_path])
    assert frames.requests.schema == schema("requests")
    assert frames.requests.height == 0


def test_tokens_are_whole_numbers_and_the_declared_types(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1)])
    assert frames.requests.schema == schema("requests")
    assert frames.requests.schema["input_tokens"] == pl.Int64
