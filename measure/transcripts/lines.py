"""What a read brought in, line by line, without keeping a word of it: one mark a line.

A mark is 24 bits of the line's CRC-32 and its size, so that `measure.frames.reads` can tell which lines were really
sent again, and how many characters they were. Two different lines at the same place pass for equal once in 16 million.
Marks are packed as planes, three of the checks and then the sizes: filled and cut at the speed of C, where joining
them line by line cost as much as all else here.
"""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from zlib import crc32

LONGEST = 0xFFF
_PLANES = (0, 1, 2) if sys.byteorder == "little" else (3, 2, 1)  # of the four bytes of a check, lowest first


def line_marks(text: str) -> tuple[int | None, str]:
    """Number of the first line as Read wrote it (None: no numbers) and the marks of all lines, packed as text.

    Sizes are UTF-16 units of the line as the model read it, number included; the CRC is of the file's own text, so
    that what Bash printed and what Read gave can be compared. What the client adds below the lines is left out.
    """
    first, between = _numbering(text)
    if between:
        text = text.partition("\n\n")[0]  # a numbered text has no empty line: here begins a <system-reminder>
    rows = text.encode("utf-8", "surrogatepass").split(b"\n")
    if text.isascii():
        sizes = list(map(len, rows))
    else:
        lines = text.split("\n")
        whole = 2 * len(text) == len(text.encode("utf-16-le", "surrogatepass"))
        sizes = list(map(len, lines)) if whole else [_units(line) for line in lines]
    if max(sizes) > LONGEST:
        sizes = [min(size, LONGEST) for size in sizes]
    bodies = _bodies(rows, first, between.encode()) if first is not None else rows
    checks = array("I", map(crc32, bodies)).tobytes()
    packed = b"".join(checks[plane::4] for plane in _PLANES) + array("H", sizes).tobytes()
    return first, b64encode(packed).decode("ascii")


def _units(line: str) -> int:
    return len(line.encode("utf-16-le", "surrogatepass")) // 2


def _bodies(rows: list[bytes], first: int, mark: bytes) -> list[bytes]:
    """The lines without their numbers; the numbers count up, so where one ends is known for a whole decade."""
    wide = rows[0].find(mark)
    out: list[bytes] = []
    at, number = 0, first
    while at < len(rows):
        width = len(str(number))
        upto = at + 10**width - number
        skip = max(wide - len(str(first)) + width if wide == len(str(first)) else wide, width) + len(mark)
        block = rows[at:upto]
        if any(row[skip - len(mark) : skip] != mark for row in (block[0], block[-1])):
            return [row[row.find(mark) + len(mark) :] for row in rows]
        out += [row[skip:] for row in block]
        at, number = upto, number + len(block)
    return out


def unpack_marks(packed: str) -> tuple[list[int], list[int]]:
    """The CRCs and the sizes (UTF-16 units, at most 4,095 each) of packed marks."""
    raw = b64decode(packed)
    count = len(raw) // 5
    low, middle, high = (raw[plane * count : (plane + 1) * count] for plane in range(3))
    sizes = array("H")
    sizes.frombytes(raw[3 * count :])
    return [a | b << 8 | c << 16 for a, b, c in zip(low, middle, high, strict=True)], sizes.tolist()


def _numbering(text: str) -> tuple[int | None, str]:
    """First line number and what stands between number and text (an arrow, in newer clients a tab); None without."""
    start, _, rest = text.partition("\n")
    for between in ("→", "\t"):
        number = _number(start, between)
        if number is not None:
            second = rest.partition("\n")[0]
            counted = not second or _number(second, between) == number + 1
            return (number, between) if counted else (None, "")
    return None, ""


def _number(line: str, between: str) -> int | None:
    digits, found, _ = line[:24].partition(between)
    digits = digits.strip(" ")
    return int(digits) if found and digits.isdecimal() and digits.isascii() else None
