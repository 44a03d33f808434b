"""What is installed, whole or half, with which limits, and how it has been running. Reads only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hooks import copies, plugin_copy
from hooks.evidence import client_version, commands, is_our_command, log_summary, percentile, transcripts
from hooks.features import by_name, entries, version_parts
from hooks.interpreter import run_once
from hooks.plan import installed_features, parsed, recorded_client, settings_of
from hooks.runtime.config import Config
from hooks.runtime.parties import SINCE
from hooks.runtime.paths import env
from hooks.runtime.returns import ENV_FILE, ENV_PASS, Policy
from hooks.scopes import LOCAL, SETTINGS, Scope
from hooks.settings import ours
from hooks.show import counted, limits_text


def status(places: list[Scope]) -> dict[str, Any]:
    """The report of `setpoint hooks status`."""
    noted = [runs for command, runs in commands(transcripts()).items() if is_our_command(command)]
    durations = [float(ms) for runs in noted for ms in runs.durations]
    client = {
        "runs": sum(runs.total for runs in noted),
        "failures": sum(runs.failed + runs.cancelled for runs in noted),
        "p95_ms": percentile(durations, 0.95),
    }
    rows = [scope_status(place) for place in places]
    lines = [line for row in rows for line in scope_lines(row)]
    if client["runs"]:
        lines.append(
            f"client    {counted(int(client['runs'] or 0), 'run')} noted, {client['failures']} failed, "
            f"p95 {_ms(client['p95_ms'])}"
        )
    return {"report": "hooks status", "scopes": rows, "client": client, "lines": lines}


def scope_status(scope: Scope) -> dict[str, Any]:
    """One scope's state."""
    record = scope.record()
    names = installed_features(scope)
    wanted_files = {name: copies.digest(data) for name, data in copies.sources().items()}
    present_files = copies.installed(scope.home)
    entry_state = _entries(scope, names)
    python = entry_state["python"] or record.get("python")
    row = {
        "scope": scope.name,
        "folder": str(scope.folder),
        "features": [feature_status(scope, name) for name in names],
        "files": {
            "present": len(present_files),
            "wanted": len(wanted_files),
            "differing": [
                name for name, digest in wanted_files.items() if present_files.get(name) not in (None, digest)
            ],
            "missing": [name for name in wanted_files if name not in present_files],
            "hashes": present_files,
        },
        "entries": {key: entry_state[key] for key in ("present", "wanted", "missing", "file")},
        "version": {"installed": record.get("version"), "package": copies.version()},
        "interpreter": {"path": python, "version": run_once(python) if isinstance(python, str) else None},
        "log": log_summary(scope.home),
        "unreadable": [why for name in (SETTINGS, LOCAL) if (why := parsed(scope, name)[1])],
    }
    row["state"], row["why"] = _state(row)
    return row


def _entries(scope: Scope, names: list[str]) -> dict[str, Any]:
    wanted = entries([feature for name in names if (feature := by_name(name))], recorded_client(scope))
    found = {name: ours(settings_of(scope, name)) for name in (SETTINGS, LOCAL)}
    present = [one for rows in found.values() for one in rows]
    # where the user moved one of ours into a group of their own, the event alone tells it
    missing = [one for one in wanted if one.event not in {event for event, _, _ in present}]
    exact = {(event, matcher) for event, matcher, _ in present}
    for one in wanted:
        several = sum(other.event == one.event for other in wanted) > 1
        if several and (one.event, one.matcher) not in exact and one not in missing:
            missing.append(one)
    commands_of = [hook.get("command") for _, _, hook in present]
    return {
        "wanted": len(wanted),
        "present": len(wanted) - len(missing) if names else len(present),
        "missing": [f"{one.event} {one.matcher or ''}".strip() for one in missing],
        "file": next((name for name, rows in found.items() if rows), None),
        "python": next((command for command in commands_of if isinstance(command, str)), None),
    }


