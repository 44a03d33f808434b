"""One command that changes something: its plans, what it left unsaid, and what it says at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hooks.errors import HooksError
from hooks.features import OUTPUT
from hooks.plan import Plan, Request, installed_features, plan, snippet
from hooks.runtime.returns import positive
from hooks.scopes import BOTH, GLOBAL, PROJECT, Scope, scopes
from hooks.show import warnings

OLD_CONFIG = "agent-return.json"
DEFAULT = "returns"


class Session:
    """What was asked, resolved over the scopes it concerns."""

    def __init__(
        self,
        mode: str,
        features: list[str],
        given: Mapping[str, Mapping[str, Any]],
        scope: str | None,
        project: Path | None,
        local: bool | None,
        python: str | None,
    ) -> None:
        self.mode = mode
        self.features = list(dict.fromkeys([*features, *given]))
        self.given = given
        self.local, self.python = local, python
        self.scope_said = scope is not None
        self.scopes = self._scopes(scope, project)
        if mode == "import":
            self.features = [DEFAULT]
        elif mode == "install" and not self.features:
            self.features_said, self.features = False, [DEFAULT]
            return
        self.features_said = True

    def _scopes(self, name: str | None, project: Path | None) -> list[Scope]:
        if name is not None:
            return scopes(name, project)
        if self.mode in ("install", "import"):
            return scopes(PROJECT, project)
        places = [place for place in scopes(BOTH, project) if installed_features(place) or place.home.exists()]
        if not places and self.mode == "purge":
            places = [place for place in scopes(BOTH, project) if place.config.exists()]
        if not places:
            raise HooksError("nothing of ours is installed here or for the user.")
        if len(places) > 1:
            raise HooksError(f"installed in the {PROJECT} and the {GLOBAL} scope: say which with --scope.")
        self.scope_said = True
        return places

    def plans(self) -> list[Plan]:
        """The plan of each scope; all are made before the first is carried out."""
        made = []
        for scope in self.scopes:
            given = imported(scope) if self.mode == "import" else self.given
            one = plan(scope, Request(self.mode, tuple(self.features), given, self.local, self.python))
            one.warnings += warnings(one)
            made.append(one)
        return made

    def unknown(self) -> list[str]:
        """What an install was not told and no earlier install settled."""
        if self.mode != "install":
            return []
        missing = [] if self.scope_said else ["the scope"]
        missing += [] if self.features_said else ["the features"]
        if DEFAULT in self.features and not all(self._has_limits(scope) for scope in self.scopes):
            missing.append("the limits")
        return missing

    def _has_limits(self, scope: Scope) -> bool:
        from hooks.plan import config_of

        section = {**config_of(scope).get(DEFAULT, {}), **self.given.get(DEFAULT, {})}
        return positive(section.get("passTokens")) is not None and positive(section.get("fileTokens")) is not None

    def farewell(self) -> str:
        """The last line."""
        return {
            "install": "Installed. A running session takes the entries up within seconds; limits are read live.",
            "import": "Imported and installed. Remove the old hooks with their own installer.",
            "upgrade": "Upgraded at the limits in force.",
            "enable": "Enabled.",
            "disable": "Disabled: the hooks stay and do nothing.",
            "uninstall": "Uninstalled; setpoint.json, logs and backups stay (purge removes them too).",
            "purge": "Purged.",
        }[self.mode]


def imported(scope: Scope) -> dict[str, dict[str, Any]]:
    """The returns section that an `agent-return.json` of this scope stands for."""
    path = scope.folder / OLD_CONFIG
    try:
        value = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise HooksError(f"{path} is not there; nothing to import.") from error
    except ValueError as error:
        raise HooksError(f"{path} is no JSON; nothing was changed.") from error
    if not isinstance(value, dict):
        raise HooksError(f"{path} holds no JSON object; nothing was changed.")
    limits = {key: positive(value.get(key)) for key in ("passTokens", "fileTokens")}
    return {DEFAULT: {"enabled": value.get("enabled") is True, **{key: one for key, one in limits.items() if one}}}


def snippets(scope: Scope, features: list[str]) -> dict[str, Any]:
    """The settings to paste where we do not write them (`--apply` does), and what decides about auto-compaction."""
    from hooks.autocompact import in_force, lines

    names = features or list(dict.fromkeys([*installed_features(scope), OUTPUT.name]))
    text = snippet(scope, names)
    report = {"report": "hooks snippet", "features": names, "settings": json.loads(text)}
    compaction = [vars(row) for row in in_force(scope)]
    return {**report, "auto_compaction": compaction, "lines": [*text.splitlines(), *lines(scope)]}
