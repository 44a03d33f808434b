"""Everything cut into parts that are read one after the other, where all of it at once is too much for the memory.

A part holds whole sessions: a main file together with the folder of its subagents, and what the head of a file shows
to belong to it (a fork or a moved session begins with the records of its original). That is only a guess, for speed:
what it misses is found by `frames.links`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import ceil

from measure.transcripts.find import Listing

PART_BYTES = 192 << 20
HEAD = 64 << 10  # a long first prompt stands before the uuid of its record
_FIRSTS = [re.compile(rb'"%s": ?"([^"\\]+)"' % name) for name in (b"uuid", b"sessionId")]
_ENDING = re.compile(r"\.(?:jsonl(?:\.\d+)?|meta\.json)$", re.IGNORECASE)
_AGENTS = re.compile(r"[/\\]subagents[/\\]")


def parts(found: Listing, size: int, readers: int = 1) -> list[Listing]:
    """`found` in parts of about `size` bytes or one session, each in the order of the paths; at least one.

    As many or a multiple of the `readers`, about. What could not be looked at is in none of them.
    """
    total = sum(one.size for one in found.files)
    number = ceil(total / size / readers) * readers
    if number <= 1:
        return [Listing(files=found.files, metas=found.metas)]
    return list(packed(_sessions(found), total / number))


def packed(groups: Iterable[Listing], size: float) -> Iterator[Listing]:
    """Some groups of files put together in their order until they are about `size` bytes."""
    part, held = Listing(), 0
    for group in groups:
        more = sum(one.size for one in group.files)
        if part.files and held + more / 2 > size:
            yield _sorted(part)
            part, held = Listing(), 0
        part.files += group.files
        part.metas += group.metas
        held += more
    yield _sorted(part)


def _sorted(part: Listing) -> Listing:
    return Listing(files=sorted(part.files), metas=sorted(part.metas))


def _sessions(found: Listing) -> Iterable[Listing]:
    """What lies in the places of one session or begins alike, in the order of the first paths."""
    groups: dict[str, Listing] = {}
    named: dict[str | bytes, str] = {}
    for one in found.files:
        own = _own(one.path)
        hints = [own] if own in named else [own, *_hints(one.path, own)]
        group = next((named[hint] for hint in hints if hint in named), own)
        named.update(dict.fromkeys(hints, group))
        groups.setdefault(group, Listing()).files.append(one)
    for path in found.metas:
        own = _own(path)
        groups.setdefault(named.get(own, own), Listing()).metas.append(path)
    return groups.values()


def _own(path: str) -> str:
    """The folder of the session that a file belongs to by its place, whether it exists or not.

    Of a meta file it is that of its transcript, always.
    """
    folders = list(_AGENTS.finditer(path))
    return path[: folders[-1].start()] if folders else _ENDING.sub("", path)


def _hints(path: str, own: str) -> list[str | bytes]:
    """The session and the first record that a file names."""
    if _AGENTS.search(path):
        return [re.split(r"[/\\]", own)[-1].encode(errors="surrogateescape")]
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - one of 100,000
            head = file.read(HEAD)
    except OSError:
        return []
    return [found[1] for found in (first.search(head) for first in _FIRSTS) if found]
