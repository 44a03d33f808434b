"""Events as old and new clients send them, and what an installed hook must answer to each (made up, no one's text)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hooks.evidence import TRIAL_SESSION

SESSION = TRIAL_SESSION
LIMITS = {"returns": {"enabled": True, "passTokens": 100, "fileTokens": 200, "shorten": False}}
BASE: dict[str, Any] = {
    "session_id": SESSION,
    "transcript_path": "/nowhere/setpoint-doctor.jsonl",
    "cwd": "/nowhere",
    "agent_type": "general-purpose",
}
LONG, SHORT = "Finding at a.py:1. " * 30, "Verdict: fine."


@dataclass(frozen=True)
class Trial:
    """One event, the config it runs under, and the answer that proves the hook alive."""

    name: str
    client: str
    feature: str
    event: dict[str, Any]
    says: str
    expects: Callable[[str], bool]
    config: dict[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)  # laid into the trial's project, "{PROJECT}" in the event


def silent(out: str) -> bool:
    """Nothing at all."""
    return out == ""


def field_of(out: str, *path: str) -> Any:
    """A field of the answer; None where it is not there."""
    try:
        value = json.loads(out)
    except ValueError:
        return None
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def announces(out: str) -> bool:
    """The contract with the trial's number in it."""
    return "100 tokens" in str(field_of(out, "hookSpecificOutput", "additionalContext"))


def blocks(out: str) -> bool:
    """A block of the stop."""
    return bool(field_of(out, "decision") == "block") and "100" in str(field_of(out, "reason"))


def denies(out: str) -> bool:
    """A denial of the tool."""
    return bool(field_of(out, "hookSpecificOutput", "permissionDecision") == "deny")


def _event(name: str, agent: str, **more: Any) -> dict[str, Any]:
    return {**BASE, "hook_event_name": name, "agent_id": agent, **more}


RETURNS = (
    Trial(
        "SubagentStart", "new", "returns", _event("SubagentStart", "a1", prompt_id="p"), "announced", announces, LIMITS
    ),
    Trial(
        "SubagentStop, long report",
        "new",
        "returns",
        _event("SubagentStop", "a2", stop_hook_active=False, last_assistant_message=LONG, background_tasks=[]),
        "blocked",
        blocks,
        LIMITS,
    ),
    Trial(
        "SubagentStop, long report",
        "old",
        "returns",
        {**_event("SubagentStop", "a3"), "stop_hook_active": None, "last_assistant_message": LONG},
        "blocked",
        blocks,
        LIMITS,
    ),
    Trial(
        "SubagentStop, short report",
        "new",
        "returns",
        _event("SubagentStop", "a4", stop_hook_active=False, last_assistant_message=SHORT),
        "passed",
        silent,
        LIMITS,
    ),
    Trial(
        "SubagentHandback, long report",
        "new",
        "returns",
        _event("PreToolUse", "a5", tool_name="SubagentHandback", tool_input={"message": LONG}),
        "denied",
        denies,
        LIMITS,
    ),
)


def notes(out: str) -> bool:
    """A note that asks for the report."""
    return "Report now" in str(field_of(out, "hookSpecificOutput", "additionalContext"))


def _grown(tokens: int) -> dict[str, str]:
    usage = {"input_tokens": tokens, "output_tokens": 1}
    row = {"type": "assistant", "message": {"id": "m1", "model": "claude-opus-5-5", "usage": usage}}
    return {"t/s/subagents/agent-a1.jsonl": json.dumps(row) + "\n"}


BATCH = {"transcript_path": "{PROJECT}/t/s.jsonl", "tool_calls": []}
BOUND = {"context": {"enabled": True, "maxTokens": 50_000}}
PRINT = {"reads": {"enabled": True, "mode": "deny", "repeatOnly": False}}


def _bash(command: str) -> dict[str, Any]:
    given = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": "{PROJECT}"}
    return _event("PreToolUse", "a1", **given)


CONTEXT = (
    Trial(
        "PostToolBatch, past the bound",
        "new",
        "context",
        _event("PostToolBatch", "a1", **BATCH),
        "told",
        notes,
        BOUND,
        _grown(60_000),
    ),
    Trial(
        "PostToolBatch, below it",
        "new",
        "context",
        _event("PostToolBatch", "a1", **BATCH),
        "left alone",
        silent,
        BOUND,
        _grown(20_000),
    ),
)
READS = (
    Trial("PreToolUse, a print", "new", "reads", _bash("cat a.txt"), "denied", denies, PRINT, {"a.txt": "a\n"}),
    Trial("PreToolUse, a pipe", "old", "reads", _bash("cat a.txt | wc"), "passed", silent, PRINT, {"a.txt": "a\n"}),
)
POLICY = {"compaction": {"enabled": True, "subagent": {"forceAt": "50k"}, "main": {"forceAt": "50k"}}}


def _compaction(name: str, client: str, says: str, expects: Callable[[str], bool], tokens: int, agent: str) -> Trial:
    event = _event("PreCompact", agent, trigger="auto", transcript_path="{PROJECT}/t/s.jsonl")
    if not agent:
        del event["agent_id"], event["agent_type"]
    row: dict[str, Any] = {"type": "user", "version": "2.1.332" if client == "new" else "2.1.283", "message": {}}
    files = {**_grown(tokens), "t/s.jsonl": json.dumps(row) + "\n"}
    return Trial(name, client, "compaction", event, says, expects, POLICY, files)


def holds(out: str) -> bool:
    """A compaction that is stopped."""
    return bool(field_of(out, "decision") == "block")


COMPACTION = (
    _compaction("PreCompact, below its point", "new", "held", holds, 30_000, "a1"),
    _compaction("PreCompact, at its point", "new", "passed", silent, 50_000, "a1"),
    _compaction("PreCompact, no agent named", "old", "passed", silent, 30_000, ""),
)
TRIALS = RETURNS + CONTEXT + READS + COMPACTION


def trials(features: list[str]) -> list[Trial]:
    """The trials of these features."""
    return [trial for trial in TRIALS if trial.feature in features]
