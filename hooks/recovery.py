"""What of ours stands in a settings file whose record was lost (our folder deleted, `git clean`): found by its values.

Without it an uninstall would leave the lowered ask point behind, with no hook left to answer for it.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping
from typing import Any

from hooks.features import FEATURES, Feature, Place
from hooks.jsonedit import same
from hooks.scopes import Scope
from hooks.settings import MARK, Journal, find, ours


def recovered(scope: Scope, settings: dict[str, Any], config: Mapping[str, Any]) -> Journal:
    """The journal that those settings speak for: only values that the config's sections would set here.

    Empty where no hook or status line of ours is left: such a value may then as well be the user's own.
    What stood there before us is lost.
    """
    journal = Journal()
    for feature, place in ((feature, place) for place in _places(scope, settings) for feature in FEATURES):
        scalars, members = standing(feature, config.get(feature.name), settings, place)
        journal.scalars += [row for row in scalars if row not in journal.scalars]
        journal.members += [row for row in members if row not in journal.members]
    paths = {tuple(row["path"][:-1]) for row in journal.scalars} | {tuple(row["path"]) for row in journal.members}
    # containers that hold nothing but ours were made by us, as far as anybody can tell now
    journal.created = [list(path[:depth]) for path in sorted(paths) for depth in range(1, len(path) + 1)]
    return journal


def standing(
    feature: Feature, section: object, settings: dict[str, Any], place: Place
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(scalars, members) of a feature that stand in the settings just as it would set them, as rows of a journal."""
    if not isinstance(section, dict):
        return [], []
    on = {**section, "enabled": True}
    scalars = [
        {"path": list(path), "set": value}
        for path, value in feature.scalars(on, place).items()
        if isinstance(parent := find(settings, path[:-1]), dict)
        and path[-1] in parent
        and same(parent[path[-1]], value)
    ]
    members = [
        {"path": list(path), "value": value}
        for path, values in feature.members(on, place).items()
        for value in values
        if isinstance(found := find(settings, path), list) and value in found
    ]
    return scalars, members


def _places(scope: Scope, settings: dict[str, Any]) -> list[Place]:
    """One for each interpreter that our hooks and our status line name."""
    pythons = [hook.get("command") for _, _, hook in ours(settings)]
    line = settings.get("statusLine")
    command = line.get("command") if isinstance(line, dict) else None
    if isinstance(command, str) and MARK in command.replace("\\", "/"):
        with contextlib.suppress(ValueError):
            pythons += shlex.split(command)[:1]
    known = dict.fromkeys(python for python in pythons if isinstance(python, str))
    return [Place(python, scope.script, scope.folder, scope.project, None) for python in known]
