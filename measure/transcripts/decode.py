"""From bytes to records: fastsimdjson for the wanted fields, json where it gives up, nothing lost and nothing raised.

The only module that knows fastsimdjson. Its stream stops at the first error, takes two objects on one line for two,
fails a whole chunk for one bad byte and passes lone surrogates and huge ints without a word. So a chunk is accepted
only if every line is one `{...}` and the documents are as many as the lines; else it is decoded line by line.
Surrogates, ints and wrong types are cleaned where columns are built.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import fastsimdjson

from measure.transcripts.fields import PATHS, POINTERS

BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
_OPEN, _CLOSE = b"{}"
# JSONDecodeError and UnicodeDecodeError are ValueErrors; deep nesting ends in json's RecursionError.
_ERRORS = (ValueError, RecursionError)
Fields = tuple[Any, ...]
Lines = list[tuple[int, bytes]]


def decode(chunk: bytes, first_line: int = 1) -> tuple[Lines, Sequence[Fields | None], int]:
    """Decode complete lines, the first of which has number `first_line`.

    Returns the lines that are not blank with their numbers, for each its wanted fields (None: damaged), and the
    number of the line after the chunk.
    """
    pieces = chunk.split(b"\n")
    if not pieces[-1]:
        pieces.pop()
    after = first_line + len(pieces)
    clean = True
    lines: Lines = []
    for number, piece in enumerate(pieces, first_line):
        if piece and piece[0] == _OPEN and piece[-1] == _CLOSE:
            lines.append((number, piece))
        elif core := piece.strip(_BLANK):
            lines.append((number, core))
            clean = clean and core[0] == _OPEN and core[-1] == _CLOSE
    if clean:
        documents = _stream(chunk)
        if len(documents) == len(lines):
            return lines, documents, after
    return lines, [one(line) for _, line in lines], after


def _stream(chunk: bytes) -> list[Fields]:
    """Fields of all documents of `chunk`; shorter than the lines where the parser stops."""
    try:
        return list(fastsimdjson.loads_many(chunk, fields=POINTERS, format="lines"))
    except _ERRORS:
        return []


def one(line: bytes) -> Fields | None:
    """Wanted fields of one line, None if it is no JSON object. Bad bytes are replaced, trailing NULs ignored."""
    try:
        if line[:1] == b"{":
            documents = list(fastsimdjson.loads_many(line, fields=POINTERS, format="lines"))
            if len(documents) == 1 and isinstance(documents[0], tuple):
                return documents[0]
    except _ERRORS:
        pass
    record = whole(line)
    return None if record is None else tuple(_at(record, path) for path in PATHS)


def whole(line: bytes) -> dict[str, Any] | None:
    """The record of one line with all its fields, None if it is no JSON object."""
    text = line.strip(b"\0" + _BLANK).removeprefix(BOM).strip(_BLANK)
    if text[:1] != b"{":
        return None
    try:
        record = fastsimdjson.loads(text)
    except _ERRORS:
        try:
            record = json.loads(text.decode("utf-8", "replace"), object_pairs_hook=_first_wins)
        except _ERRORS:
            return None
    return record if isinstance(record, dict) else None


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # as the pointers of fastsimdjson do for a key that stands twice
    return dict(reversed(pairs))


def _at(record: dict[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = record
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
