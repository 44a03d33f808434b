"""Where transcripts lie: roots, what is below them, and what each file is called. Names are hints, content decides."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from measure.transcripts.places import default_places, tidy
from measure.transcripts.walk import META_SUFFIX, Tree, reason, walk

__all__ = ["META_SUFFIX", "Found", "Listing", "default_roots", "listing", "place_of", "reason", "tree"]

_NUMBERED = re.compile(r"\.jsonl(\.\d+)?$", re.IGNORECASE)
_AGENT = re.compile(r"^agent-(.+?)\.(?:jsonl(?:\.\d+)?|meta\.json)$")


class Found(NamedTuple):
    """One file to read, as it was when it was found."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    device: int
    ctime_ns: int


@dataclass(slots=True)
class Listing:
    """Result of the walk: transcripts and metas in the order of their paths, and what could not be looked at."""

    roots: list[str] = field(default_factory=list)
    files: list[Found] = field(default_factory=list)
    metas: list[str] = field(default_factory=list)
    meta_states: list[tuple[str, int, int, int]] = field(default_factory=list)  # path, size, mtime_ns, ctime_ns
    skipped: list[tuple[str, str]] = field(default_factory=list)
    bad_roots: list[tuple[str, str]] = field(default_factory=list)


def default_roots(env: Mapping[str, str] | None = None) -> list[Path]:
    """Config folders: those of CLAUDE_CONFIG_DIR (comma or path separator), else ~/.config/claude and ~/.claude."""
    return [Path(place) for place in default_places(env)]


def tree(
    paths: Sequence[str | os.PathLike[str]] | None = None,
    env: Mapping[str, str] | None = None,
    looked: Callable[[int], None] | None = None,
) -> Tree:
    """Walk `paths`, or the default roots. A given path that does not exist is a bad root; a default one is not.

    `looked(files found so far)` is called all the time.
    """
    places = [tidy(os.fspath(path)) for path in paths] if paths else default_places(env)
    return walk(places, named=bool(paths), looked=looked)


def listing(
    paths: Sequence[str | os.PathLike[str]] | None = None,
    env: Mapping[str, str] | None = None,
    looked: Callable[[int], None] | None = None,
) -> Listing:
    """What `tree` finds, for those who read it."""
    found = tree(paths, env, looked)
    return Listing(
        roots=found.roots,
        files=[Found(*state) for state in found.files],
        metas=[path for path, *_ in found.metas],
        meta_states=found.metas,
        skipped=found.skipped,
        bad_roots=found.bad_roots,
    )


def place_of(path: str) -> tuple[str, str | None, str | None]:
    """(kind, session id, agent id) that a path suggests; None where it suggests nothing."""
    parts = path.replace("\\", "/").split("/")
    match = _AGENT.match(parts[-1])
    agent = match.group(1) if match else None
    if "subagents" in parts[:-1]:
        at = len(parts) - 2 - parts[-2::-1].index("subagents")
        session = parts[at - 1] if at > 0 else None
        return ("workflow agent" if "workflows" in parts[at:-1] else "agent"), session, agent
    if agent is not None:
        return "old agent", None, agent
    return "main", _NUMBERED.sub("", parts[-1]), None
