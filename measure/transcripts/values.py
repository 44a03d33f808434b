"""Cleaning single values: sizes in UTF-16 units, counters, times. Wrong types become None, never an error."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from measure.digest import blake2b

INT64_MAX = 2**63 - 1
_CANONICAL = len("2026-11-30T13:20:38.019Z")


class Oddities:
    """What had to be mended: the lines with lone surrogates in a kept text, and the line of each clamped number."""

    __slots__ = ("clamped", "line", "surrogates")

    def __init__(self) -> None:
        self.line = 0
        self.surrogates: set[int] = set()
        self.clamped: list[int] = []

    def string(self, value: Any) -> str | None:
        """`value` where it is text, lone surrogates replaced; else None."""
        if not isinstance(value, str):
            return None
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            self.surrogates.add(self.line)
            return value.encode("utf-8", "replace").decode("utf-8")
        return value

    def counter(self, value: Any) -> int | None:
        """`value` where it is a whole number from 0 on, clamped to int64; else None (floats and bools too)."""
        if type(value) is not int or value < 0:
            return None
        if value > INT64_MAX:
            self.clamped.append(self.line)
            return INT64_MAX
        return value

    def strings(self, value: Any) -> int:
        """UTF-16 units of all strings inside `value`, keys not counted."""
        return sum(map(units, _strings(value)))


def units(text: str) -> int:
    """UTF-16 units of `text`; a lone surrogate counts as the one unit it is."""
    length = len(text)
    # CPython keeps 1, 2 or 4 bytes a character, 4 only where one of them is beyond U+FFFF: the size of the object
    # tells which without a look at any. Small texts, whose head outweighs them, take the long way.
    if text.isascii() or text.__sizeof__() < 4 * length:
        return length
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)


def moment(value: Any) -> str | None:
    """A timestamp as the client writes it (`2026-11-30T13:20:38.019Z`); other ISO forms are brought to it."""
    if type(value) is not str:
        return None
    if len(value) == _CANONICAL and value[-1] == "Z" and value[10] == "T" and value[19] == ".":
        return value
    try:
        time = datetime.fromisoformat(value)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def digest(text: str) -> int:
    """62 bits that tell the same text in another record, and nothing about its content."""
    hashed = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(hashed, "big") >> 2


def truth(value: Any) -> bool | None:
    """`value` where it is true or false, else None."""
    return value if isinstance(value, bool) else None
