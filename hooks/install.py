"""Carry a plan out: runtime, config, settings; each file whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from hooks import copies, files, plugin_copy
from hooks.autocompact import natural_settings
from hooks.plan import BOM, Plan, journals_of, plan, settings_after, wants_plugin
from hooks.scopes import LOCAL, SETTINGS, Scope
from hooks.settings import Journal


def carry_out(made: Plan) -> None:
    """Do what the plan says: files first, the settings that start them last; the other way round when removing."""
    scope = made.scope
    with ExitStack() as held:
        for name in [SETTINGS] + ([LOCAL] if LOCAL in made.wanted else []):
            if name == SETTINGS or made.wanted[LOCAL].entries or scope.settings(LOCAL).exists():
                held.enter_context(files.lock(scope.settings(name)))
        # planned anew under the lock: what another installer did since the plan was shown stays
        made = plan(scope, made.request)
        if made.copy and made.python is not None:
            copies.copy_to(scope.home, made.python.path)
        if made.config is not None:
            _write(scope, scope.config, made.config)
        journals = _change_settings(made) if made.wanted else {}
        if made.remove:
            copies.remove_from(scope.home, made.purge)
        elif made.wanted:
            _write_record(made, journals)
            copies.mark(scope.home, made.features)
        if made.purge and made.config is None:
            scope.config.unlink(missing_ok=True)
    if made.wanted:
        plugin_copy.sync(scope.home, wants_plugin(made))


def _change_settings(made: Plan) -> dict[str, Journal]:
    scope = made.scope
    journals = journals_of(scope)
    for name, wanted in made.wanted.items():
        path = scope.settings(name)
        before = journals.get(name, Journal())
        while True:
            old, new, journal = settings_after(path, wanted, before)
            if old == new:
                break
            # written before the settings: after a crash between the two nothing that stood there is forgotten
            _write_record(made, {**journals, name: union(before, journal)})
            files.backup(path, scope.home / "backups")
            if files.replace(path, str(new).encode(), partial(_is_still, path, old)):
                break
        journals[name] = journal
    return journals


def _is_still(path: Path, text: str | None) -> bool:
    found = files.read_text(path)
    return text == (None if found is None else BOM * found[1] + found[0])


def union(before: Journal, after: Journal) -> Journal:
    """All that either journal remembers."""
    merged = Journal.load(after.dump())
    merged.created += [path for path in before.created if path not in merged.created]
    merged.spellings = {**after.spellings, **before.spellings}
    paths = [row["path"] for row in merged.scalars]
    merged.scalars += [row for row in before.scalars if row["path"] not in paths]
    merged.members += [row for row in before.members if row not in merged.members]
    return merged


def _write(scope: Scope, path: Path, text: str) -> None:
    """Write a text of ours if it differs."""
    found = files.read_text(path)
    if found is None or found[0] != text or found[1]:
        files.backup(path, scope.home / "backups")
        files.replace(path, text.encode())


def _write_record(made: Plan, journals: Mapping[str, Journal]) -> None:
    old = made.scope.record()
    record = {
        "version": copies.version() if made.copy else old.get("version"),
        "python": made.python.path if made.python else old.get("python"),
        "client": made.client or old.get("client"),
        "features": made.features,
        "settings": made.settings_name,
        "files": {name: copies.digest(data) for name, data in copies.sources().items()}
        if made.copy
        else old.get("files"),
        "journals": {name: journal.dump() for name, journal in journals.items()},
    }
    if "compaction" in made.features:
        record["compaction"] = old.get("compaction") or natural_settings(made.scope)
    text = json.dumps(record, indent=1) + "\n"
    found = files.read_text(made.scope.home / "installed.json")
    if found is None or found[0] != text:
        files.replace(made.scope.home / "installed.json", text.encode())
