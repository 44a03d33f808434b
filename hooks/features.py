"""What can be installed: an explicit list. One settings entry serves every feature with the same (event, matcher)."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hooks.askpoint import percent, points
from hooks.runtime.context import BOUND, REPORT_MAX_WORDS
from hooks.runtime.parties import SINCE
from hooks.runtime.said import command_line
from hooks.runtime.turns import TURNS_LEFT_AT
from hooks.runtime.watch import PERCENT
from hooks.settings import Entry

LEAST_BASH_CHARS = 4000  # the client takes no smaller value


@dataclass(frozen=True)
class Place:
    """What a feature may need to know to write its settings."""

    python: str
    script: Path
    claude_folder: Path
    project: Path | None
    client: str | None = None


def no_settings(_section: Mapping[str, Any], _place: Place) -> dict[tuple[str, ...], Any]:
    """A feature that sets nothing beside its hooks."""
    return {}


def version_parts(version: str) -> tuple[int, ...]:
    """A client's version as numbers, for comparing."""
    return tuple(int(part) if part.isdigit() else 0 for part in version.split("."))


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
    older: tuple[str, tuple[Entry, ...]] | None = None  # (version, what serves the clients before it instead)

    def entries_for(self, client: str | None) -> tuple[Entry, ...]:
        """The entries for a client of that version; an unknown one is taken for today's."""
        if self.older and client and version_parts(client) < version_parts(self.older[0]):
            return self.older[1]
        return self.entries


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


def status_line(section: Mapping[str, Any], place: Place) -> dict[tuple[str, ...], Any]:
    """The client runs this one through a shell, so every part is quoted."""
    if section.get("enabled") is not True:
        return {}
    command = " ".join(shlex.quote(word) for word in (place.python, "-I", "-S", str(place.script), "statusline"))
    return {("statusLine",): {"type": "command", "command": command}}


def output_cap(section: Mapping[str, Any], _place: Place) -> dict[tuple[str, ...], Any]:
    """The longest Bash output that stays in the context; longer ones go to a file with a preview."""
    if section.get("enabled") is not True:
        return {}
    value = section.get("bashOutputMaxChars")
    known = isinstance(value, int) and not isinstance(value, bool)
    return {("bashOutputMaxChars",): max(LEAST_BASH_CHARS, value) if known and value else LEAST_BASH_CHARS}


CONTEXT = Feature(
    name="context",
    summary="a subagent past its context bound, or near its turn limit, is told to report",
    entries=(Entry("PostToolBatch", None),),
    section={"enabled": True, "maxTokens": BOUND, "turnsLeftAt": TURNS_LEFT_AT, "reportMaxWords": REPORT_MAX_WORDS},
    # the note comes once a tool instead of once a step
    older=("2.1.118", (Entry("PostToolUse", "^(?!(Task|Agent)$).+"),)),
)

READS = Feature(
    name="reads",
    summary="a Bash command that only prints a file is answered with the equal Read call",
    entries=(Entry("PreToolUse", "Bash"), Entry("PostToolBatch", None), Entry("SessionStart", "compact")),
    section={"enabled": True, "mode": "note", "repeatOnly": True},
    since="2.1.118",
)

STATUSLINE = Feature(
    name="statusline",
    summary="context, limit and cost of the main conversation in the client's status line",
    entries=(),
    section={"enabled": True},
    scalars=status_line,
)

OUTPUT = Feature(
    name="output",
    summary="long Bash output goes to a file with a preview",
    entries=(),
    section={"enabled": True, "bashOutputMaxChars": LEAST_BASH_CHARS},
    scalars=output_cap,
)


def lowered_ask_point(section: Mapping[str, Any], place: Place) -> dict[tuple[str, ...], Any]:
    """The client's ask point as the policy needs it; left alone where the client does not say whom it asks about."""
    old = place.client is not None and version_parts(place.client) < SINCE
    if old or section.get("enabled") is not True:
        return {}
    root = place.project or place.claude_folder.parent
    return {("env", PERCENT): str(percent(points(section, root)))}


def allowed_command(section: Mapping[str, Any], place: Place) -> dict[tuple[str, ...], Any]:
    """The rule that lets the main conversation ask for its compaction without a question."""
    if section.get("enabled") is not True:
        return {}
    return {("permissions", "allow"): [f"Bash({command_line(str(place.script), place.python)}:*)"]}


COMPACTION = Feature(
    name="compaction",
    summary="a compaction policy for each party: nudge, hold, force, ask",
    entries=(
        Entry("PreCompact", "auto|manual"),
        Entry("PostToolBatch", None),
        # apart from "compact", which the reads feature has too: one event must never start us twice
        Entry("SessionStart", "compact"),
        Entry("SessionStart", "startup|resume"),
        Entry("UserPromptSubmit", None),
        Entry("StopFailure", None),
        Entry("SubagentStop", ".+"),
    ),
    section={"enabled": True},
    scalars=lowered_ask_point,
    members=allowed_command,
    since=".".join(map(str, SINCE)),
)

FEATURES = (RETURNS, CONTEXT, READS, COMPACTION, STATUSLINE, OUTPUT)


def by_name(name: str) -> Feature | None:
    """The feature of that name."""
    return next((feature for feature in FEATURES if feature.name == name), None)


def entries(features: list[Feature], client: str | None = None) -> list[Entry]:
    """The settings entries that serve these features: one for each (event, matcher)."""
    found: dict[tuple[str, str | None], Entry] = {}
    for feature in features:
        for entry in feature.entries_for(client):
            known = found.get((entry.event, entry.matcher))
            if known is None or known.timeout < entry.timeout:
                found[entry.event, entry.matcher] = entry
    return list(found.values())
