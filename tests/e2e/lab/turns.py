"""Short forms for the tool calls a scripted turn makes."""

from __future__ import annotations

from typing import Any

Call = list[Any]
LINE = "- the value is set at src/a.txt:{n}, and read again further down\n"


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


def lines_report(est_tokens: int) -> str:
    """A report of about that many est. tokens, in lines."""
    text = "Verdict: three faults.\n"
    number = 0
    while len(text) + 70 < est_tokens * 4:
        number += 1
        text += LINE.format(n=number)
    return text + "Done."


def sub(est_tokens: int) -> list[dict[str, Any]]:
    """A subagent's turns: one read, then `lines_report`."""
    return [{"tools": [read("a.txt")], "context": 8_000}, {"text": lines_report(est_tokens), "context": 9_000}]


def main(*calls: object) -> list[dict[str, Any]]:
    """The main thread's turns: those calls, then waiting."""
    waiting = [{"text": "Waiting.", "context": 21_000 + 100 * n} for n in range(4)]
    return [{"tools": list(calls), "context": 20_000}, *waiting]
