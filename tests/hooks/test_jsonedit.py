"""Edits of a JSON text touch only what differs."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.jsonedit import NotStrictJsonError, parse, rewrite

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
OBJECT = st.dictionaries(st.text(max_size=5), PLAIN, max_size=5)


def spelled(value: Any, draw: Any) -> str:
    """JSON of a value in one of the styles people use."""
    style = draw(st.sampled_from([{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}]))
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), **style)
    return draw(st.sampled_from(["", "\n", " \n"])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))


@given(st.data(), OBJECT)
def test_same_value_leaves_the_text(data: st.DataObject, value: Any) -> None:
    text = spelled(value, data.draw)
    assert rewrite(text, value) == text


@given(st.data(), OBJECT, OBJECT)
def test_the_result_reads_as_wanted(data: st.DataObject, value: Any, wanted: Any) -> None:
    text = spelled(value, data.draw)
    assert json.loads(rewrite(text, wanted)) == wanted


@settings(max_examples=200)
@given(st.data(), OBJECT, st.text(max_size=5), PLAIN)
def test_a_member_added_and_dropped_restores_the_text(data: st.DataObject, value: Any, key: str, new: Any) -> None:
    text = spelled(value, data.draw)
    if key in value:
        return
    added = rewrite(text, {**value, key: new})
    spellings = {"": text.strip(" \n")} if not value else {}
    assert rewrite(added, value, spellings) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a":1,}',
        "[1,]",
        '{"a" 1}',
        "// x\n{}",
        "{} x",
        '{"a":1,"a":2}',
        "{'a':1}",
        "[NaN]",
        '["\t"]',
        "[01]",
        "[1 2]",
    ],
)
def test_anything_but_strict_json_is_refused(text: str) -> None:
    with pytest.raises(NotStrictJsonError):
        parse(text)


def test_new_members_are_written_like_their_neighbours() -> None:
    text = '{\r\n\t"a": ["x",  "y"],\r\n\t"é": {}\r\n}'
    wanted = {"a": ["x", "y", "z"], "é": {"n": [1]}}
    assert (
        rewrite(text, wanted)
        == '{\r\n\t"a": ["x",  "y",  "z"],\r\n\t"é": {\r\n\t\t"n": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}'
    )
