"""Plans as people read them: five lines before anything is done."""

from __future__ import annotations

import difflib
import subprocess
from pathlib import Path
from typing import Any

from hooks import askpoint, autocompact, copies, limits, plugin_copy
from hooks.features import by_name, entries
from hooks.plan import Plan, config_of, wants_plugin
from hooks.runtime.compaction import DEFAULTS
from hooks.runtime.context import bound
from hooks.runtime.reads import mode_of, repeat_only
from hooks.runtime.returns import Policy
from hooks.runtime.turns import turns_left_at
from hooks.scopes import Scope
from hooks.settings import ours

AFTERWARDS = {"uninstall": "stay in setpoint.json", "purge": "removed from setpoint.json"}


def plan_lines(made: Plan) -> list[str]:
    """The plan: what changes, which files, which entries, which limits, what stays."""
    scope = made.scope
    names = " ".join(made.request.features) or " ".join(made.features) or "everything of ours"
    lines = [
        f"Plan: {made.request.mode} {names}, {scope.name} scope ({scope.folder})",
        f"  files     {_files(made)}",
        f"  entries   {_entries(made)}",
        f"  limits    {_limits(made)}",
        f"  stays     {_stays(made)}",
    ]
    if made.python is not None and made.copy:
        lines.append(f"  runs      {made.python.path} -I -S  (Python {made.python.version}, tried once)")
    return lines + [f"  warning   {warning}" for warning in made.warnings]


def counted(number: int, noun: str) -> str:
    """ "1 hook", "4 hooks": a count with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _files(made: Plan) -> str:
    parts = [str(_short(made.scope, change.path)) for change in made.changed]
    if made.copy:
        wanted = {name: copies.digest(data) for name, data in copies.sources().items()}
        present = copies.installed(made.scope.home)
        stale = sum(present.get(name) != digest for name, digest in wanted.items())
        parts += [f"setpoint/ ({stale} of {counted(len(wanted), 'file')} to copy)"] if stale else []
    plugin = plugin_copy.changes(made.scope.home, wants_plugin(made)) if made.wanted else None
    parts += [plugin] if plugin else []
    if made.remove and made.scope.home.exists():
        parts.append("setpoint/ (removed)")
    return ", ".join(parts) or "none: all is as it should be"


def _short(scope: Scope, path: Path) -> Path:
    return path.relative_to(scope.folder) if path.is_relative_to(scope.folder) else path


def _entries(made: Plan) -> str:
    if not made.wanted:
        return "unchanged"
    features = [found for name in made.features if (found := by_name(name))]
    text = ", ".join(f"{one.event} {one.matcher or ''}".strip() for one in entries(features, made.client))
    wanted = made.wanted.get(made.settings_name)
    keys = [" ".join(path) for path in (*wanted.scalars, *wanted.members)] if wanted else []
    text = ", ".join([part for part in (text, *keys) if part])
    return f"{text} in {made.settings_name}" if text else "all of ours removed"


def _limits(made: Plan) -> str:
    config = limits.read(made.config, made.scope.config) if made.config is not None else config_of(made.scope)
    names = made.request.features or made.features
    said = [text for name in names if (text := limits_text(name, config.get(name)))]
    if made.request.mode in AFTERWARDS and config_of(made.scope):
        return AFTERWARDS[made.request.mode]
    return "; ".join(said) or "none in setpoint.json"


def limits_text(name: str, section: object) -> str:
    """A feature's limits in words; empty without a section."""
    if not isinstance(section, dict):
        return ""
    state = "" if section.get("enabled") is True else " (off: setpoint hooks enable)"
    types = section.get("byAgentType")
    own = f", own limits for {', '.join(types)}" if isinstance(types, dict) and types else ""
    if name == "returns":
        policy = Policy(section, "", {})
        text = f"pass {policy.pass_tokens}, file {policy.file_tokens} est. tokens, mode {policy.mode}"
    elif name == "context":
        text = (
            f"report at {bound(section, None, None):,} tokens, or with {counted(turns_left_at(section), 'turn')} left"
        )
    elif name == "reads":
        text = f"mode {mode_of(section)}, {'repeats only' if repeat_only(section) else 'every print'}"
    elif name == "compaction":
        parties = [f"{party} {_force(section.get(party))}" for party in ("main", "subagent")]
        text = f"forced at {', '.join(parties)}"
    else:
        text = ""
    return f"{name}: {text}{own}{state}" if text else ""


def _force(entry: object) -> str:
    given = entry.get("forceAt") if isinstance(entry, dict) else entry
    return str(given or DEFAULTS["forceAt"])


def _stays(made: Plan) -> str:
    from hooks.plan import settings_of

    foreign = 0
    for name in ("settings.json", "settings.local.json"):
        settings = settings_of(made.scope, name)
        foreign += _count(settings.get("hooks")) - len(ours(settings))
    parts = [f"{counted(foreign, 'hook')} of others" if foreign else "every other setting"]
    if made.remove and not made.purge:
        parts.append("setpoint.json, logs and backups")
    return ", ".join(parts)


def _count(hooks: Any) -> int:
    groups = (
        [group for one in hooks.values() if isinstance(one, list) for group in one] if isinstance(hooks, dict) else []
    )
    inner = [group.get("hooks") for group in groups if isinstance(group, dict)]
    return sum(len(one) for one in inner if isinstance(one, list))


def diff(made: Plan) -> str:
    """The changes of texts as a unified diff."""
    parts: list[str] = []
    for change in made.changed:
        old, new = (change.old or "").splitlines(keepends=True), (change.new or "").splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, f"{change.path} (now)", f"{change.path} (then)")
        parts += [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines]
    return "".join(parts)


def tracked_by_git(path: Path) -> bool:
    """Whether git follows the file: its entries would carry this machine's paths to others."""
    command = ["git", "-C", str(path.parent), "ls-files", "--error-unmatch", "--", path.name]
    try:
        return subprocess.run(command, capture_output=True, timeout=5, check=False).returncode == 0  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False


def warnings(made: Plan) -> list[str]:
    """What a person should know before agreeing."""
    found = []
    path = made.scope.settings(made.settings_name)
    changes = [change.path for change in made.changed]
    if path in changes and made.wanted.get(made.settings_name) and made.features and tracked_by_git(path):
        found.append(
            f"{path.name} is tracked by git and would hold paths of this machine; --local keeps them out of it"
        )
    section = limits.read(made.config, made.scope.config).get("compaction") if made.config is not None else None
    if "compaction" in made.request.features and isinstance(section, dict) and section.get("enabled") is True:
        found += askpoint.warnings(askpoint.points(section, made.scope.project or made.scope.folder.parent))
        found += [
            f"{row.key} = {row.value!r} ({row.source}): {meaning}" for row, meaning in autocompact.odd(made.scope)
        ]
    if path in changes and path.is_symlink():
        found.append(f"{path.name} is a link to {path.resolve()}; a dotfile manager may write it again")
    return found
