"""Where a scope's files lie: a project's `.claude`, or the user's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.errors import HooksError, WordsError
from hooks.runtime.config import NAME
from hooks.runtime.paths import project_root, user_folder

PROJECT, GLOBAL, BOTH = SCOPES = ("project", "global", "both")
SETTINGS, LOCAL = "settings.json", "settings.local.json"


@dataclass(frozen=True)
class Scope:
    """One place of installation."""

    name: str
    folder: Path  # the .claude folder
    project: Path | None

    @property
    def home(self) -> Path:
        """Our own folder."""
        return self.folder / "setpoint"

    @property
    def script(self) -> Path:
        """What the settings entries start."""
        return self.home / "run.py"

    @property
    def config(self) -> Path:
        """The scope's setpoint.json."""
        return self.folder / NAME

    def settings(self, name: str = SETTINGS) -> Path:
        """A settings file of the scope."""
        return self.folder / name

    def record(self) -> dict[str, Any]:
        """What the last installation wrote down; empty when there is none."""
        try:
            value = json.loads((self.home / "installed.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


def user_scope() -> Scope:
    """The user's scope. Raises HooksError where no home is known."""
    folder = user_folder()
    if folder is None:
        raise HooksError("no home folder is known: set HOME or CLAUDE_CONFIG_DIR.")
    return Scope(GLOBAL, Path(folder).absolute(), None)


def project_scope(given: Path | None = None) -> Scope:
    """The project's scope: the given folder, else the root that the hooks would find from here."""
    root = given.absolute() if given is not None else Path(project_root())
    user = user_folder()
    if given is None and user is not None and root / ".claude" == Path(user):
        # a walk upward that ends in the home folder found the user's own .claude, not a project
        root = Path.cwd()
    if not root.is_dir():
        raise HooksError(f"{root} is no folder.")
    return Scope(PROJECT, root / ".claude", root)


def scopes(name: str, project: Path | None = None) -> list[Scope]:
    """The scopes a name stands for."""
    if name == PROJECT:
        return [project_scope(project)]
    if name == GLOBAL:
        return [user_scope()]
    if name == BOTH:
        return [project_scope(project), user_scope()]
    raise WordsError(f"no scope {name}; there are {', '.join(SCOPES)}.")
