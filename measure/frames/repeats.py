"""Whether a read brings lines that the same segment already holds, unchanged.

What a segment holds of a file is known line by line from the marks of earlier reads (`measure.transcripts.lines`), so
a change by anybody (another agent, a formatter, a Bash command) shows in the lines themselves. Edits seen in the
thread clear the file in any case: what was read before them is out of date.
"""

from __future__ import annotations

from typing import NamedTuple

BLANK = 0  # check of an empty line


class Range(NamedTuple):
    """Lines asked for: both ends count from 1, `last` None is the end of the file, `from_end` N the last N lines."""

    first: int | None = 1
    last: int | None = None
    from_end: int | None = None


class Repeat(NamedTuple):
    """What a read repeats: `kind` none, same, contained or overlap; `chars` UTF-16 units really sent again."""

    kind: str
    chars: int


NONE = Repeat("none", 0)


class Held:
    """The lines of one file that a segment holds."""

    def __init__(self) -> None:
        self._lines: dict[int, int] = {}
        self._asked: set[Range] = set()
        self._ends: dict[Range, list[int]] = {}
        # The last read is taken over when another one comes: most files are read once between two edits.
        self._last: tuple[int, list[int]] | None = None

    def read(self, asked: Range, start: int | None, checks: list[int], sizes: list[int], chars: int) -> Repeat:
        """Judge a read and hold its lines.

        `start` is the line number of the first of `checks` where the result says it (Read numbers its lines);
        `sizes` are the UTF-16 units of each line, `chars` those of the whole result.
        """
        if self._last is not None:
            self._lines.update(enumerate(self._last[1], self._last[0]))
        first = self._place(asked, checks) if start is None else start
        if first is None:
            known = self._ends.get(asked) == checks and any(checks)
            self._ends[asked] = checks
            return Repeat("same", chars) if known else NONE
        self._last = first, checks
        if not self._lines:
            self._asked.add(asked)
            return NONE
        given = dict(enumerate(checks, first))
        common = given.keys() & self._lines.keys()
        if any(self._lines[line] != given[line] for line in common):
            # The file is another one now: this read repeats nothing. Lines that did not come with it stay held:
            # when they come again, they are compared one by one.
            self._asked.clear()
            self._ends.clear()
            common = set()
        repeat = self._kind(asked, given, common, sizes, chars)
        self._asked.add(asked)
        return repeat

    def _kind(self, asked: Range, given: dict[int, int], common: set[int], sizes: list[int], chars: int) -> Repeat:
        if not any(given[line] != BLANK for line in common):
            return NONE
        end = max((line for line in given if given[line] != BLANK), default=0)
        whole = all(line in self._lines for line in given if line <= end)
        if whole:
            return Repeat("same" if asked in self._asked else "contained", chars)
        # the line feed after each line is sent with it
        again = min(chars, sum(size + 1 for line, size in zip(given, sizes, strict=True) if line in common))
        return Repeat("same" if asked in self._asked else "overlap", again)

    def _place(self, asked: Range, checks: list[int]) -> int | None:
        """Number of the first line of a Bash print; None at the end of a file of unknown length."""
        if asked.from_end is not None:
            return self._place_at_end(checks)
        first = asked.first or 1
        if asked.last is None or not self._lines or self._fits(first, checks):
            return first
        # The client takes blank lines off the front of what Bash printed: try the range from its end.
        shifted = asked.last - len(checks) + 1
        return shifted if shifted > first and self._fits(shifted, checks) else first

    def _place_at_end(self, checks: list[int]) -> int | None:
        if Range() not in self._asked or not self._lines:
            return None
        end = max((line for line, check in self._lines.items() if check != BLANK), default=0)
        first = end - len(checks) + 1
        return first if self._fits(first, checks) else None

    def _fits(self, first: int, checks: list[int]) -> bool:
        return all(self._lines.get(line, check) == check for line, check in enumerate(checks, first))
