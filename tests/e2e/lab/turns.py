"""Short forms for the tool calls a scripted turn makes."""

from __future__ import annotations

from typing import Any

Call = list[Any]


def agent(mark: str, kind: str = "general-purpose", prompt: str = "do the job", background: bool = False) -> Call:
    """An agent whose thread is `mark`."""
    inputs = {"description": f"{mark} job", "prompt": f"[[{mark}]] {prompt}", "subagent_type": kind}
    return ["Agent", inputs | {"run_in_background": background}]


def read(name: str, **more: Any) -> Call:
    return ["Read", {"file_path": "{WORK}/" + name, **more}]


def bash(command: str) -> Call:
    return ["Bash", {"command": command, "description": "run it"}]


def report(est_tokens: int) -> str:
    """A report of exactly that many est. tokens (4 characters each), with a verdict and path:line on top."""
    head = "Verdict: the value is set at a.txt:1. "
    return (head + "word " * est_tokens)[: est_tokens * 4]