def _state(row: Mapping[str, Any]) -> tuple[str, list[str]]:
    """("not installed" | "installed" | "half installed", why)."""
    files, found = row["files"], row["entries"]
    if not files["present"] and not found["present"]:
        return "not installed", []
    why = []
    if files["missing"]:
        why.append(f"{counted(len(files['missing']), 'file')} missing")
    if files["differing"]:
        why.append(f"{counted(len(files['differing']), 'file')} of another version")
    why += row["unreadable"]
    if found["missing"] or not (found["wanted"] or row["features"]):
        why.append(f"entries are missing: {', '.join(found['missing']) or 'all'}")
    if row["interpreter"]["version"] is None:
        why.append(f"the interpreter {row['interpreter']['path']} does not run")
    return ("half installed" if why else "installed"), why


def feature_status(scope: Scope, name: str) -> dict[str, Any]:
    """A feature's switch and limits as the hooks would find them here, each with its source."""
    root = str(scope.project or scope.folder.parent)
    section, path = Config(root).find(name)
    row: dict[str, Any] = {"name": name, "enabled": (section or {}).get("enabled") is True, "config": path}
    if name == "returns" and section is not None:
        policy = Policy(section, "", {key: env(key) for key in (ENV_PASS, ENV_FILE)})
        row["mode"] = policy.mode
        row["limits"] = {
            "passTokens": {"value": policy.pass_tokens, "source": policy.sources["passTokens"]},
            "fileTokens": {"value": policy.file_tokens, "source": policy.sources["fileTokens"]},
        }
        types = section.get("byAgentType")
        row["byAgentType"] = types if isinstance(types, dict) else {}
        if plugin_copy.wanted_by(section):
            row["plugin"] = plugin_copy.status(client_version(transcripts()), root)
    elif text := limits_text(name, section):
        row["says"] = text.partition(": ")[2]
    if name == "compaction" and (client := recorded_client(scope)) and version_parts(client) < SINCE:
        row["note"] = f"subagents are never held: client {client} does not say whose compaction it asks about"
    feature = by_name(name)
    if feature and feature.older:
        row["events"] = [entry.event for entry in feature.entries_for(recorded_client(scope))]
    return row


def scope_lines(row: Mapping[str, Any]) -> list[str]:
    """One scope's state as text."""
    if row["state"] == "not installed":
        return [f"{row['scope']}: not installed in {row['folder']} (setpoint hooks install)"]
    files, found, log, version = row["files"], row["entries"], row["log"], row["version"]
    lines = [
        f"{row['scope']}: {row['state']} in {row['folder']}" + (f": {'; '.join(row['why'])}" if row["why"] else ""),
        f"  files      {files['present']}/{files['wanted']}, {len(files['differing'])} differ from the package",
        f"  entries    {found['present']}/{found['wanted']} in {found['file'] or 'no settings file'}",
    ]
    decided = counted(log["runs"], "decision")
    for one in row["features"]:
        limits = ", ".join(
            f"{key} {value['value']} ({value['source']})" for key, value in one.get("limits", {}).items()
        )
        switch = "enabled" if one["enabled"] else "disabled"
        mode = f", mode {one['mode']}" if "mode" in one else ""
        mode += f", {one['says']}" if "says" in one else ""
        mode += f", on {', '.join(one['events'])}" if "events" in one else ""
        lines.append(
            f"  {one['name']:<10} {switch}{mode}{f', {limits}' if limits else ''}, from {one['config'] or 'no config'}"
        )
        if "plugin" in one:
            lines.append(f"  plugin     {plugin_copy.line(one['plugin'])}")
    lines += [f"  note       {one['note']}" for one in row["features"] if "note" in one]
    lines += [
        f"  version    {version['installed'] or 'unknown'} installed, {version['package']} in the package",
        f"  runs by    {row['interpreter']['path']} (Python {row['interpreter']['version'] or 'does not run'})",
        f"  log        last run {log['last_run'] or 'never'}, 7 days: {decided}, {log['failures']} failed",
        f"  time       p95 {_ms(log['p95_ms'])} in the handler",
    ]
    if row["state"] == "half installed":
        lines.append(f"  mend       setpoint hooks upgrade --scope {row['scope']}")
    return lines


def _ms(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1f} ms"
