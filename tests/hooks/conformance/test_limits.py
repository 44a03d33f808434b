"""Which limits hold: config, environment, defaults; and where a config is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PASS, FILE = "AGENT_RETURN_PASS", "AGENT_RETURN_FILE"
VALID = [
    ("300", 300),
    (" 300 ", 300),
    ("\t300\n", 300),
    ("3e2", 300),
    ("3E2", 300),
    ("300.0", 300),
    ("300.", 300),
    ("+300", 300),
    ("0300", 300),
    (".3e3", 300),
    ("0x12C", 300),
    ("0b100101100", 300),
    ("0o454", 300),
    ("\ufeff300\u00a0", 300),
]
INVALID = [
    *[
        "1.7",
        "abc",
        "12abc",
        "-5",
        "0",
        "",
        " ",
        "1e400",
        "NaN",
        "Infinity",
        "-Infinity",
        "1_000",
        "1,000",
        "0x",
        "0xg",
    ],
    *[
        "-0x10",
        "+0x10",
        "1e",
        "--1",
        "0.0",
        "-0",
        "1 2",
        ".",
        "+",
        "true",
        "null",
        "[]",
        "1n",
        "1e-3",
        "\u0663\u0660\u0660",
        "\uff13\uff10\uff10",
        "inf",
    ],
]


def announced(copy: Any, events: Any, **env: str) -> tuple[str, str]:
    """The two numbers that the contract names."""
    words = copy.ask(events["start"](), env).note.split()
    numbers = [word for word in words if word.isdigit()]
    return numbers[0], numbers[-1]


@pytest.mark.parametrize(("text", "value"), VALID)
def test_environment_as_javascript_reads_it(copy: Any, events: Any, text: str, value: int) -> None:
    copy.returns()
    assert announced(copy, events, **{PASS: text}) == (str(value), "2500")


@pytest.mark.parametrize("text", INVALID)
def test_anything_else_in_the_environment_falls_through(copy: Any, events: Any, text: str) -> None:
    copy.returns()
    assert announced(copy, events, **{PASS: text, FILE: text}) == ("1000", "2500")


@pytest.mark.parametrize("text", ["5000", "5e3", " 5000", "0x1388"])
def test_file_limit_from_the_environment(copy: Any, events: Any, text: str) -> None:
    copy.returns()
    assert announced(copy, events, **{FILE: text}) == ("1000", "5000")


@pytest.mark.parametrize("value", [1, 700, 700.0, 999_999])
def test_a_positive_whole_number_in_the_config_wins(copy: Any, events: Any, value: Any) -> None:
    copy.returns(passTokens=value, fileTokens=1_000_000)
    assert announced(copy, events, **{PASS: "300"})[0] == str(int(value))


@pytest.mark.parametrize("value", [0, -1, 1.5, "700", True, None, [], {}, 1e400])
def test_any_other_config_value_falls_to_the_environment(copy: Any, events: Any, value: Any) -> None:
    raw = f'{{"returns": {{"enabled": true, "passTokens": {_json(value)}}}}}'
    copy.config(raw.encode())
    assert announced(copy, events, **{PASS: "300"}) == ("300", "2500")
    assert announced(copy, events) == ("1000", "2500")


def _json(value: Any) -> str:
    import json

    return "1e400" if value == float("inf") else json.dumps(value)


def test_each_limit_resolves_by_itself(copy: Any, events: Any) -> None:
    copy.returns(fileTokens=9000)
    assert announced(copy, events, **{PASS: "300", FILE: "5000"}) == ("300", "9000")


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({"passTokens": 600}, ("600", "2500")),
        ({"fileTokens": 4000}, ("800", "4000")),
        ({"passTokens": 0}, ("800", "2500")),
        ({"passTokens": "600"}, ("800", "2500")),
        (600, ("800", "2500")),
        (None, ("800", "2500")),
        ([], ("800", "2500")),
    ],
)
def test_a_type_has_limits_of_its_own(copy: Any, events: Any, own: Any, expected: tuple[str, str]) -> None:
    copy.returns(passTokens=800, byAgentType={"general-purpose": own, "other": {"passTokens": 5}})
    assert announced(copy, events) == expected


@pytest.mark.parametrize("types", [[], None, "general-purpose", 5])
def test_a_type_table_of_another_kind_is_passed_over(copy: Any, events: Any, types: Any) -> None:
    copy.returns(byAgentType=types)
    assert announced(copy, events) == ("1000", "2500")


@pytest.mark.parametrize("enabled", [False, None, "true", "True", 1, 0, [], {}, ...])
def test_enabled_must_be_exactly_true(copy: Any, events: Any, enabled: Any) -> None:
    copy.config({"returns": {} if enabled is ... else {"enabled": enabled}})
    assert copy.ask(events["start"]()).silent
    assert copy.ask(events["stop"]("x" * 20_000)).silent


def test_no_config_no_word(copy: Any, events: Any) -> None:
    assert copy.ask(events["start"]()).silent
    assert copy.ask(events["stop"]("x" * 20_000)).silent
    assert copy.ask(events["handback"]("x" * 20_000)).silent


def test_a_change_is_seen_at_the_next_call(copy: Any, events: Any) -> None:
    copy.returns()
    assert announced(copy, events) == ("1000", "2500")
    copy.returns(passTokens=77)
    assert announced(copy, events) == ("77", "2500")
    copy.config({"returns": {"enabled": False}})
    assert copy.ask(events["start"]()).silent


def deep(copy: Any, levels: int) -> Path:
    """A project that many folders below the one of the fixture."""
    path = copy.project
    for _ in range(levels):
        path = path / "d"
    path.mkdir(parents=True, exist_ok=True)
    return Path(path)


@pytest.mark.parametrize(("levels", "found"), [(0, True), (1, True), (14, True), (15, True), (16, False), (20, False)])
def test_sixteen_folders_are_looked_into(copy: Any, events: Any, levels: int, found: bool) -> None:
    copy.returns(passTokens=321)
    said = copy.ask(events["start"](), {"CLAUDE_PROJECT_DIR": str(deep(copy, levels))})
    assert ("321" in said.note) == found


MALFORMED = {
    "empty": b"",
    "half": b'{"returns": {"enabled": true',
    "array": b'[{"returns": {"enabled": true}}]',
    "text": b'"returns"',
    "null": b"null",
    "number": b"1",
    "comment": b'{"returns": {"enabled": true}} // on',
    "trailing comma": b'{"returns": {"enabled": true,}}',
    "not utf-8": b'{"returns": {"enabled": true, "x": "\xff"}}',
    "no section": b'{"context": {"enabled": true}}',
    "section is null": b'{"returns": null}',
    "section is an array": b'{"returns": []}',
    "section is a text": b'{"returns": "on"}',
}


@pytest.mark.parametrize("name", MALFORMED)
def test_an_unusable_file_is_skipped_for_the_next(copy: Any, events: Any, name: str) -> None:
    inner = deep(copy, 1)
    copy.config(MALFORMED[name], inner)
    copy.returns(passTokens=321)
    assert announced(copy, events, CLAUDE_PROJECT_DIR=str(inner))[0] == "321"


def test_a_folder_in_the_place_of_the_file_is_skipped(copy: Any, events: Any) -> None:
    inner = deep(copy, 1)
    (inner / ".claude" / "setpoint.json").mkdir(parents=True)
    copy.returns(passTokens=321)
    assert announced(copy, events, CLAUDE_PROJECT_DIR=str(inner))[0] == "321"


def test_a_byte_order_mark_in_the_config_is_no_harm(copy: Any, events: Any) -> None:
    copy.config(b'\xef\xbb\xbf{"returns": {"enabled": true, "passTokens": 321}}')
    assert announced(copy, events)[0] == "321"


def test_the_nearest_file_wins_even_to_say_no(copy: Any, events: Any) -> None:
    inner = deep(copy, 1)
    copy.config({"returns": {"enabled": False}}, inner)
    copy.returns()
    assert copy.ask(events["start"](), {"CLAUDE_PROJECT_DIR": str(inner)}).silent


def test_the_user_s_file_comes_last(copy: Any, events: Any) -> None:
    copy.config({"returns": {"enabled": True, "passTokens": 444}}, copy.user)
    assert announced(copy, events)[0] == "444"
    copy.returns(passTokens=321)
    assert announced(copy, events)[0] == "321"


def test_the_user_s_config_folder_may_be_elsewhere(copy: Any, events: Any, tmp_path: Path) -> None:
    copy.config({"returns": {"enabled": True, "passTokens": 444}}, copy.user)
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "setpoint.json").write_text('{"returns": {"enabled": true, "passTokens": 555}}')
    assert announced(copy, events, CLAUDE_CONFIG_DIR=str(other))[0] == "555"


def test_no_home_is_no_failure(copy: Any, events: Any) -> None:
    copy.returns()
    assert copy.ask(events["start"](), {"HOME": "-"}).note


@pytest.mark.parametrize("mode", ["announce", "block", "shorten", "other", None, 5])
def test_modes(copy: Any, events: Any, mode: Any) -> None:
    """announce only tells; shorten blocks where nothing can cut; anything unknown is block."""
    copy.returns(mode=mode)
    assert "1000 tokens" in copy.ask(events["start"]()).note
    assert bool(copy.ask(events["stop"]("x" * 6000)).order) == (mode != "announce")


def test_a_mode_of_one_type(copy: Any, events: Any) -> None:
    copy.returns(byAgentType={"quiet": {"mode": "announce"}})
    assert copy.ask(events["stop"]("x" * 6000, "quiet")).silent
    assert copy.ask(events["stop"]("x" * 6000)).order
