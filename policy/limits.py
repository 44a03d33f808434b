"""Limits in `setpoint.json`: what is in force, and writing fitted ones with their evidence beside them."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from hooks.runtime import compaction, context, returns
from hooks.runtime.config import Config
from hooks.runtime.paths import project_root, user_folder
from measure.errors import SetpointError
from policy.fit.limit import Limit

Scope = Literal["project", "global"]
HISTORY = 50
PLAIN = {"returns": returns, "context": context, "compaction": compaction}


def place(scope: Scope) -> Path:
    """The config file of a scope, where the hooks look for it."""
    if scope == "global":
        folder = user_folder()
        if folder is None:
            raise SetpointError("No home folder is known: set CLAUDE_CONFIG_DIR, or write with --scope project.")
        return Path(folder) / "setpoint.json"
    return Path(project_root()) / ".claude" / "setpoint.json"


@dataclass(frozen=True, slots=True)
class InForce:
    """Sections as the hooks would find them now, and the environment that they read."""

    sections: dict[str, dict[str, Any]]
    environment: dict[str, str]

    def returns(self, key: str, agent_type: str | None) -> int:
        """passTokens, fileTokens or slackTokens of a type."""
        policy = returns.Policy(self.sections.get("returns", {}), agent_type or "", self.environment)
        values = {
            "passTokens": policy.pass_tokens,
            "fileTokens": policy.file_tokens,
            "slackTokens": policy.slack_tokens,
        }
        return values[key]

    def context(self, model: str | None, agent_type: str | None) -> int:
        """The context bound of a model and type."""
        return context.bound(self.sections.get("context"), model, agent_type)

    def compaction(self, agent_type: str | None, window: int) -> dict[str, int]:
        """forceAt, nudgeFrom and nudgeEvery in tokens; `agent_type` None is the main chat."""
        section = self.sections.get("compaction", {})
        types = section.get("byAgentType")
        own = types.get(agent_type) if isinstance(types, dict) and agent_type else None
        central = section.get("subagent" if agent_type else "main")
        values, _, _ = compaction.resolve([("byAgentType", own or {}), ("central", central or {})], window)
        return {key: int(values[key]) for key in ("forceAt", "nudgeFrom", "nudgeEvery")}


def in_force() -> InForce:
    """Read the config files of this folder and user, live."""
    config = Config()
    sections = {name: config.section(name) or {} for name in PLAIN}
    return InForce(sections, dict(os.environ))


def apply(config: dict[str, Any], limits: list[Limit], at: str, horizon: str | None) -> dict[str, Any]:
    """`config` with every fitted limit and its evidence; all that the fit does not own is kept as it stands.

    A limit without a value changes nothing. Returns a new object; raises SetpointError where a section that must
    hold limits is something else than an object.
    """
    out = json.loads(json.dumps(config))
    changed: dict[str, dict[str, Any]] = {}
    for limit in limits:
        if limit.value is None:
            continue
        section = _object(out, limit.feature, limit.feature)
        holder, key, path = _slot(section, limit)
        holder[key] = limit.value
        evidence = _object(section, "evidence", limit.feature)
        for step in path:
            evidence = _object(evidence, step, limit.feature)
        evidence[key] = limit.evidence(at, horizon)
        changed.setdefault(limit.feature, {})[limit.name.partition(".")[2]] = limit.value
    if changed:
        out.setdefault("version", version("setpoint"))
        entries = [{"at": at, "feature": f, "what": "fit", "limits": values} for f, values in changed.items()]
        past = out.get("history")
        out["history"] = ([*past] if isinstance(past, list) else [])[-(HISTORY - len(entries)) :] + entries
    return dict(out)


def _object(parent: dict[str, Any], key: str, feature: str) -> dict[str, Any]:
    found = parent.setdefault(key, {})
    if not isinstance(found, dict):
        raise SetpointError(f"setpoint.json: {key} of {feature} is no object; mend or remove it, then write again.")
    return found


def _slot(section: dict[str, Any], limit: Limit) -> tuple[dict[str, Any], str, list[str]]:
    """The object and key that hold the limit, and the path to its evidence."""
    if limit.feature == "context" and limit.model:
        # byModel maps a model to a number: the model is the key there.
        return _object(section, "byModel", limit.feature), limit.model, ["byModel"]
    if limit.agent_type:
        types = _object(section, "byAgentType", limit.feature)
        if isinstance(types.get(limit.agent_type), int):
            types[limit.agent_type] = {limit.key: types[limit.agent_type]}
        return _object(types, limit.agent_type, limit.feature), limit.key, ["byAgentType", limit.agent_type]
    if limit.feature == "compaction":
        return _object(section, "main", limit.feature), limit.key, ["main"]
    return section, limit.key, []


def read(path: Path) -> dict[str, Any]:
    """The config to be changed; empty where there is no file. Raises SetpointError rather than lose a broken one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError) as error:
        raise SetpointError(f"{path} cannot be read ({error}): nothing was written.") from error
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise SetpointError(f"{path} is no JSON ({error}): nothing was written; mend it first.") from error
    if not isinstance(found, dict):
        raise SetpointError(f"{path} holds no JSON object: nothing was written; mend it first.")
    return found


def write(path: Path, config: dict[str, Any]) -> None:
    """Put `config` in the place of the file in one step: the old one or the new one is there, never a part."""
    target = path.resolve() if path.is_symlink() else path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".setpoint-", suffix=".json", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                json.dump(config, out, ensure_ascii=False, indent=2)
                out.write("\n")
                out.flush()
                os.fsync(out.fileno())
            Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            Path(name).replace(target)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise SetpointError(f"{path} cannot be written ({error.strerror or error}): nothing was changed.") from error


def save(scope: Scope, limits: list[Limit], at: str, horizon: str | None) -> Path | None:
    """Write the fitted limits to the scope's file; None where no limit has a value (nothing is written then)."""
    if not any(limit.value is not None for limit in limits):
        return None
    path = place(scope)
    before = read(path)
    after = apply(before, limits, at, horizon)
    section = after.get("returns", {})
    low, high = section.get("passTokens"), section.get("fileTokens")
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise SetpointError(
            f"passTokens {low:,} would not lie below fileTokens {high:,} in {path}: nothing was written; "
            "write both limits, or change the one that stays."
        )
    write(path, after)
    return path


@dataclass(frozen=True, slots=True)
class Drift:
    """A limit in force beside a fresh fit; `outside` where it lies beyond the fresh interval."""

    limit: Limit
    outside: bool


def drift(limits: list[Limit]) -> list[Drift]:
    """Every limit that a fresh fit can judge: without an interval none, and an unbounded end excludes nothing."""
    out = []
    for limit in limits:
        if not limit.bounded or not isinstance(limit.in_force, int | float):
            continue
        below = limit.low is not None and limit.in_force < limit.low
        above = limit.high is not None and limit.in_force > limit.high
        out.append(Drift(limit, below or above))
    return out
