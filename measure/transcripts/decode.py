"""From bytes to records: fastsimdjson for the wanted fields, json where it gives up, nothing lost and nothing raised.

The only module that knows fastsimdjson. Its stream stops at the first error, takes two objects on one line for two,
fails a whole chunk for one bad byte and passes lone surrogates and huge ints without a word. So a chunk is accepted
only if every line is one `{...}` and the documents are as many as the lines; else it is decoded line by line.
Surrogates, ints and wrong types are cleaned where columns are built.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import fastsimdjson

from measure.transcripts.fields import POINTERS

BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
_OPEN, _CLOSE = b"{}"
# JSONDecodeError and UnicodeDecodeError are ValueErrors; deep nesting ends in json's RecursionError.
_ERRORS = (ValueError, RecursionError)
Fields = tuple[Any, ...]


class Wanted:
    """A choice of fields, in the order of their pointers."""

    __slots__ = ("paths", "pointers")

    def __init__(self, pointers: tuple[str, ...]) -> None:
        self.pointers = pointers
        self.paths = tuple(tuple(pointer[1:].split("/")) for pointer in pointers)


RECORD = Wanted(POINTERS)


class Lines(Sequence[bytes]):
    """The lines of a chunk, each cut out when it is asked for: few are, and a copy of all costs as much as decoding."""

    __slots__ = ("_chunk", "_ends")

    def __init__(self, chunk: bytes, ends: list[int]) -> None:
        self._chunk, self._ends = chunk, ends

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: Any) -> Any:  # a position from 0 on
        start = self._ends[at - 1] + 1 if at else 0
        return self._chunk[start : self._ends[at]]


@dataclass(slots=True)
class Decoded:
    """The lines of a chunk that are not blank, their numbers, their fields (None: damaged), and the next number."""

    numbers: Sequence[int]
    lines: Sequence[bytes]
    records: Sequence[Fields | None]
    after: int


def decode(chunk: bytes, first_line: int = 1, wanted: Wanted = RECORD) -> Decoded:
    """Decode complete lines, the first of which has number `first_line`, into the fields that are `wanted`."""
    ends = _braced(chunk)
    if ends is not None:
        documents = _stream(chunk, wanted)
        if len(documents) == len(ends):
            after = first_line + len(ends)
            return Decoded(range(first_line, after), Lines(chunk, ends), documents, after)
    pieces = chunk.split(b"\n")
    if not pieces[-1]:
        pieces.pop()
    after = first_line + len(pieces)
    cores = [piece.strip(_BLANK) for piece in pieces]
    numbers = [number for number, core in enumerate(cores, first_line) if core]
    lines = [core for core in cores if core]
    if ends is None and all(line[0] == _OPEN and line[-1] == _CLOSE for line in lines):
        documents = _stream(chunk, wanted)
        if len(documents) == len(lines):
            return Decoded(numbers, lines, documents, after)
    return Decoded(numbers, lines, [one(line, wanted) for line in lines], after)


def _braced(chunk: bytes) -> list[int] | None:
    """Ends of the lines where every line is `{...}`: then no document can span two of them. None where one is not."""
    ends: list[int] = []
    add, find, start = ends.append, chunk.find, 0
    while (end := find(b"\n", start)) >= 0:
        if chunk[start] != _OPEN or chunk[end - 1] != _CLOSE:
            return None
        add(end)
        start = end + 1
    if start < len(chunk):
        if chunk[start] != _OPEN or chunk[-1] != _CLOSE:
            return None
        add(len(chunk))
    return ends


def _stream(chunk: bytes, wanted: Wanted) -> list[Fields]:
    """Fields of all documents of `chunk`; shorter than the lines where the parser stops."""
    try:
        return list(fastsimdjson.loads_many(chunk, fields=wanted.pointers, format="lines"))
    except _ERRORS:
        return []


def several(lines: Sequence[bytes], wanted: Wanted = RECORD) -> list[Fields | None]:
    """Wanted fields of good lines, each `{...}`, at once where the parser takes them so: a call costs as a line."""
    documents = _stream(b"\n".join(lines), wanted) if len(lines) > 1 else []
    return list(documents) if len(documents) == len(lines) else [one(line, wanted) for line in lines]


def one(line: bytes, wanted: Wanted = RECORD) -> Fields | None:
    """Wanted fields of one line, None if it is no JSON object. Bad bytes are replaced, trailing NULs ignored."""
    try:
        if line[:1] == b"{":
            documents = list(fastsimdjson.loads_many(line, fields=wanted.pointers, format="lines"))
            if len(documents) == 1 and isinstance(documents[0], tuple):
                return documents[0]
    except _ERRORS:
        pass
    record = whole(line)
    return None if record is None else tuple(_at(record, path) for path in wanted.paths)


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
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
