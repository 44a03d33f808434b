"""What the context, reads, statusline and compaction hooks cost on large transcripts, against a bare Python start.

The transcript is 50 MB; "grown" is one whose last line alone is 3.4 MB, so that the window has to grow to 4 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.hooks import Row, cpu_ms, paired, table
from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.scopes import Scope
from hooks.settings import ours

BOUNDS = {
    "context, 50 MB": 1.7,
    "context, grown": 2.2,
    "reads, another command": 1.5,
    "reads, a print denied": 1.5,
    "statusline, 50 MB": 2.5,
    "compaction, no nudge": 2.0,
    "compaction, held": 2.0,
}
MODEL = "claude-opus-5-5"


def response(number: int, tokens: int) -> str:
    """One record of a response that reads a file."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": tokens, "output_tokens": 90}
    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"file_path": "/a/b.py"}}
    message = {"id": f"msg_{number}", "model": MODEL, "content": [call], "usage": usage}
    return json.dumps({"type": "assistant", "version": "2.1.332", "message": message}) + "\n"


def result(number: int, size: int) -> str:
    """One record of a tool result of `size` characters."""
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "x" * size}
    row = {"type": "user", "version": "2.1.332", "message": {"role": "user", "content": [block]}}
    return json.dumps({**row, "toolUseResult": {"file": "x" * size}}) + "\n"


class Bench:
    """All four features installed in a project of their own, with two agents' transcripts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        scope = Scope("project", folder / ".claude", folder)
        carry_out(plan(scope, Request("install", ("context", "reads", "statusline", "compaction"))))
        hook = ours(json.loads(scope.settings().read_text()))[0][2]
        self.command = [hook["command"], *hook["args"]]
        self.config = scope.config
        self.env = {"CLAUDE_PROJECT_DIR": str(folder), "HOME": str(folder), "PATH": os.environ["PATH"]}
        agents = folder / "s" / "subagents"
        agents.mkdir(parents=True)
        with (agents / "agent-a1.jsonl").open("w") as out:
            number = 0
            while out.tell() < 50_000_000:
                number += 1
                out.write(response(number, 20_000 + number) + result(number, 8_000))
            out.write(response(number + 1, 30_000))
        (folder / "s.jsonl").symlink_to(agents / "agent-a1.jsonl")
        (agents / "agent-a2.jsonl").write_text(response(1, 20_000) + result(1, 1_700_000))
        (folder / "a.txt").write_text("line\n" * 100)
        self.last = number + 1

    def only(self, feature: str) -> None:
        """Switch all features but one off: their entries are shared."""
        config = {"context": {}, "reads": {"mode": "deny", "repeatOnly": False}, "compaction": {}, "statusline": {}}
        self.config.write_text(json.dumps({name: {**own, "enabled": name == feature} for name, own in config.items()}))

    def event(self, name: str, agent: str = "", **more: Any) -> Path:
        """An event in a file."""
        event = {"session_id": "s", "hook_event_name": name, "cwd": str(self.folder), **more}
        event["transcript_path"] = str(self.folder / "s.jsonl")
        if agent:
            event |= {"agent_id": agent, "agent_type": "general-purpose"}
        path = self.folder / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        return path

    def batch(self, agent: str, number: int) -> Path:
        """The event after one batch of tools."""
        call = {"tool_name": "Read", "tool_input": {"file_path": "/a/b.py"}, "tool_use_id": f"toolu_{number}"}
        return self.event("PostToolBatch", agent, tool_calls=[{**call, "tool_response": "1\tx\n" * 500}])

    def bash(self, command: str) -> Path:
        """The event before a command."""
        return self.event("PreToolUse", tool_name="Bash", tool_input={"command": command})

    def case(self, name: str) -> float:
        """CPU of one run of a case, in ms."""
        if name == "floor":
            return cpu_ms([self.command[0], "-I", "-S", "-c", "pass"], Path(os.devnull), self.env)
        self.only(name.partition(",")[0])
        if name.startswith("statusline"):
            return cpu_ms([*self.command, "statusline"], self.event("Status"), self.env)
        event = {
            "context, 50 MB": lambda: self.batch("a1", self.last),
            "context, grown": lambda: self.batch("a2", 1),
            "reads, another command": lambda: self.bash("git status"),
            "reads, a print denied": lambda: self.bash("cat a.txt"),
            "compaction, no nudge": lambda: self.batch("a1", self.last),
            "compaction, held": lambda: self.event("PreCompact", "a1", trigger="auto"),
        }[name]
        return cpu_ms(self.command, event(), self.env)


def run(rounds: int = 25) -> list[Row]:
    """Measure every case, interleaved."""
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as name:
        bench = Bench(Path(name))
        times: dict[str, list[float]] = {case: [] for case in ("floor", *BOUNDS)}
        for turn in range(rounds + 1):
            for case, spent in times.items():
                one = bench.case(case)
                if turn:  # the first round warms the file cache
                    spent.append(one)
    middle = {case: sorted(spent)[len(spent) // 2] for case, spent in times.items()}
    return [Row(case, middle[case], paired(times[case], times["floor"]), bound) for case, bound in BOUNDS.items()]


def main() -> int:
    """Print the table; 1 when a claim does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hooks_context", description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=25, help="rounds; the median counts (25)")
    return table(run(parser.parse_args().rounds))


if __name__ == "__main__":
    sys.exit(main())
