"""What a request would change in a scope: computed and shown before anything is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hooks import copies, files, limits, plugin_copy
from hooks.errors import HooksError
from hooks.evidence import client_version, transcripts
from hooks.features import Feature, Place, by_name, entries, no_settings
from hooks.interpreter import Interpreter, choose, passing, run_once
from hooks.jsonedit import NotStrictJsonError, parse, rewrite
from hooks.recovery import recovered
from hooks.runtime.config import read as read_config
from hooks.scopes import LOCAL, SETTINGS, Scope
from hooks.settings import MARK, Journal, Wanted, WrongShapeError, apply, note_spellings, ours, sound

# Starts run.py, and stays silent where it is gone: python itself would end with 2 there, which blocks the agent.
BOM = "\ufeff"
LAUNCH = "import sys\ntry:exec(open(sys.argv[1]).read())\nexcept BaseException:0"


@dataclass(frozen=True)
class Request:
    """What is asked of one scope."""

    mode: str
    features: tuple[str, ...] = ()
    given: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # config values by section
    local: bool | None = None  # settings.local.json instead of settings.json; None: where it is, else settings.json
    python: str | None = None


@dataclass
class FileChange:
    """A file before and after; None where it is not there."""

    path: Path
    old: str | None
    new: str | None


@dataclass
class Plan:
    """All that a request would do to a scope; nothing is done yet."""

    scope: Scope
    request: Request
    features: list[str]  # installed afterwards
    python: Interpreter | None
    settings_name: str
    client: str | None = None  # version of the client whose hooks these are
    changes: list[FileChange] = field(default_factory=list)
    wanted: dict[str, Wanted] = field(default_factory=dict)  # by settings file
    config: str | None = None  # the new text of setpoint.json
    copy: bool = False
    remove: bool = False
    purge: bool = False
    warnings: list[str] = field(default_factory=list)

    @property
    def changed(self) -> list[FileChange]:
        """The files whose text would change."""
        return [change for change in self.changes if change.old != change.new]


def hook_object(python: str, script: Path, timeout: int) -> dict[str, Any]:
    """One hook object: exec form, so that no path needs quoting."""
    return {"type": "command", "command": python, "args": ["-I", "-S", "-c", LAUNCH, str(script)], "timeout": timeout}


def installed_features(scope: Scope) -> list[str]:
    """What is installed here: as recorded; from the settings entries where the record is lost."""
    recorded = scope.record().get("features")
    if isinstance(recorded, list):
        return [name for name in recorded if isinstance(name, str) and by_name(name)]
    present = {(event, matcher) for name in (SETTINGS, LOCAL) for event, matcher, _ in ours(settings_of(scope, name))}
    known = [found for name in config_of(scope) if (found := by_name(name))]
    # a feature without hooks is known by what else it set
    rows = [row for journal in journals_of(scope).values() for row in [*journal.scalars, *journal.members]]
    kept = {tuple(row["path"]) for row in rows}
    return [
        one.name
        for one in known
        if present & {(entry.event, entry.matcher) for entry in one.entries}
        or (not one.entries and kept & set(one.scalars({"enabled": True}, Place("", scope.script, scope.folder, None))))
    ]


def settings_of(scope: Scope, name: str) -> dict[str, Any]:
    """A settings file as parsed; empty when missing or not readable as an object."""
    return parsed(scope, name)[0]


def parsed(scope: Scope, name: str) -> tuple[dict[str, Any], str | None]:
    """(a settings file's object, why it could not be read as one: the client passes such a file over whole)."""
    try:
        found = files.read_text(scope.settings(name))
        value = parse(found[0]).value if found else {}
    except HooksError as error:
        return {}, str(error)
    except NotStrictJsonError as error:
        return {}, f"{scope.settings(name)} is no strict JSON ({error})"
    return (value, None) if isinstance(value, dict) else ({}, f"{scope.settings(name)} holds no object")


def config_of(scope: Scope) -> dict[str, Any]:
    """The scope's config as the hooks read it; empty when they would pass it over."""
    return read_config(str(scope.config)) or {}


def plan(scope: Scope, request: Request) -> Plan:
    """What the request would do here. Raises HooksError when it cannot be done."""
    return {
        "install": _plan_install,
        "import": _plan_install,
        "upgrade": _plan_upgrade,
        "enable": _plan_switch,
        "disable": _plan_switch,
        "uninstall": _plan_uninstall,
        "purge": _plan_uninstall,
    }[request.mode](scope, request)


def _settings_name(scope: Scope, local: bool | None) -> str:
    if local is not None:
        return LOCAL if local else SETTINGS
    recorded = scope.record().get("settings")
    if recorded in (SETTINGS, LOCAL):
        return str(recorded)
    return LOCAL if ours(settings_of(scope, LOCAL)) and not ours(settings_of(scope, SETTINGS)) else SETTINGS


def _plan_install(scope: Scope, request: Request) -> Plan:
    before = installed_features(scope)
    names = before + [name for name in request.features if name not in before]
    old = _config_text(scope)
    config = limits.read(old, scope.config)
    sections = {}
    for name in request.features:
        feature = _feature(name)
        sections[name] = limits.section_after(feature, config.get(name), request.given.get(name, {}))
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    new = limits.installed(old, scope.config, sections, copies.version(), at)
    return _full_plan(scope, request, names, new)


def _plan_upgrade(scope: Scope, request: Request) -> Plan:
    names = installed_features(scope)
    old = _config_text(scope)
    if not names or old is None:
        raise HooksError(f"nothing to upgrade in {scope.folder}; install first.")
    limits.read(old, scope.config)
    return _full_plan(scope, request, names, limits.installed(old, scope.config, {}, copies.version(), ""))


def _full_plan(scope: Scope, request: Request, names: list[str], config: str) -> Plan:
    """Runtime, config and settings as they must stand with these features installed."""
    python = _interpreter(scope, request)
    target = _settings_name(scope, request.local)
    client = client_version(transcripts()) or recorded_client(scope)
    made = Plan(scope, request, names, python, target, client, config=config, copy=True)
    features = [_feature(name) for name in names]
    made.wanted = {SETTINGS: Wanted(), LOCAL: Wanted(), target: wanted_of(scope, features, python.path, config, client)}
    _fill_changes(made)
    return made


def _interpreter(scope: Scope, request: Request) -> Interpreter:
    """The given one; else the one in use while it lives, so that a second install changes nothing; else a choice."""
    used = scope.record().get("python")
    if request.python is None and isinstance(used, str):
        version = None if passing(used) else run_once(used)
        if version is not None:
            return Interpreter(used, version)
    return choose(request.python)


def _plan_switch(scope: Scope, request: Request) -> Plan:
    names = installed_features(scope)
    old = _config_text(scope)
    if old is None:
        raise HooksError(f"{scope.config} is not there; install first.")
    config = limits.read(old, scope.config)
    asked = list(request.features) or [name for name in names if name in config]
    if not asked:
        raise HooksError(f"nothing is installed in {scope.folder}.")
    new = limits.switched(old, scope.config, asked, request.mode == "enable")
    made = Plan(scope, request, names, None, _settings_name(scope, None), recorded_client(scope), config=new)
    made.changes = [FileChange(scope.config, old, new)]
    features = [_feature(name) for name in names]
    if any(one.name in asked and (one.scalars, one.members) != (no_settings, no_settings) for one in features):
        # what such a feature sets beside its hooks goes and comes with its switch
        python = _interpreter(scope, request)
        made.wanted = {SETTINGS: Wanted(), LOCAL: Wanted()}
        made.wanted[made.settings_name] = wanted_of(scope, features, python.path, new, made.client)
        _fill_changes(made)
    return made


def _plan_uninstall(scope: Scope, request: Request) -> Plan:
    before = installed_features(scope)
    leaving = list(request.features) or before
    names = [name for name in before if name not in leaving]
    target = _settings_name(scope, None)
    client = recorded_client(scope)
    made = Plan(scope, request, names, None, target, client, remove=not names, purge=request.mode == "purge")
    made.wanted = {SETTINGS: Wanted(), LOCAL: Wanted()}
    if names:
        python = _interpreter(scope, request)
        made.python = python
        config = _config_text(scope)
        made.wanted[target] = wanted_of(scope, [_feature(name) for name in names], python.path, config, client)
    if made.purge:
        _plan_purge_of_config(made, leaving)
    _fill_changes(made)
    return made


def _plan_purge_of_config(made: Plan, leaving: list[str]) -> None:
    old = _config_text(made.scope)
    if old is None:
        return
    new = None
    if made.features:
        config = limits.read(old, made.scope.config)
        new = rewrite(old, {key: value for key, value in config.items() if key not in leaving})
    made.config = new
    made.changes.append(FileChange(made.scope.config, old, new))


def recorded_client(scope: Scope) -> str | None:
    """The client's version at the last installation here."""
    value = scope.record().get("client")
    return value if isinstance(value, str) else None


def wanted_of(
    scope: Scope, features: list[Feature], python: str, config: str | None, client: str | None = None
) -> Wanted:
    """What the settings must hold for these features under that config."""
    place = Place(python, scope.script, scope.folder, scope.project, client)
    sections = limits.read(config, scope.config)
    served = entries(features, client)
    wanted = Wanted([(entry, hook_object(python, scope.script, entry.timeout)) for entry in served])
    for feature in features:
        section = sections.get(feature.name)
        section = section if isinstance(section, dict) else {}
        wanted.scalars.update(feature.scalars(section, place))
        for path, values in feature.members(section, place).items():
            wanted.members.setdefault(path, []).extend(values)
    return wanted


def wants_plugin(made: Plan) -> bool:
    """Whether the scope's config shortens reports, and the feature that does is installed afterwards."""
    config = limits.read(made.config, made.scope.config) if made.config is not None else config_of(made.scope)
    return "returns" in made.features and plugin_copy.wanted_by(config.get("returns"))


def _feature(name: str) -> Feature:
    found = by_name(name)
    if found is None:
        raise HooksError(f"no feature {name}.")
    return found


def _config_text(scope: Scope) -> str | None:
    found = files.read_text(scope.config)
    return found[0] if found else None


def _fill_changes(made: Plan) -> None:
    if made.copy:
        made.changes.append(FileChange(made.scope.config, _config_text(made.scope), made.config))
    journals = journals_of(made.scope)
    for name, wanted in made.wanted.items():
        path = made.scope.settings(name)
        old, new, _ = settings_after(path, wanted, journals.get(name, Journal()))
        made.changes.append(FileChange(path, old, new))
        if old != new and files.is_read_only(path):
            raise HooksError(f"{path} is read-only; nothing was changed.")


def journals_of(scope: Scope) -> dict[str, Journal]:
    """The journals of this scope's settings files; where the record is lost, what the files themselves tell."""
    value = scope.record().get("journals")
    kept = value if isinstance(value, dict) else {SETTINGS: None, LOCAL: None}
    return {
        name: Journal.load(one) if sound(one) else recovered(scope, settings_of(scope, name), config_of(scope))
        for name, one in kept.items()
    }


def settings_after(path: Path, wanted: Wanted, journal: Journal) -> tuple[str | None, str | None, Journal]:
    """(text now, text wanted, journal then) of a settings file, byte order marks included; nothing is written.

    The client reads no settings behind a byte order mark: an install drops it, the uninstall gives it back.
    """
    journal = Journal.load(journal.dump())
    found = files.read_text(path)
    empty = not (wanted.entries or wanted.scalars or wanted.members)
    if found is None and empty:
        return None, None, journal
    text, bom = found or ("{}\n", False)
    old = None if found is None else BOM * bom + text
    journal.bom = journal.bom or bom
    try:
        after = _changed(text, wanted, journal)
    except (NotStrictJsonError, WrongShapeError) as error:
        if empty and not _mentions_us(text):
            return old, old, journal
        by_hand = "`setpoint hooks snippet` prints what to paste."
        if empty:
            by_hand = f"Mend it first, or take out what names {MARK[1:]} by hand."
        raise HooksError(f"{path} cannot be changed safely ({error}); nothing was changed. {by_hand}") from error
    return old, BOM * (empty and journal.bom) + rewrite(text, after, journal.spellings), journal


def _changed(text: str, wanted: Wanted, journal: Journal) -> dict[str, Any]:
    root = parse(text)
    if not isinstance(root.value, dict):
        raise WrongShapeError("it holds no object")
    note_spellings(root, text, wanted, journal)
    return apply(root.value, wanted, journal)


def _mentions_us(text: str) -> bool:
    return MARK in text.replace("\\\\", "/")


def snippet(scope: Scope, names: list[str]) -> str:
    """The settings that an install of these features would write, as text, for a file that we do not touch."""
    old, features = _config_text(scope), [_feature(name) for name in names]
    config = limits.read(old, scope.config)
    sections = {one.name: limits.section_after(one, config.get(one.name), {}) for one in features}
    new = limits.installed(old, scope.config, sections, copies.version(), "")
    client = client_version(transcripts()) or recorded_client(scope)
    wanted = wanted_of(scope, features, choose(None).path, new, client)
    return json.dumps(apply({}, wanted, Journal()), indent=2, ensure_ascii=False)
