"""Places as texts: the client's config folders, and the settings that hold for a place.

`setpoint report overview --json` asks here before anything is imported that takes time (pathlib does: 8 ms).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as `typing` has it, which takes time too
if TYPE_CHECKING:
    from collections.abc import Mapping

_ABOVE = 4  # folders above a place that may be the config folder: projects, project, session, subagents


def default_places(env: Mapping[str, str] | None = None) -> list[str]:
    """Config folders: those of CLAUDE_CONFIG_DIR (comma or path separator), else ~/.config/claude and ~/.claude."""
    env = os.environ if env is None else env
    given = env.get("CLAUDE_CONFIG_DIR", "")
    if given.strip():
        return [tidy(part) for part in _split(given)]
    return [tidy(f"{env.get('XDG_CONFIG_HOME') or '~/.config'}/claude"), tidy("~/.claude")]


def _split(given: str) -> list[str]:
    parts = [part.strip() for part in given.split(",")]
    # A path separator splits only where the whole is no path: "C:\\x" on Windows, "/a:b" where it exists.
    out: list[str] = []
    for part in parts:
        out += [part] if os.path.lexists(part) else part.split(os.pathsep)
    return [part.strip() for part in out if part.strip()]


def tidy(place: str) -> str:
    """What pathlib makes of a place, `~` expanded; it is asked only where it would change something."""
    if place.startswith("~/"):
        place = os.path.expanduser(place)
    odd = "\\" in place or "//" in place or "/./" in place or place.endswith(("/", "/."))
    if place.startswith("/") and os.sep == "/" and not odd:
        return place
    from pathlib import Path

    path = Path(place)
    try:
        return str(path.expanduser() if place.startswith("~") else path)
    except RuntimeError:  # no user of that name
        return str(path)


def settings_path(root: str) -> str | None:
    """The settings.json of the config folder that `root` is, or lies in; None where there is no such folder."""
    folder = root
    for _ in range(1 + _ABOVE):
        if os.path.basename(folder) == "projects":
            return os.path.join(os.path.dirname(folder), "settings.json")
        if os.path.isdir(os.path.join(folder, "projects")):  # never raises
            return os.path.join(folder, "settings.json")
        above = os.path.dirname(folder) or "."
        if above == folder:
            return None
        folder = above
    return None
