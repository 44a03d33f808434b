"""Whatever stands in the fields of a record, reading ends in frames of the fixed schema whose sums agree."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from measure.columns import FRAMES, schema
from measure.frames import load
from measure.frames.sums import whole
from measure.metrics import usage
from policy import prices, spend
from policy.cost import cost

ODD = [
    *(None, 0, -1, 1.5, True, "", [], {}, "x", 2**70, "\ud800", [1, 2], {"a": 1}, [None], [[]], float("inf")),
    *("2026-13-99", "2026-11-30T13:20:38.019Z", "<task-notification>", "[Subagent hand-back]", "agentId: "),
]
TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def changed(value: Any, random: Random, share: float) -> Any:
    """`value` with a share of its parts replaced by odd ones, left out or doubled."""
    if random.random() < share:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {key: changed(one, random, share) for key, one in value.items() if random.random() >= share / 2}
    if isinstance(value, list):
        out = [changed(one, random, share) for one in value]
        return out + out if random.random() < share else out
    return value


def plant(tree: Any) -> None:
    """A session with every kind of record that feeds a frame."""
    main = tree.main()
    agent = tree.agent(
        "a1", agentType="Explore", toolUseId="t1", spawnDepth=1, requestShape="foreground", finished=True
    )
    main.user("go")
    main.tool("r1", "Read", "1\ta\n2\tb", file_path="/p/a.txt", offset=1, limit=2)
    main.tool("r2", "Bash", "a\nb", command="cat a.txt; head -1 b.txt")
    main.tool("r3", "Edit", "ok", file_path="/p/a.txt")
    main.call("t1", "Agent", subagent_type="Explore")
    agent.text("L" * 50)
    agent.user("Stop hook feedback:\nno")
    agent.call("h1", "SubagentHandback", message="report")
    agent.result("h1", "ok")
    content = [{"type": "text", "text": "report"}]
    result = {"status": "completed", "agentId": "a1", "content": content, "totalTokens": 9, "harnessNoteCount": 0}
    main.result("t1", content, toolUseResult=result)
    note = (
        "<task-notification>\n<task-id>a2</task-id>\n<status>completed</status>\n<result>r</result></task-notification>"
    )
    main.add("queue-operation", operation="enqueue", content=note)
    main.add("attachment", attachment={"type": "queued_command", "prompt": note, "origin": {"kind": "x"}})
    hook = {"type": "hook_success", "hookName": "Stop", "command": "a.py", "durationMs": 3, "toolUseID": "t"}
    main.add("attachment", attachment=hook)
    main.add("attachment", attachment={"type": "hook_additional_context", "hookEvent": "SubagentStop"})
    main.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 5})
    main.add("system", subtype="stop_hook_summary", hookInfos=[{"command": "a.py", "durationMs": 3}])
    main.add("system", subtype="api_error", error={"status": 529}, retryAttempt=1)
    main.add("cost-state", modelUsage={"m": {"inputTokens": 5, "outputTokens": 5}})
    agent.add("fork-context-ref", parentSessionId="s1", parentLastUuid="u1", contextLength=3)
    main.user("job", isSidechain=True)
    tree.agent("a3", workflow="wf_1", agentType="w", inWorkflowRun=True).text("x")


def assert_sound(root: Path) -> None:
    frames = load([root])
    for name in FRAMES:
        assert frames.frame(name).schema == schema(name)
    keys = frames.agents.select("session_id", "agent_id")
    assert keys.height == keys.unique().height
    assert frames.agents["requests"].sum() == frames.requests.height
    for name in TOKENS:
        assert frames.agents.select(whole(name)).item() == frames.requests.select(whole(name)).item()


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 300))])
def test_odd_values_never_stop_the_reading(tree: Any, tmp_path: Path, seed: int) -> None:
    plant(tree)
    random = Random(seed)
    share = random.choice([0.01, 0.05, 0.15])
    out = tmp_path / "odd"
    shutil.copytree(tree.root / "projects", out / "projects")
    for path in out.rglob("*.json*"):
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        lines = [json.dumps(changed(record, random, share)) for record in records]
        if random.random() < 0.3:
            random.shuffle(lines)
        path.write_text("\n".join(lines), encoding="utf-8")
    assert_sound(out)


def test_sum_over_a_clamped_counter_stays_at_the_largest_integer(tree: Any) -> None:
    main = tree.main()
    for context in (2**70, 1000, 2**63 + 2):
        main.request({"type": "text", "text": "x"}, context=context)
    frames = tree.frames()
    largest = 2**63 - 1
    assert frames.requests["cache_write_tokens"].to_list() == [largest, 997, largest]
    assert frames.sessions["cache_write_tokens"].to_list() == [largest]
    assert frames.agents["total_input_tokens"].to_list() == [largest]
    assert usage.totals(frames.requests)["total_input_tokens"] == largest
    assert spend.total(cost(frames.requests, prices.load()))["cache_write_tokens"] == largest


@pytest.mark.parametrize("stamp", ["9999-12-31T23:59:59.000Z", "0001-01-01T00:00:00.000Z", "9999-12-31"])
def test_time_no_transcript_can_have_is_unknown(tree: Any, stamp: str) -> None:
    main = tree.main()
    main.text("a")
    main.text("b")
    path = next(tree.root.rglob("*.jsonl"))
    lines = path.read_text().splitlines()
    record = json.loads(lines[-1]) | {"timestamp": stamp}
    path.write_text("\n".join([*lines[:-1], json.dumps(record)]) + "\n")
    times = tree.frames().requests["ts"]
    assert times.null_count() == 1
    assert len(times) == 2


def test_empty_name_of_a_model_is_no_name(tree: Any) -> None:
    tree.main().request({"type": "text", "text": "x"}, model="")
    assert tree.frames().requests["model"].to_list() == [None]
