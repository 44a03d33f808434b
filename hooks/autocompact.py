"""Which settings of the client decide when it compacts by itself, and where each is set. Reads only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hooks.plan import journals_of, settings_of
from hooks.runtime.watch import PERCENT
from hooks.scopes import LOCAL, SETTINGS, Scope, user_scope

WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW"
VARIABLES = (WINDOW, PERCENT, "DISABLE_AUTO_COMPACT", "DISABLE_COMPACT")
KEYS = ("autoCompactWindow", "autoCompactEnabled")


@dataclass(frozen=True)
class Setting:
    """One setting: its key, its value, where it stands."""

    key: str
    value: Any
    source: str


def in_force(scope: Scope, environment: Mapping[str, str] | None = None) -> list[Setting]:
    """All of them, the winning one of each key first: environment, then local, project and user settings."""
    shown = os.environ if environment is None else environment
    found = [Setting(name, shown[name], "environment") for name in VARIABLES if name in shown]
    for place in [scope, *([] if scope.project is None else [user_scope()])]:
        for name in (LOCAL, SETTINGS):
            settings = settings_of(place, name)
            block = settings.get("env")
            env = block if isinstance(block, dict) else {}
            source = f"{place.name} {name}"
            found += [Setting(key, env[key], f"{source} env") for key in VARIABLES if key in env]
            found += [Setting(key, settings[key], source) for key in KEYS if key in settings]
    return found


def lines(scope: Scope) -> list[str]:
    """As text."""
    rows = in_force(scope)
    if not rows:
        return ["auto-compaction: no setting of it; the client compacts at its own point"]
    return ["auto-compaction, first of each key wins:"] + [
        f"  {row.key} = {row.value!r} ({row.source})" for row in rows
    ]


def natural_settings(scope: Scope) -> dict[str, int | None]:
    """What decides the client's own ask point before we lower it: a window and a percentage that somebody set."""
    found: dict[str, int | None] = {"window": None, "percent": None}
    ours, replaced = lowered_by_us(scope)
    for row in [one for one in in_force(scope) if one.key != PERCENT or str(one.value) not in ours] + replaced:
        name = {WINDOW: "window", "autoCompactWindow": "window", PERCENT: "percent"}.get(row.key)
        text = str(row.value)
        if name and found[name] is None and text.isascii() and text.isdigit() and int(text):
            found[name] = int(text)
    return found


def odd(scope: Scope) -> list[tuple[Setting, str]]:
    """Settings that a person should know of before a compaction policy, each with what it means for it."""
    found = []
    ours = lowered_by_us(scope)[0]
    for row in in_force(scope):
        if row.key.startswith("DISABLE_") or (row.key == "autoCompactEnabled" and row.value is False):
            found.append((row, "automatic compaction is off, so nothing is forced"))
        elif row.key in (WINDOW, "autoCompactWindow"):
            found.append((row, "each party is now held up to its own point instead"))
        elif row.key == PERCENT and str(row.value) not in ours:
            found.append((row, "replaced in the settings; a value in the environment may still win"))
    return found


def lowered_by_us(scope: Scope) -> tuple[set[str], list[Setting]]:
    """(percentages that an installation of ours set, what stood there before), in this scope and for the user.

    The other scope's installation, or a record that was lost, must not pass for the client's own ask point: a session
    started by that client has the same value in its environment.
    """
    rows = [
        row
        for place in [scope, *([] if scope.project is None else [user_scope()])]
        for journal in journals_of(place).values()
        for row in journal.scalars
        if row["path"] == ["env", PERCENT]
    ]
    return {str(row["set"]) for row in rows}, [
        Setting(PERCENT, row["before"], "before the installation") for row in rows if "before" in row
    ]
