"""Fixtures of the installed copy: the real installer puts it into a folder once, tests start it as the client does."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.runtime.routes import PLUGIN, PLUGIN_FILES
from hooks.scopes import Scope

Json = dict[str, Any]
NUMBERS = itertools.count()


@dataclass(frozen=True)
class Said:
    """What a hook answered."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Json:
        """The JSON object; empty when nothing was said."""
        assert (self.code, self.err) == (0, "")
        found: Json = json.loads(self.out) if self.out else {}
        return found

    @property
    def order(self) -> str:
        """The guard's order, whatever route it took."""
        answer = self.answer
        special = answer.get("hookSpecificOutput", {})
        assert answer.get("decision", "block") == "block"
        return str(answer.get("reason") or special.get("permissionDecisionReason") or "")

    @property
    def note(self) -> str:
        """The additional context."""
        return str(self.answer.get("hookSpecificOutput", {}).get("additionalContext") or "")

    @property
    def silent(self) -> bool:
        """Nothing said, nothing failed."""
        return (self.code, self.out, self.err) == (0, "", "")


@dataclass
class Copy:
    """An installed copy, and a project of the test's own."""

    command: list[str]
    home: Path  # our installed folder
    project: Path
    user: Path
    env: dict[str, str] = field(default_factory=dict)

    def config(self, value: object, folder: Path | None = None) -> None:
        """Write setpoint.json into a folder's .claude; text and bytes as they are."""
        path = (folder or self.project) / ".claude" / "setpoint.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())

    def plugin(self, without: str = "", installed: bool = True) -> None:
        """The plugin in the user's skills folder, and an installed copy in the project, where it looks for one."""
        if installed:
            (self.project / ".claude" / "setpoint").mkdir(parents=True)
            (self.project / ".claude" / "setpoint" / "run.py").touch()
        for name in PLUGIN_FILES:
            if name != without:
                path = self.user / ".claude" / PLUGIN / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("{}")

    def returns(self, **section: Any) -> None:
        """Write an enabled returns section."""
        self.config({"returns": {"enabled": True, **section}})

    def send(self, raw: bytes, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Said:
        """Start the installed hook with these bytes on its standard input."""
        variables = {"HOME": str(self.user), "CLAUDE_PROJECT_DIR": str(self.project), **self.env, **(env or {})}
        done = subprocess.run(
            self.command,
            input=raw,
            capture_output=True,
            env={name: value for name, value in variables.items() if value != "-"},
            cwd=cwd or self.project,
            timeout=60,
            check=False,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def ask(self, event: Json, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Said:
        """Send an event."""
        return self.send(json.dumps(event).encode(), env, cwd)

    def log(self) -> list[Json]:
        """Every row of the decision log."""
        rows = [line for path in sorted((self.home / "log").glob("*.jsonl")) for line in path.read_text().splitlines()]
        return [json.loads(row) for row in rows]


def fresh(agent_type: str = "general-purpose", **more: Any) -> Json:
    """The common fields of an event of an agent not seen before."""
    number = next(NUMBERS)
    return {
        "session_id": f"5e551044-0000-4000-8000-{os.getpid():06d}{number:06d}",
        "transcript_path": "/nowhere/session.jsonl",
        "cwd": "/nowhere",
        "agent_id": f"a{number:016x}",
        "agent_type": agent_type,
        **more,
    }


def stop(text: object, agent_type: str = "general-purpose", **more: Any) -> Json:
    """A SubagentStop event."""
    base = fresh(agent_type, hook_event_name="SubagentStop", stop_hook_active=False, last_assistant_message=text)
    return {**base, **more}


def handback(text: object, agent_type: str = "general-purpose", **more: Any) -> Json:
    """A PreToolUse event of the hand-back tool."""
    event = fresh(agent_type, hook_event_name="PreToolUse", tool_name="SubagentHandback", tool_input={"message": text})
    return {**event, **more}


def start(agent_type: str = "general-purpose", **more: Any) -> Json:
    """A SubagentStart event."""
    return {**fresh(agent_type, hook_event_name="SubagentStart"), **more}


EVENTS = {"stop": stop, "handback": handback, "start": start}


def installed_in(folder: Path, python: str | None = None) -> Scope:
    """Install everything that can be installed into a project folder."""
    scope = Scope("project", folder / ".claude", folder)
    carry_out(plan(scope, Request("install", ("returns",), python=python)))
    return scope


@pytest.fixture(scope="session")
def scope(tmp_path_factory: pytest.TempPathFactory) -> Scope:
    return installed_in(tmp_path_factory.mktemp("it's a $HOME folder"))


@pytest.fixture
def copy(scope: Scope, tmp_path: Path) -> Copy:
    """The installed copy with an empty project and an empty home."""
    settings = json.loads(scope.settings().read_text())
    hook = settings["hooks"]["SubagentStop"][0]["hooks"][0]
    project, user = tmp_path / "project", tmp_path / "user"
    project.mkdir()
    user.mkdir()
    return Copy([hook["command"], *hook["args"]], scope.home, project, user)


@pytest.fixture
def events() -> Any:
    """Makers of events by route: stop, handback, start."""
    return EVENTS
