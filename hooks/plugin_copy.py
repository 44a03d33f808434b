"""The plugin of mode shorten, in the user's skills folder for as long as a scope's config wants it."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hooks import files
from hooks.copies import PACKAGE
from hooks.errors import HooksError
from hooks.features import version_parts
from hooks.runtime.paths import user_folder
from hooks.runtime.returns import SHORTEN
from hooks.runtime.routes import PLUGIN, PLUGIN_SINCE, PLUGIN_SWITCH, switched_off

USERS = "installed-for.json"
ROUTES = "background reports and those of workflows' agents"
SINCE = ".".join(str(part) for part in PLUGIN_SINCE)


def sources() -> dict[str, bytes]:
    """Content of the plugin's files, by their path in its folder."""
    found = sorted(path for path in (PACKAGE / "plugin").rglob("*") if path.suffix in (".json", ".ts"))
    return {path.relative_to(PACKAGE / "plugin").as_posix(): path.read_bytes() for path in found}


def folder() -> Path | None:
    """Where the client looks for it; None without a home."""
    user = user_folder()
    return Path(user).absolute() / PLUGIN if user is not None else None


def wanted_by(section: object) -> bool:
    """Whether a section `returns` shortens the reports of any type."""
    if not isinstance(section, Mapping):
        return False
    types = section.get("byAgentType")
    own = [one.get("mode") for one in types.values() if isinstance(one, Mapping)] if isinstance(types, Mapping) else []
    return SHORTEN in [section.get("mode"), *own]


def state() -> dict[str, Any]:
    """Files there, files wanted, and those that differ from the package."""
    place, wanted = folder(), sources()
    present = {name: (place / name).read_bytes() for name in wanted if place and (place / name).is_file()}
    return {
        "folder": str(place) if place else None,
        "present": len(present),
        "wanted": len(wanted),
        "differing": [name for name, data in present.items() if data != wanted[name]],
        "needs_client": SINCE,
    }


def status(client: str | None, root: str) -> dict[str, Any]:
    """The plugin as it stands, the client's version, and why it cannot act in that project (null where it can)."""
    found = {**state(), "client": client, "why": None}
    user = user_folder()
    if found["present"] < found["wanted"] or found["differing"]:
        found["why"] = "not whole: setpoint hooks upgrade"
    elif client is not None and version_parts(client) < PLUGIN_SINCE:
        found["why"] = f"client {client} does not know its event"
    elif user is not None and switched_off(root, user):
        found["why"] = f"the settings switch {PLUGIN_SWITCH} off"
    return found


def line(found: Mapping[str, Any]) -> str:
    """That status as text."""
    whole = f"files {found['present']}/{found['wanted']} in {found['folder']}"
    if found["why"]:
        return f"{whole}; {found['why']}: {ROUTES} are blocked instead of cut"
    return f"{whole}, cuts {ROUTES} in clients from {found['needs_client']}"


def changes(home: Path, wanted: bool) -> str | None:
    """What `sync` would do, in a word; None when nothing."""
    place = folder()
    if place is None:
        return None
    now = state()
    users = _users(place)
    if wanted:
        whole = now["present"] == now["wanted"] and not now["differing"] and str(home) in users
        return None if whole else f"{PLUGIN} in {place.parents[1]} (installed)"
    gone = place.exists() and str(home) in users and _living(users, home) == []
    return f"{PLUGIN} in {place.parents[1]} (removed)" if gone else None


def sync(home: Path, wanted: bool) -> None:
    """Bring the plugin in line with what this scope wants; the last scope that leaves takes it away without a trace."""
    place = folder()
    if place is None or (not wanted and not place.exists()):
        return
    with files.lock(place.parents[1] / "settings.json"):
        users = _living(_users(place), home) + ([str(home)] if wanted else [])
        try:
            if users:
                _write(place, users)
            else:
                _remove(place)
        except OSError as error:
            raise HooksError(f"{place}: cannot be written ({error.strerror}).") from error


def _record(place: Path) -> dict[str, Any]:
    try:
        value = json.loads((place / USERS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _users(place: Path) -> list[str]:
    found = _record(place).get("homes")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _living(users: list[str], but: Path) -> list[str]:
    """The other installed copies that are still there."""
    return [one for one in users if one != str(but) and (Path(one) / "run.py").exists()]


def _write(place: Path, users: list[str]) -> None:
    made = _record(place).get("made_skills", not place.parent.exists())
    for name, data in sources().items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != data:
            files.replace(target, data)
    text = json.dumps({"homes": sorted(users), "made_skills": made}, indent=1) + "\n"
    files.replace(place / USERS, text.encode())


def _remove(place: Path) -> None:
    made = _record(place).get("made_skills") is True
    shutil.rmtree(place)
    if made:
        with contextlib.suppress(OSError):
            place.parent.rmdir()
