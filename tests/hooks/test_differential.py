"""Replay is the installed hook: every shared return, under random configs, is answered alike by both."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from hooks.runtime import returns as rules
from measure.frames import load
from policy.replay import return_decisions

SHARED = Path(__file__).resolve().parents[3] / "shared"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared"),
]
TYPES = ["general-purpose", "Explore", "Plan", "workflow-subagent", "ui-design-discusser"]
SHAPES = {"tool_result": "foreground", "inline": "foreground", "notification": "background"}


@pytest.fixture(scope="module")
def returns() -> pl.DataFrame:
    """Every return of known size; the rule sees type, size and route only, so equal ones are one."""
    frames = load([SHARED / "corpus", SHARED / "transcripts"]).returns
    known = frames.filter(pl.col("first_est_tokens").is_not_null() & (pl.col("agent_type").fill_null("") != ""))
    return known.unique(["agent_type", "first_est_tokens", "route"], maintain_order=True)


def section_of(seed: int) -> dict[str, Any]:
    """A random section, now and then with values that no one should write."""
    draw = random.Random(seed)
    limit = lambda most: draw.choice([draw.randint(1, most), draw.randint(1, 400), "700", -5, None, 1.5])  # noqa: E731
    section: dict[str, Any] = {
        "enabled": draw.random() < 0.95,
        "passTokens": limit(2500),
        "fileTokens": limit(5000),
        "mode": draw.choice(["announce", "block", "block", "shorten", "shorten", "loud"]),
        "shorten": draw.choice([False, "foreground", True]),
        "spill": draw.choice([True, False, "yes"]),
        "keep": draw.choice(["head", "head+tail", "tail"]),
        "slackTokens": draw.choice([None, 0, 200, "x"]),
        "exempt": draw.choice([[], ["Plan"], ["*-purpose"], "Explore"]),
        "byAgentType": {
            name: {"passTokens": limit(1500), "mode": draw.choice(["block", "shorten", "announce"])}
            for name in draw.sample(TYPES, draw.randint(0, 3))
        },
    }
    return {key: value for key, value in section.items() if value is not None}


def environment_of(seed: int) -> dict[str, str]:
    """A random environment."""
    draw = random.Random(seed + 1000)
    values = ["", "300", "1e3", "0x200", "abc", "-1", "9000"]
    return {rules.ENV_PASS: draw.choice(values), rules.ENV_FILE: draw.choice(values)}


def noted(folder: Path, route: str, agent_id: str) -> str:
    """The transcript path of a run, with the client's note beside it."""
    note = {"requestShape": SHAPES.get(route, "foreground"), "inWorkflowRun": route == "workflow"}
    (folder / f"agent-{agent_id}.meta.json").write_text(json.dumps(note))
    (folder / f"agent-{agent_id}.jsonl").write_text('{"type":"user","version":"2.1.332"}\n')
    return str(folder / f"agent-{agent_id}.jsonl")


def decision_of(copy: Any, events: Any, folder: Path, kind: str, size: int, route: str, env: dict[str, str]) -> str:
    """What the installed hooks do with one report: the words of `rules.ACTIONS`."""
    text = ("line " * 7 + "end.\n") * (size // 10 + 1)
    text = text[: size * 4]
    if route == "handback":
        said = copy.ask(events["handback"](text, kind), env)
        if "updatedInput" in said.answer.get("hookSpecificOutput", {}):
            return rules.CUT
        return tier(said.order)
    event = events["stop"](text, kind)
    event["agent_transcript_path"] = noted(folder, route, event["agent_id"])
    order = copy.ask(event, env).order
    if order:
        return tier(order)
    if route in ("notification", "workflow"):
        why = copy.log()[-1].get("why") if (copy.home / "log").exists() else None
        return rules.CUT if why == "cut at delivery" else rules.PASS
    blocks = [{"type": "text", "text": text}]
    response = {"status": "completed", "agentId": event["agent_id"], "agentType": kind, "content": blocks}
    finished = {"hook_event_name": "PostToolUse", "tool_name": "Agent", "tool_response": response}
    said = copy.ask({"session_id": event["session_id"], **finished}, env)
    return rules.CUT if "updatedToolOutput" in said.answer.get("hookSpecificOutput", {}) else rules.PASS


def tier(order: str) -> str:
    """The action behind an order."""
    if not order:
        return rules.PASS
    if "already saved" in order:
        return rules.SPILL
    return rules.FILE if "create it" in order else rules.COMPRESS


def too_small_to_cut(row: dict[str, Any]) -> bool:
    """A cut that the pointer line would make longer is not made; replay does not weigh that line."""
    return row["action"] == rules.CUT and row["first_est_tokens"] < row["pass_tokens"] + 120


@pytest.mark.parametrize("seed", range(20))
def test_the_installed_hook_says_what_replay_says(
    copy: Any, events: Any, tmp_path: Path, returns: pl.DataFrame, seed: int
) -> None:
    section, env = section_of(seed), environment_of(seed)
    copy.config({"returns": section})
    copy.plugin()
    for row in return_decisions(returns, section, env).iter_rows(named=True):
        if too_small_to_cut(row):
            continue
        said = decision_of(copy, events, tmp_path, row["agent_type"], row["first_est_tokens"], row["route"], env)
        assert said == row["action"], (row["agent_type"], row["first_est_tokens"], row["route"], section, env)


def test_enough_returns_stand_behind_it(returns: pl.DataFrame) -> None:
    assert len(returns) >= 30
    assert {"tool_result", "notification", "handback"} <= set(returns["route"].to_list())
