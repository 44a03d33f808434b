"""Runs the installed hooks with events of old and new clients, and looks for what would keep them from working."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hooks import plugin_copy
from hooks.evidence import client_version, commands, is_our_command, percentile, transcripts
from hooks.features import by_name, version_parts
from hooks.interpreter import passing, run_once
from hooks.plan import config_of, installed_features, settings_of
from hooks.runtime.watch import unanswered
from hooks.scopes import LOCAL, SETTINGS, Scope
from hooks.settings import is_ours, ours
from hooks.show import counted
from hooks.trials import SESSION, Trial, trials

LONGEST_TIMEOUT = 600  # seconds: the client's own default
SLOW_MS = 1000


def examine(places: list[Scope]) -> dict[str, Any]:
    """The report of `setpoint hooks doctor`."""
    paths = transcripts()
    version = client_version(paths)
    rows = [scope_findings(place, version) for place in places if installed_features(place) or place.home.exists()]
    foreign = foreign_findings(places, paths)
    lines = [f"client    version {version or 'unknown'} by the newest transcript"]
    for row in rows:
        lines.append(f"{row['scope']}: {row['folder']}")
        lines += [
            f"  {one['verdict']:<6} {one['event']} ({one['client']} client): {one['answer']}, {one['ms']:.0f} ms"
            for one in row["trials"]
        ]
        lines += [f"  warning {one}" for one in row["warnings"]]
    lines += [f"warning {one}" for one in foreign]
    if not rows:
        lines.append("nothing of ours is installed here or for the user.")
    failed = any(one["verdict"] != "ok" for row in rows for one in row["trials"])
    report = {"report": "hooks doctor", "client_version": version, "scopes": rows, "foreign": foreign}
    return {**report, "failed": failed, "lines": lines}


def scope_findings(scope: Scope, version: str | None) -> dict[str, Any]:
    """Trials and warnings of one scope."""
    names = installed_features(scope)
    found = [one for name in (SETTINGS, LOCAL) for one in ours(settings_of(scope, name))]
    results = []
    for trial in trials(names):
        name = trial.event["hook_event_name"]
        hook = next((hook for event, _, hook in found if event == name), None)
        results.append(attempt(scope, trial, hook))
    return {
        "scope": scope.name,
        "folder": str(scope.folder),
        "trials": results,
        "warnings": scope_warnings(scope, names, found, version) + plugin_warnings(scope, names, version),
    }


def plugin_warnings(scope: Scope, names: list[str], version: str | None) -> list[str]:
    """Why the plugin cannot act, where the config counts on it."""
    if "returns" not in names or not plugin_copy.wanted_by(config_of(scope).get("returns")):
        return []
    why = plugin_copy.status(version, str(scope.project or scope.folder.parent))["why"]
    return [f"plugin: {why}; {plugin_copy.ROUTES} are blocked instead of cut"] if why else []


def attempt(scope: Scope, trial: Trial, hook: Mapping[str, Any] | None) -> dict[str, Any]:
    """Run the entry as the client would, in a project of its own, and demand the answer the trial expects."""
    row = {"event": trial.name, "client": trial.client, "ms": 0.0, "verdict": "failed", "answer": "no settings entry"}
    if hook is None:
        return row
    with tempfile.TemporaryDirectory(prefix="setpoint-doctor-") as folder:
        project = Path(folder)
        (project / ".claude").mkdir()
        (project / ".claude" / "setpoint.json").write_text(json.dumps(trial.config), encoding="utf-8")
        for name, text in trial.files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text, encoding="utf-8")
        environment = {**os.environ, "CLAUDE_PROJECT_DIR": folder}
        for name in ("AGENT_RETURN_PASS", "AGENT_RETURN_FILE"):
            environment.pop(name, None)
        started = time.perf_counter()
        try:
            done = subprocess.run(  # noqa: S603
                [str(hook.get("command")), *[str(word) for word in hook.get("args", [])]],
                input=json.dumps(trial.event).replace("{PROJECT}", project.as_posix()).encode(),
                capture_output=True,
                env=environment,
                cwd=folder,
                timeout=30,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return {**row, "answer": f"did not run ({type(error).__name__})"}
        finally:
            shutil.rmtree(scope.home / "state" / SESSION, ignore_errors=True)
    row["ms"] = (time.perf_counter() - started) * 1000
    right = done.returncode == 0 and not done.stderr and trial.expects(done.stdout.decode("utf-8", "replace"))
    row["answer"] = (
        trial.says if right else f"not {trial.says} (exit {done.returncode}, {counted(len(done.stdout), 'byte')})"
    )
    return {**row, "verdict": "ok" if right else "failed"}


def scope_warnings(
    scope: Scope, names: list[str], found: list[tuple[str, str | None, dict[str, Any]]], version: str | None
) -> list[str]:
    """What is odd about our own entries."""
    warned = []
    for event, _, hook in found:
        timeout = hook.get("timeout")
        if isinstance(timeout, (int, float)) and timeout > LONGEST_TIMEOUT:
            warned.append(f"{event}: a timeout of {timeout} is in seconds; 5 is enough")
    for command in sorted({str(hook.get("command")) for _, _, hook in found}):
        if run_once(command) is None:
            warned.append(f"the interpreter {command} does not run: setpoint hooks upgrade")
        elif reason := passing(command):
            warned.append(f"the interpreter {command} may go away: {reason}")
    if "compaction" in names and (problem := unanswered(str(scope.folder))):
        warned.append(problem)
    for name in names:
        feature = by_name(name)
        if feature is not None and feature.since and version and version_parts(version) < version_parts(feature.since):
            warned.append(f"{name} needs a client of {feature.since} or later; yours is {version}")
    return warned


def foreign_findings(places: list[Scope], paths: list[Path]) -> list[str]:
    """What is odd about other hooks: timeouts, dead matchers, failures and slowness in the transcripts."""
    warned = []
    for scope in places:
        for name in (SETTINGS, LOCAL):
            settings = settings_of(scope, name)
            if settings.get("disableAllHooks") is True:
                warned.append(f"{scope.name} {name}: disableAllHooks is set: the client runs no hooks, ours included")
            hooks = settings.get("hooks")
            for event, groups in hooks.items() if isinstance(hooks, dict) else ():
                for group in groups if isinstance(groups, list) else ():
                    warned += _group_findings(f"{scope.name} {name}: {event}", group)
    for command, runs in commands(paths).items():
        if is_our_command(command):
            continue
        # the command line may hold what is private: its first word's last part names it well enough
        short = Path((command.split() or ["?"])[0]).name
        slow = percentile([float(ms) for ms in runs.durations], 0.95)
        if runs.failed or runs.cancelled:
            warned.append(
                f"hook {short}: {runs.failed} failed, {runs.cancelled} timed out of {counted(runs.total, 'run')}"
            )
        if slow is not None and slow > SLOW_MS:
            warned.append(f"hook {short}: p95 {slow:.0f} ms over {counted(len(runs.durations), 'run')}")
    return warned


def _group_findings(where: str, group: object) -> list[str]:
    if not isinstance(group, dict):
        return []
    warned = []
    if group.get("matcher") in ("Task", "^Task$"):
        warned.append(f"{where}: the matcher Task is the old name of the Agent tool; write ^(Task|Agent)$")
    inner = group.get("hooks")
    if not isinstance(inner, list) or not inner:
        warned.append(f"{where}: a group without hooks")
        return warned
    for hook in inner:
        timeout = hook.get("timeout") if isinstance(hook, dict) else None
        if isinstance(timeout, (int, float)) and timeout > LONGEST_TIMEOUT and not is_ours(hook):
            warned.append(f"{where}: a timeout of {timeout} is in seconds, not milliseconds")
    return warned
