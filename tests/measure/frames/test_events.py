"""Events, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from measure.columns import schema
from measure.transcripts.others import script


def rows(frames: Any, *columns: str) -> list[tuple[Any, ...]]:
    assert frames.events.schema == schema("events")
    found: list[tuple[Any, ...]] = frames.events.select(columns).rows()
    return found


def test_hook_runs_have_a_duration_an_outcome_and_only_the_name_of_their_script(tree: Any) -> None:
    main = tree.main()
    command = "/usr/bin/python3 '/home/someone/my hooks/guard.py' --token hunter2"
    base = {"hookName": "PostToolUse:Read", "hookEvent": "PostToolUse", "toolUseID": "t1", "command": command}
    main.add("attachment", attachment={"type": "hook_success", **base, "durationMs": 121, "stdout": "secret"})
    main.add("attachment", attachment={"type": "hook_non_blocking_error", **base, "durationMs": 5})
    main.add("attachment", attachment={"type": "hook_cancelled", **base})
    blocked = {"hookName": "SubagentStop", "hookEvent": "SubagentStop", "blockingError": {"command": command}}
    main.add("attachment", attachment={"type": "hook_blocking_error", **blocked})
    infos = [{"command": command, "durationMs": 130}, {"command": "sh b.sh", "durationMs": 7}]
    main.add("system", subtype="stop_hook_summary", hookInfos=infos, failedHookErrorIndexes=[1])
    assert rows(tree.frames(), "kind", "name", "command", "outcome", "duration_ms") == [
        ("hook", "PostToolUse:Read", "guard.py", "success", 121),
        ("hook", "PostToolUse:Read", "guard.py", "error", 5),
        ("hook", "PostToolUse:Read", "guard.py", "cancelled", None),
        ("hook", "SubagentStop", "guard.py", "blocking", None),
        ("hook", "Stop", "guard.py", "success", 130),
        ("hook", "Stop", "b.sh", "error", 7),
    ]


def test_errors_interrupts_notices_and_denials(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1")
    main.add("system", subtype="api_error", error={"status": 529}, retryAttempt=1, maxRetries=10)
    zero = {"input_tokens": 0, "output_tokens": 0}
    notice = {"id": "n", "model": "<synthetic>", "content": [{"type": "text", "text": "x"}], "usage": zero}
    main.add("assistant", message=notice, isApiErrorMessage=True)
    main.add("assistant", message=notice | {"id": "n2"}, isApiErrorMessage=False)
    main.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    agent.tool("t1", "Bash", "PreToolUse:Bash hook error: no", is_error=True, command="x")
    assert rows(tree.frames(), "agent_id", "kind", "name", "outcome") == [
        (None, "api_error", "529", "retried"),
        (None, "synthetic", None, "api_error"),
        (None, "synthetic", None, "notice"),
        (None, "interrupt", None, None),
        ("a1", "denial", "Bash", "hook"),
    ]
    assert tree.frames().requests["agent_id"].to_list() == ["a1"]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("TOKEN=secret bash -c 'echo secret'", "bash"),
        ("A=secret B=\"two secret\" C='x y' /usr/bin/env node", "env"),
        ('TOKEN="secret', None),
        ("TOKEN=secret.py /opt/run", "run"),
        ("TOKEN=secret python3 '/x y/guard.py' --key secret", "guard.py"),
        ("  curl -H secret", "curl"),
        ("", None),
    ],
)
def test_name_of_a_hooks_script_holds_no_variables_value(command: str, name: str | None) -> None:
    assert script(command) == name
