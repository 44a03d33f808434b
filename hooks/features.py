"""What can be installed: an explicit list. One settings entry serves every feature with the same (event, matcher)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hooks.settings import Entry


@dataclass(frozen=True)
class Place:
    """What a feature may need to know to write its settings."""

    python: str
    script: Path
    claude_folder: Path
    project: Path | None


def no_settings(_section: Mapping[str, Any], _place: Place) -> dict[tuple[str, ...], Any]:
    """A feature that sets nothing beside its hooks."""
    return {}


@dataclass(frozen=True)
class Feature:
    """One section of `setpoint.json` with the settings entries it needs."""

    name: str
    summary: str
    entries: tuple[Entry, ...]
    section: Mapping[str, Any] = field(default_factory=dict)  # what a first install writes
    scalars: Callable[[Mapping[str, Any], Place], dict[tuple[str, ...], Any]] = no_settings
    members: Callable[[Mapping[str, Any], Place], dict[tuple[str, ...], Any]] = no_settings
    since: str | None = None  # first client version that supports it all


RETURNS = Feature(
    name="returns",
    summary="the return budget: announced to every subagent, enforced once",
    entries=(
        # ".+": an empty agent_type is the client's own summariser, no agent
        Entry("SubagentStart", ".+"),
        Entry("SubagentStop", ".+"),
        Entry("PreToolUse", "SubagentHandback"),
        Entry("PostToolUse", "^(Task|Agent)$"),
    ),
    section={"enabled": True, "mode": "block"},
)

FEATURES = (RETURNS,)


def by_name(name: str) -> Feature | None:
    """The feature of that name."""
    return next((feature for feature in FEATURES if feature.name == name), None)


def entries(features: list[Feature]) -> list[Entry]:
    """The settings entries that serve these features: one for each (event, matcher)."""
    found: dict[tuple[str, str | None], Entry] = {}
    for feature in features:
        for entry in feature.entries:
            known = found.get((entry.event, entry.matcher))
            if known is None or known.timeout < entry.timeout:
                found[entry.event, entry.matcher] = entry
    return list(found.values())
