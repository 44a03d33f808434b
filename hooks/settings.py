"""What we put into a settings object and take out again: pure functions over parsed JSON, and the journal of it.

Three kinds of things: hook objects (one group of our own per event and matcher), scalar keys (the value before,
or its absence, is journalled) and list members (journalled when we added them).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from hooks.jsonedit import Node, same

MARK = "/setpoint/run.py"


class WrongShapeError(ValueError):
    """A key of the settings holds something the client would not accept there."""


@dataclass(frozen=True)
class Entry:
    """One hook of ours: the event, its matcher (None where the event has none), the seconds it may take."""

    event: str
    matcher: str | None
    timeout: int = 5


@dataclass
class Wanted:
    """What the settings should hold of ours."""

    entries: list[tuple[Entry, dict[str, Any]]] = field(default_factory=list)
    scalars: dict[tuple[str, ...], Any] = field(default_factory=dict)
    members: dict[tuple[str, ...], list[str]] = field(default_factory=dict)


@dataclass
class Journal:
    """What stood there before us; kept beside the installed files."""

    created: list[list[str]] = field(default_factory=list)  # containers that did not exist
    spellings: dict[str, str] = field(default_factory=dict)  # of empty containers and of scalars we set, by path
    scalars: list[dict[str, Any]] = field(default_factory=list)  # {path, set, before?}
    members: list[dict[str, Any]] = field(default_factory=list)  # {path, value}
    bom: bool = False

    @staticmethod
    def load(value: object) -> Journal:
        """A journal as `dump` wrote it; an empty one for anything else."""
        known = {key: value[key] for key in vars(Journal()) if key in value} if isinstance(value, dict) else {}
        return Journal(**known) if sound(known) else Journal()

    def dump(self) -> dict[str, Any]:
        """As plain values."""
        return copy.deepcopy(vars(self))


def sound(known: object) -> bool:
    """Whether every part of a journal has the shape that `dump` gave it (somebody may have edited the record)."""
    empty = vars(Journal())
    if not isinstance(known, dict) or any(type(part) is not type(empty.get(key)) for key, part in known.items()):
        return False
    rows = [*known.get("scalars", []), *known.get("members", [])]
    if not all(isinstance(row, dict) and ("set" in row or "value" in row) for row in rows):
        return False
    paths = [*known.get("created", []), *(row.get("path") for row in rows)]
    named = all(isinstance(path, list) and path and all(isinstance(key, str) for key in path) for path in paths)
    return named and all(isinstance(text, str) for text in known.get("spellings", {}).values())


def is_ours(hook: object) -> bool:
    """Whether a hook object starts our script, wherever that lies."""
    if not isinstance(hook, dict):
        return False
    words = [hook.get("command"), *(hook["args"] if isinstance(hook.get("args"), list) else [])]
    return any(isinstance(word, str) and MARK in word.replace("\\", "/") for word in words)


def ours(settings: dict[str, Any]) -> list[tuple[str, str | None, dict[str, Any]]]:
    """Every hook object of ours: event, matcher of its group, the object."""
    found = []
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            inner = group.get("hooks") if isinstance(group, dict) else None
            found += (
                [(event, group.get("matcher"), hook) for hook in inner if is_ours(hook)]
                if isinstance(inner, list)
                else []
            )
    return found


def apply(settings: dict[str, Any], wanted: Wanted, journal: Journal) -> dict[str, Any]:
    """The settings with exactly `wanted` of ours in them; `journal` is brought up to date."""
    result = copy.deepcopy(settings)
    _entries(result, wanted.entries, journal)
    _scalars(result, wanted.scalars, journal)
    _members(result, wanted.members, journal)
    _drop_emptied(result, settings, journal)
    return result


def note_spellings(root: Node, text: str, wanted: Wanted, journal: Journal) -> None:
    """Journal how empty containers and the values that we replace are spelled, so that they can be given back so."""
    replaced = {"/" + "/".join(path) for path in wanted.scalars}

    def walk(node: Node, path: str) -> None:
        if path in replaced or (isinstance(node.value, (dict, list)) and not node.items):
            journal.spellings.setdefault(path, text[node.start : node.end])
        for key, _, child in node.items:
            if key is not None:
                walk(child, f"{path}/{key}")

    walk(root, "")


def _entries(settings: dict[str, Any], wanted: list[tuple[Entry, dict[str, Any]]], journal: Journal) -> None:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise WrongShapeError('"hooks" is no object')
    open_entries = list(wanted)
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            if any(entry.event == event for entry, _ in wanted):
                raise WrongShapeError(f'"hooks" / "{event}" is no list')
            continue
        _settle(event, groups, open_entries)
    for entry, hook in open_entries:
        groups = _container(settings, ("hooks", entry.event), list, journal)
        group: dict[str, Any] = {} if entry.matcher is None else {"matcher": entry.matcher}
        groups.append({**group, "hooks": [hook]})


def _settle(event: str, groups: list[Any], open_entries: list[tuple[Entry, dict[str, Any]]]) -> None:
    """Keep our hook objects that are wanted (brought up to date), drop the others; take the kept off the open ones."""
    for group in list(groups):
        inner = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(inner, list) or not any(is_ours(hook) for hook in inner):
            continue
        # a group with foreign hooks is the user's: our hook stays where the user moved it, whatever its matcher
        moved = any(not is_ours(hook) for hook in inner)
        fitting = [
            pair
            for pair in open_entries
            if pair[0].event == event and (moved or pair[0].matcher == group.get("matcher"))
        ]
        kept: list[Any] = []
        for hook in inner:
            if not is_ours(hook):
                kept.append(hook)
            elif fitting:
                open_entries.remove(fitting[0])
                kept.append(fitting.pop(0)[1])
                fitting = []
        group["hooks"] = kept
        if not kept:
            del groups[next(index for index, one in enumerate(groups) if one is group)]


def _scalars(settings: dict[str, Any], wanted: dict[tuple[str, ...], Any], journal: Journal) -> None:
    for row in list(journal.scalars):
        path = tuple(row["path"])
        if path in wanted:
            continue
        parent = find(settings, path[:-1])
        # a value that somebody changed since is theirs
        if isinstance(parent, dict) and path[-1] in parent and _set_by_us(parent[path[-1]], row):
            if "before" in row:
                parent[path[-1]] = row["before"]
            else:
                del parent[path[-1]]
        journal.scalars.remove(row)
    for path, value in wanted.items():
        parent = _container(settings, path[:-1], dict, journal)
        known = [row for row in journal.scalars if tuple(row["path"]) == path]
        row = known[0] if known else {"path": list(path)}
        # what somebody put in place of ours is what an uninstall must give back
        if path[-1] in parent and not _set_by_us(parent[path[-1]], row):
            row["before"] = parent[path[-1]]
        if not known:
            journal.scalars.append(row)
        elif not same(row["set"], value):
            row["was"] = row["set"]  # after a crash this one may still stand there
        row["set"] = value
        parent[path[-1]] = value


def _set_by_us(value: Any, row: dict[str, Any]) -> bool:
    return any(key in row and same(value, row[key]) for key in ("set", "was"))


def _members(settings: dict[str, Any], wanted: dict[tuple[str, ...], list[str]], journal: Journal) -> None:
    for row in list(journal.members):
        if row["value"] in wanted.get(tuple(row["path"]), []):
            continue
        found = find(settings, tuple(row["path"]))
        if isinstance(found, list) and row["value"] in found:
            found.remove(row["value"])
        journal.members.remove(row)
    for path, values in wanted.items():
        found = _container(settings, path, list, journal)
        for value in values:
            if value not in found:
                found.append(value)
                journal.members.append({"path": list(path), "value": value})


def find(settings: Any, path: tuple[str, ...]) -> Any:
    """What stands at a path; None where there is nothing."""
    for key in path:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def _container(settings: dict[str, Any], path: tuple[str, ...], kind: type, journal: Journal) -> Any:
    """The container at a path, made where it is missing (and journalled)."""
    at: Any = settings
    for depth, key in enumerate(path):
        wanted = kind if depth == len(path) - 1 else dict
        if key not in at:
            at[key] = wanted()
            made = list(path[: depth + 1])
            if made not in journal.created:
                journal.created.append(made)
        if not isinstance(at[key], wanted):
            raise WrongShapeError(f"{' / '.join(path[: depth + 1])} is no {'object' if wanted is dict else 'list'}")
        at = at[key]
    return at


def _drop_emptied(settings: dict[str, Any], before: dict[str, Any], journal: Journal) -> None:
    """Remove the containers we made that are empty again; without a journal, those that only we kept filled."""
    paths = [tuple(path) for path in journal.created]
    known = set(paths) | {tuple(path.strip("/").split("/")) for path in journal.spellings}
    for event in {event for event, _, _ in ours(before)}:
        paths += [path for path in (("hooks", event), ("hooks",)) if path not in known]
    for path in sorted(set(paths), key=len, reverse=True):
        parent = find(settings, path[:-1])
        if isinstance(parent, dict) and parent.get(path[-1]) in ({}, []) and path[-1] in parent:
            del parent[path[-1]]
            if list(path) in journal.created:
                journal.created.remove(list(path))
