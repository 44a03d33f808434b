"""Damage costs the damaged line and nothing else, however the bytes are cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_transcripts import assistant, lines, read, session, usage, user

from measure.frames import load
from measure.transcripts import decode as decoder
from measure.transcripts import fields as f
from measure.transcripts import scan
from measure.transcripts.decode import decode

GOOD = json.dumps(assistant(1)).encode()


def kinds(data: bytes) -> list[object]:
    """Type of each record; None where it is damaged."""
    return [None if record is None else record[f.TYPE] for record in decode(data).records]


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (b'{"type": "user", "mess', [None]),
        (b'{"type":"user","x":1' + GOOD, [None]),
        (GOOD + GOOD, [None]),
        (b"\0" * 300, [None]),
        (b'{"type":"user"}' + b"\0" * 300, ["user"]),
        (b"42", [None]),
        (b'"x"', [None]),
        (b"[1]", [None]),
        (b"null", [None]),
        (b"not json", [None]),
        (b'{"type":"user","x":"\xff\xfe"}', ["user"]),
        (b'{"type":"user","x":"\\udcb2"}', ["user"]),
        (b'  {"type" : "user"}\t', ["user"]),
        (b'{"type":"user"}\r', ["user"]),
        (b"", []),
        (b"   ", []),
        (b"\r", []),
        ('{"type":"user","x":"\u2028\u2029\u0085"}'.encode(), ["user"]),
        (b'{"type":"user","type":"assistant"}', ["user"]),
        (b'{"x":' + b"[" * 5000 + b"]" * 5000 + b"}", [None]),
    ],
)
def test_damaged_line_leaves_its_neighbours_alone(damage: bytes, expected: list[object]) -> None:
    assert kinds(GOOD + b"\n" + damage + b"\n" + GOOD + b"\n") == ["assistant", *expected, "assistant"]


def test_two_objects_on_a_line_and_one_over_two_lines_are_not_taken_for_three_records() -> None:
    # as many documents as lines, and none where the count says
    assert kinds(b'{"type":"a"}{"type":"b"}\n{"type":\n"c"}\n{"type":"user"}\n') == [None, None, None, "user"]


def test_byte_order_mark_costs_no_record() -> None:
    assert kinds(b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD) == ["assistant", "assistant"]


def test_lines_are_numbered_as_they_stand_in_the_file() -> None:
    found = decode(b"\n\n" + GOOD + b"\n\nbad\n" + GOOD, first_line=10)
    assert list(found.numbers) == [12, 14, 15]
    assert found.after == 16


def test_a_line_of_many_megabytes_is_a_record_like_any_other(tmp_path: Path) -> None:
    huge = user(2, [{"type": "tool_result", "tool_use_id": "t", "content": "é" * 6_000_000}])
    frames = read(tmp_path, [assistant(1), huge, assistant(3, "m2", request="r2")])
    assert frames.records == {"read": 3, "used": 3, "bookkeeping": 0, "unknown": 0, "damaged": 0}


def test_every_line_is_accounted_for_and_the_first_damage_named(tmp_path: Path) -> None:
    kept = [assistant(1), "{torn", {"type": "last-prompt", "sessionId": "s"}, {"type": "from-the-future"}, "[1]"]
    row = read(tmp_path, kept).files.row(0, named=True)
    counts = ("records", "used", "bookkeeping", "unknown", "damaged", "first_damaged_line")
    assert [row[name] for name in counts] == [5, 1, 1, 1, 2, 2]


def test_lone_surrogates_are_replaced_and_counted_where_a_text_is_kept(tmp_path: Path) -> None:
    in_a_path = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "/a/\udcb2"}}
    frames = read(
        tmp_path, [assistant(1, content=[in_a_path]), user(2, "\ud800 and \udcb2"), user(3, "fine \u2028 😀")]
    )
    assert frames.files["surrogates"].to_list() == [1]  # of a prompt only the size is kept: nothing to replace


def test_last_line_without_an_end_counts_if_it_is_whole(tmp_path: Path) -> None:
    path = session(tmp_path, [assistant(1)])
    path.write_bytes(path.read_bytes() + json.dumps(assistant(2, "m2", request="r2")).encode())
    assert load([tmp_path]).records["used"] == 2
    path.write_bytes(path.read_bytes()[:-3])
    assert load([tmp_path]).records == {"read": 2, "used": 1, "bookkeeping": 0, "unknown": 0, "damaged": 1}


def test_json_takes_over_where_fastsimdjson_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError

    monkeypatch.setattr(decoder.fastsimdjson, "loads_many", refuse)
    monkeypatch.setattr(decoder.fastsimdjson, "loads", refuse)
    assert kinds(GOOD + b"\nbad\n" + GOOD) == ["assistant", None, "assistant"]


def test_collector_is_as_it_was_even_after_an_error() -> None:
    import gc

    def fail() -> None:
        with scan.collector_off():
            assert not gc.isenabled()
            raise RuntimeError

    assert gc.isenabled()
    with pytest.raises(RuntimeError):
        fail()
    assert gc.isenabled()


damaged = st.one_of(
    st.binary(max_size=40).map(lambda raw: raw.replace(b"\n", b" ")),
    st.sampled_from([b"", b"{", b"}", b"{}{}", b"[]", b"null", b"\0\0", b"\xef\xbb\xbf{}", b'{"type":', b'"x"}']),
)
whole = st.sampled_from(
    [
        assistant(1, "m1"),
        assistant(2, "m1", usage=usage(3, 50)),
        assistant(3, "m2", request="r2"),
        assistant(4, None),
        user(5, "text \u2028"),
        user(6, [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]),
        {"type": "mode"},
    ]
).map(lambda record: json.dumps(record, ensure_ascii=False).encode())


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(damaged, whole), min_size=1, max_size=12), st.integers(1, 400))
def test_random_damage_is_counted_and_chunk_borders_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: list[bytes], chunk: int
) -> None:
    path = session(tmp_path, [])
    path.write_bytes(GOOD + b"\n" + b"\n".join(pieces))
    whole_file = load([path])
    monkeypatch.setattr(scan, "CHUNK", chunk)
    in_pieces = load([path])
    monkeypatch.undo()
    counts = whole_file.records
    assert counts["read"] == sum(count for name, count in counts.items() if name != "read")
    assert counts["read"] == 1 + sum(1 for piece in pieces if piece.strip(b" \t\r"))
    for name in ("requests", "sessions", "files"):
        assert whole_file.frame(name).equals(in_pieces.frame(name)), name


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(damaged, whole), max_size=8))
def test_a_line_means_the_same_alone_and_among_others(pieces: list[bytes]) -> None:
    together = kinds(lines(pieces))
    alone = [kind for piece in pieces for kind in kinds(piece + b"\n")]
    assert together == alone
