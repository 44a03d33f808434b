"""A project folder and an empty home for one test, the runs of the client in it, and what came of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lab.api import text_of
from lab.install import client, namespace_command

Json = dict[str, Any]
HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
TOOLS = ["--allowedTools", "Read,Agent,Bash,Edit,Write,SendMessage,ToolSearch,Workflow"]


@dataclass
class Step:
    """One start of the client: a prompt, or lines on stdin (numbers are seconds to wait between them)."""

    prompt: str = "[[main]] go"
    args: list[str] = field(default_factory=lambda: list(TOOLS))
    resume: bool = False
    lines: list[str | float] | None = None
    keys: list[tuple[float, str]] | None = None  # the interactive client instead: (seconds to wait, keys)
    timeout: float = 90


class Run:
    """What one run left: the requests the API saw, and the transcripts."""

    def __init__(self, out: Path, home: Path) -> None:
        self.out, self.home = out, home
        self.session_id = (out / "session").read_text()

    @cached_property
    def log(self) -> list[Json]:
        """Every request, in order (see `api.Script`)."""
        lines = (
            (self.out / "requests.jsonl").read_text(encoding="utf-8").splitlines()
            if (self.out / "requests.jsonl").exists()
            else []
        )
        return [json.loads(line) for line in lines]

    def requests(self, thread: str, kind: str = "turn") -> list[Json]:
        """The requests of a thread, in order."""
        return [entry for entry in self.log if entry["thread"] == thread and entry["kind"] == kind]

    def seen(self, thread: str, index: int = -1, kind: str = "turn") -> str:
        """All that stands in the messages of one request (-1: the last)."""
        return "\n".join(
            text_of(message["content"]) for message in self.requests(thread, kind)[index]["body"]["messages"]
        )

    def new(self, thread: str, index: int) -> str:
        """What a request adds to the one before it."""
        messages = self.requests(thread)[index]["body"]["messages"]
        before = len(self.requests(thread)[index - 1]["body"]["messages"]) if index else 0
        return "\n".join(text_of(message["content"]) for message in messages[before:])

    def agent(self, thread: str) -> str:
        """The agent id behind a thread."""
        return next(entry["agent_id"] for entry in self.requests(thread) if entry["agent_id"])

    def rows(self, thread: str = "main") -> list[Json]:
        """The transcript of a thread."""
        name = f"{self.session_id}.jsonl" if thread == "main" else f"agent-{self.agent(thread)}.jsonl"
        path = next((self.home / ".claude" / "projects").rglob(name))
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    def boundaries(self, thread: str = "main") -> list[Json]:
        """compactMetadata of every compaction of a thread."""
        return [row["compactMetadata"] for row in self.rows(thread) if row.get("subtype") == "compact_boundary"]

    def result(self) -> str:
        """The client's final answer."""
        lines = (self.out / "step1.out").read_text(encoding="utf-8").splitlines()
        return next((json.loads(line).get("result", "") for line in reversed(lines) if '"type":"result"' in line), "")


class Workspace:
    """`work` is the project, `home` the user's home; both empty at first."""

    def __init__(self, folder: Path, version: str) -> None:
        self.folder, self.version = folder, version
        self.work, self.home = folder / "work", folder / "home"
        for path in (self.work / ".claude", self.home / ".claude", self.home / "tmp"):
            path.mkdir(parents=True)
        self.runs = 0

    def write(self, files: dict[str, str]) -> None:
        """Files of the project, by relative path."""
        for name, text in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def read_settings(self) -> Json:
        """The project's settings.json as it stands."""
        path = self.work / ".claude" / "settings.json"
        found: Json = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return found

    def settings(self, **values: Any) -> None:
        """Keys laid over the project's settings.json."""
        text = json.dumps(self.read_settings() | values, indent=2)
        (self.work / ".claude" / "settings.json").write_text(text, encoding="utf-8")

    def config(self, **sections: Any) -> None:
        """Keys laid over sections of the project's setpoint.json."""
        path = self.work / ".claude" / "setpoint.json"
        now = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for name, values in sections.items():
            now[name] = now.get(name, {}) | values
        path.write_text(json.dumps(now, indent=2), encoding="utf-8")

    def record_window(self, tokens: int) -> None:
        """The client's natural window, as an installation under that setting would have recorded it."""
        path = self.work / ".claude" / "setpoint" / "installed.json"
        if path.exists():
            record = json.loads(path.read_text(encoding="utf-8"))
            record["compaction"] = {"window": tokens, "percent": None}
            path.write_text(json.dumps(record), encoding="utf-8")

    def setpoint(self, *args: str) -> str:
        """Our own command line, in this project and this home."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "CLAUDE_CONFIG_DIR": str(self.home / ".claude")}
        command = [sys.executable, "-c", "from measure.cli import main; main()", *args]
        done = subprocess.run(
            command, cwd=self.work, env=env | {"PYTHONPATH": str(REPO)}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"setpoint {' '.join(args)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def run(self, threads: dict[str, list[Json]], *steps: Step, env: dict[str, str] | None = None) -> Run:
        """Runs the client (one step unless told more); "{WORK}" in the script is the project folder."""
        self.runs += 1
        out = self.folder / f"run{self.runs}"
        out.mkdir()
        spec = {"client": str(client(self.version)), "work": str(self.work), "home": str(self.home), "out": str(out)}
        spec |= {"steps": [vars(step) for step in steps or (Step(),)], "env": env or {}}
        spec["threads"] = json.loads(json.dumps(threads).replace("{WORK}", str(self.work)))
        (out / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
        command = [*namespace_command(), sys.executable, "-I", str(HERE / "inside.py"), str(out / "spec.json")]
        done = subprocess.run(
            command, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr
        return Run(out, self.home)
