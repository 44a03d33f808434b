"""The README tells the truth: its commands, its names, its output."""

import os
import re
from itertools import dropwhile, takewhile
from pathlib import Path

from measure import cli
from measure.reports import ALIASES

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "README.md"
README = PAGE.read_text(encoding="utf-8")
TABLE_HEAD = "| report | what it shows |\n|---|---|\n"
SHOWN = re.compile(r"<!-- golden: (\S+) \| ([^|]*) \| ([^|]*) -->\n```\n(.*?)```\n", re.DOTALL)


def excerpt(file: str, first: str, end: str) -> str:
    """The lines of a golden report from the line `first` to before the line that begins with `end`."""
    lines = iter((ROOT / "tests" / "golden" / file).read_text(encoding="utf-8").splitlines())
    tail = dropwhile(lambda line: line != first, lines)
    return "\n".join(takewhile(lambda line: not line.startswith(end), tail)).rstrip() + "\n"


def current(shown: re.Match[str]) -> str:
    file, first, end, _ = shown.groups()
    return f"<!-- golden: {file} | {first} | {end} -->\n```\n{excerpt(file, first, end)}```\n"


def report_table() -> str:
    return TABLE_HEAD + "".join(f"| `{entry.name}` | {entry.help} |\n" for entry in cli.reports())


def test_shown_output_and_the_table_of_reports_are_real() -> None:
    page = SHOWN.sub(current, README)
    head, _, rest = page.partition(TABLE_HEAD)
    page = head + report_table() + rest[rest.index("\n\n") + 1 :]
    if os.environ.get("SETPOINT_GOLDEN") == "write":
        PAGE.write_text(page, encoding="utf-8", newline="\n")
    else:
        assert page == README, "run: just golden"


def test_some_output_is_shown_on_the_first_screen() -> None:
    first_screen = "\n".join(README.splitlines()[:45])
    assert SHOWN.search(first_screen)
    assert "pip install uv && uv run just measure" in first_screen
    assert "pip install uv && uv run just test" in README


def test_every_alias_and_command_is_named() -> None:
    for name in ALIASES:
        assert f"`{name}`" in README, name
    for mount in cli.MOUNTS:
        assert f"setpoint {mount.name}" in README, mount.name


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
