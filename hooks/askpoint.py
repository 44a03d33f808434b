"""The client's ask point: the one setting under which it asks early enough for every party's policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.runtime.agents import MAX_BYTES, files, folders, frontmatter, nested
from hooks.runtime.compaction import LARGE, SMALL, ask_point, percent_for, resolve
from hooks.runtime.parties import KEY
from hooks.runtime.paths import user_folder

PREFIX_WARNING = 25_000  # about what a thread's first request takes: the client never compacts one that starts above


@dataclass(frozen=True)
class Point:
    """The smallest size at which a party must be asked about."""

    party: str
    tokens: int
    window: int


def points(section: Mapping[str, Any], root: Path) -> list[Point]:
    """The points of every party that the config and the agent definitions name.

    An unknown model counts as one with a large window: the setting is a share of the window, so a fixed size is
    then asked about too early for a small one, never too late.
    """
    found = [_point("main", [("main", section.get("main"))], LARGE)]
    central = ("subagent", section.get("subagent"))
    found.append(_point("subagent", [central], LARGE))
    types = section.get("byAgentType")
    named = types if isinstance(types, dict) else {}
    for name, own in named.items():
        found.append(_point(str(name), [("byAgentType", own), central], LARGE))
    user = user_folder()
    more = section.get("agentDirs")
    extra = [one for one in more if isinstance(one, str)] if isinstance(more, list) else []
    for path in [path for folder in folders(str(root), user) + extra for path in files(folder)]:
        text = Path(path).read_bytes()[:MAX_BYTES].decode("utf-8", "replace")
        own, head = nested(text, KEY), frontmatter(text)
        name = str(head.get("name") or Path(path).stem)
        if own is None:
            continue
        window = SMALL if "haiku" in str(head.get("model", "")) else LARGE
        found.append(_point(name, [("frontmatter", own), ("byAgentType", named.get(name)), central], window))
    return [one for one in found if one is not None]


def _point(party: str, sources: list[tuple[str, object]], window: int) -> Point | None:
    values, _, _ = resolve(sources, window)
    return Point(party, min(int(values["nudgeFrom"]), int(values["forceAt"])), window) if values["enabled"] else None


def percent(found: list[Point]) -> int:
    """The highest CLAUDE_AUTOCOMPACT_PCT_OVERRIDE whose ask point lies at or below every party's."""
    return percent_for([(one.tokens, one.window) for one in found])[0]


def warnings(found: list[Point]) -> list[str]:
    """What the setting cannot do, each party by name."""
    _, unreachable = percent_for([(one.tokens, one.window) for one in found])
    said = [
        f"{one.party}: {one.tokens:,} tokens is below what the client can ask at ({one.window:,} window)"
        for one in found
        if one.tokens in unreachable
    ]
    lowest = min((ask_point(one.window, percent(found)) for one in found), default=PREFIX_WARNING)
    if lowest < PREFIX_WARNING:
        said.append(f"the client asks from {lowest:,} tokens on; it never compacts a thread that starts above that")
    return said
