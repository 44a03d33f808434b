"""What `--help` promises of every command: short options, words for values, one line each."""

import re
from collections.abc import Iterator

import pytest

from measure import cli

NAMES = [[], *([mount.name] for mount in cli.MOUNTS), ["policy", "show"], ["policy", "agents"], ["store", "info"]]
COMMANDS = [*NAMES, ["store", "clear"]]


@pytest.fixture(params=COMMANDS, ids=lambda words: " ".join(words) or "setpoint")
def page(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.run([*request.param, "--help"]) == 0
    return capsys.readouterr().out


def test_every_command_says_what_it_does(page: str) -> None:
    summary = page.split("\n\n")[1]
    assert summary.startswith("  "), "a sentence between the usage and the options"
    assert summary.rstrip().endswith((".", ":"))


def test_every_json_option_has_its_short_form(page: str) -> None:
    assert page.count("--json ") == page.count("-j, --json ")


def test_values_are_named_by_what_they_are_not_by_their_type(page: str) -> None:
    assert re.findall(r"<[a-z ]+>|\b(?:TEXT|INTEGER|FLOAT)\b", page) == []


def test_the_commands_of_a_group_take_one_line_each(page: str) -> None:
    _, found, commands = page.partition("\nCommands:\n")
    lines = commands.split("\n\n")[0].splitlines() if found else []
    assert all(re.match(r"  \S", line) and line.endswith(".") and "..." not in line for line in lines)
