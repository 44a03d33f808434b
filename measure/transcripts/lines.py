"""What reads brought in, line by line, without keeping a word of it: one mark a line.

A mark is 20 bits of a hash of the line and its size, so that `measure.frames.reads` can tell which lines were really
sent again, and how many characters they were. Two different lines at the same place pass for equal once in a million.
Polars splits and hashes, many texts at once: line by line in Python this cost as much as all else here. Its hash is
its own and may change with its version, so marks of two versions are never compared (`probe`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import polars as pl

from measure.transcripts.values import units

LONGEST = 0xFFF
_SIZE_BITS = 12
_SEED = 7
_ARROW, _TAB = "→", "\t"
# The number of a line as Read writes it, and what stands between it and the text (in newer clients a tab).
_FIRST = rf"\A *(?<number>\d{{1,18}})(?<between>{_ARROW}|{_TAB})"
_SECOND = rf"\A[^\n]*\n *(?<number>\d{{1,18}})(?<between>{_ARROW}|{_TAB})"
_HAS_SECOND = r"\A[^\n]*\n[^\n]"
_ASTRAL = r"[\x{10000}-\x{10FFFF}]"
MARKS = pl.List(pl.UInt32)


def line_marks(texts: Sequence[str]) -> tuple[pl.Series, pl.Series]:
    """For each text: the number of its first line as Read wrote it (null: no numbers), and the marks of its lines.

    Sizes are UTF-16 units of the line as the model read it, number included; the hash is of the file's own text, so
    that what Bash printed and what Read gave can be compared. What the client adds below the lines is left out.
    """
    texts_ = _series(texts)
    rows = pl.DataFrame({"text": texts_, "width": [_width(text) for text in texts]}).with_row_index("at")
    rows = rows.with_columns(pl.col("text").str.extract_groups(_FIRST).struct.unnest())
    second = pl.col("text").str.extract_groups(_SECOND).struct
    counted = (second.field("number").cast(pl.Int64) == pl.col("number").cast(pl.Int64) + 1) & (
        second.field("between") == pl.col("between")
    )
    numbered = counted.fill_null(value=False) | ~pl.col("text").str.contains(_HAS_SECOND)
    rows = rows.with_columns(
        pl.when(numbered).then("number").cast(pl.Int64).alias("number"),
        pl.when(numbered).then("between").alias("between"),
    )
    parts = [
        _marked(part, between, width)
        for (between, width), part in rows.partition_by("between", "width", as_dict=True).items()
    ]
    if not parts:
        return pl.Series("number", [], pl.Int64), pl.Series("marks", [], MARKS)
    out = pl.concat(parts).sort("at")
    return out["number"], out["marks"]


def _series(texts: Sequence[str]) -> pl.Series:
    try:
        return pl.Series("text", texts, dtype=pl.String)
    except UnicodeEncodeError:  # a lone surrogate is one unit, and so is its replacement
        return pl.Series("text", [text.encode("utf-8", "replace").decode() for text in texts], dtype=pl.String)


def _width(text: str) -> int:
    """0: all of it is ASCII, 1: no character is two UTF-16 units, 2: some are."""
    return 0 if text.isascii() else 1 if units(text) == len(text) else 2


def _marked(rows: pl.DataFrame, between: object, width: object) -> pl.DataFrame:
    """Marks of texts that are numbered alike and of one width."""
    text, line = pl.col("text"), pl.element()
    body = line
    if between is not None:
        # A numbered text has no empty line: there a note begins. Few have one, and to look for it is cheap.
        noted = text.str.contains("\n\n", literal=True)
        if rows.select(noted.any()).item():
            text = pl.when(noted).then(text.str.splitn("\n\n", 2).struct.field("field_0")).otherwise(text)
        place = line.str.find(str(between), literal=True).cast(pl.Int64).fill_null(-1)
        body = line.str.slice(place + 1)  # number and arrow are one byte a character, but for the arrow's own
    size = line.str.len_chars() if width else line.str.len_bytes()
    if width == 2:
        size += line.str.count_matches(_ASTRAL)
    mark = _check(body) * (1 << _SIZE_BITS) + size.clip(upper_bound=LONGEST)
    return rows.select("at", "number", text.str.split("\n").list.eval(mark.cast(pl.UInt32)).alias("marks"))


def _hashed(text: pl.Expr) -> pl.Expr:
    return text.hash(_SEED) // (1 << 44)


def _check(text: pl.Expr) -> pl.Expr:
    """20 bits, 0 for an empty line. Each expression stands once: inside a list nothing is computed but once a use."""
    return _hashed(text) ^ _empty()


@cache
def _empty() -> int:
    return int(pl.select(_hashed(pl.lit(""))).item())


def probe() -> str:
    """What tells one way of hashing from another: marks may be compared where it is the same."""
    hashed = pl.DataFrame({"text": ["", "probe", "a longer line, beyond what fits into a word"]}).select(
        _hashed(pl.col("text"))
    )
    return " ".join(map(str, hashed["text"]))


def unpack_marks(marks: Sequence[int]) -> tuple[list[int], list[int]]:
    """The checks (0: an empty line) and the sizes (UTF-16 units, at most 4,095 each) of the lines."""
    return [mark >> _SIZE_BITS for mark in marks], [mark & LONGEST for mark in marks]
