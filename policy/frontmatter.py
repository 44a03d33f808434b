"""Agent definitions as text: pure edits that keep everything else, and take themselves back out.

What we write is marked, so that a second run finds it and `without` gives back the text before.
"""

from __future__ import annotations

import re

OPEN, CLOSE = "<!-- setpoint:{name} -->", "<!-- /setpoint:{name} -->"
SPARE = "# setpoint: {own} and one spare turn for the report"
_TURNS = re.compile(
    r"^(maxTurns:[ \t]*)(\d+)([ \t]*)(?:# setpoint: (\d+) and one spare turn for the report)?[ \t]*(?=\r?$)",
    re.MULTILINE,
)
_WORDS = re.compile(r"at most (\d+) words")


def newline_of(text: str) -> str:
    """The line ending the text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def head_end(text: str) -> int:
    """Offset behind the frontmatter's closing line; 0 where there is none."""
    found = re.match(r"\ufeff?---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return found.end() if found else 0


def with_spare_turn(text: str) -> str:
    """`maxTurns: 30` becomes 31, with a comment that says so; unchanged where it already stands or no limit is set.

    A run that is stopped at its limit returns nothing: the spare turn is for the report.
    """
    head = text[: head_end(text)]
    found = _TURNS.search(head)
    if found is None or found[4]:
        return text
    line = f"{found[1]}{int(found[2]) + 1} {SPARE.format(own=found[2])}"
    return head[: found.start()] + line + text[found.end() :]


def without_spare_turn(text: str) -> str:
    """The text before `with_spare_turn`."""
    head = text[: head_end(text)]
    found = _TURNS.search(head)
    if found is None or not found[4]:
        return text
    return head[: found.start()] + f"{found[1]}{found[4]}" + text[found.end() :]


def with_block(text: str, name: str, body: str) -> str:
    """The text with our block of that name at its end, or with the block brought up to date where it stands."""
    line = newline_of(text)
    block = line.join([OPEN.format(name=name), *body.splitlines(), CLOSE.format(name=name)])
    start, end = _span(text, name)
    if start >= 0:
        return text[:start] + block + text[end:]
    return text + line + block + line


def without_block(text: str, name: str) -> str:
    """The text before `with_block` put the block at its end."""
    start, end = _span(text, name)
    if start < 0:
        return text
    line = newline_of(text)
    before, after = text[:start], text[end:]
    return before.removesuffix(line) + after.removeprefix(line)


def block_of(text: str, name: str) -> str | None:
    """What stands in our block; None where there is none."""
    start, end = _span(text, name)
    if start < 0:
        return None
    return text[start + len(OPEN.format(name=name)) : end - len(CLOSE.format(name=name))].strip()


def words_in(block: str) -> int | None:
    """The limit in words that a block of ours names."""
    found = _WORDS.search(block)
    return int(found[1]) if found else None


def _span(text: str, name: str) -> tuple[int, int]:
    start = text.find(OPEN.format(name=name))
    close = text.find(CLOSE.format(name=name), start)
    return (start, close + len(CLOSE.format(name=name))) if start >= 0 and close >= 0 else (-1, -1)
