"""The replay decides what the installed handlers decide: contexts of real sessions, compactions of random curves."""

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hooks.runtime import advice, keeper
from hooks.runtime.compaction import ask_point
from hooks.runtime.config import Config
from hooks.runtime.dispatch import Call
from measure.frames import load
from policy import replay
from policy.fit.inputs import priced
from policy.fit.runs import Thread, threads
from policy.prices import load as load_prices

SHARED = Path(__file__).resolve().parents[3] / "shared"
MODEL = "claude-opus-5-5"


def call_of(folder: Path, name: str, **more: Any) -> Call:
    event = {"session_id": "s", "agent_id": "a1", "agent_type": "general-purpose", "hook_event_name": name, **more}
    event["transcript_path"] = str(folder / "s.jsonl")
    return Call(str(folder / "home"), event, Config(str(folder), str(folder / "user")))


PROMPT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def response_of(row: dict[str, Any]) -> str | None:
    """The response an assistant record belongs to; None for notices of the client."""
    message = row.get("message") or {}
    tokens = sum((message.get("usage") or {}).get(key) or 0 for key in PROMPT)
    real = row["type"] == "assistant" and message.get("model") != "<synthetic>" and tokens
    return str(message["id"]) if real else None


def batches(path: Path) -> list[str]:
    """The transcript as it stood after each response and its tool results, before a compaction that followed."""
    ends: list[str] = []
    seen, text, end = None, "", None
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        row = json.loads(line)
        if row.get("subtype") == "compact_boundary":
            end = end or text
        name = response_of(row)
        if name is not None and name != seen:
            ends += [end or text] if seen is not None else []
            seen, end = name, None
        text += line
    return [*ends, end or text] if seen is not None else []


def told_by_the_hook(path: Path, agent_type: str, section: dict[str, Any], folder: Path) -> list[tuple[int, str]]:
    """(step, what) of each note over the growing transcript; the last response has no later request to read a note."""
    agent = folder / "s" / "subagents" / "agent-a1.jsonl"
    agent.parent.mkdir(parents=True)
    told = []
    for step, text in enumerate(batches(path)[:-1]):
        agent.write_text(text, encoding="utf-8")
        answer = advice.batch(call_of(folder, "PostToolBatch", agent_type=agent_type, tool_calls=[]), section)
        if answer and answer.log:
            told.append((step, str(answer.log["decision"])))
    return told


@pytest.fixture(scope="module")
def runs() -> list[Thread]:
    prices = load_prices()
    return threads(priced(load([SHARED / "corpus"]), prices, datetime(2027, 1, 1, tzinfo=UTC)), prices)


@pytest.mark.shared
@pytest.mark.skipif(not (SHARED / "corpus").is_dir(), reason="needs ../shared/corpus")
def test_context_notes_of_every_agent_in_the_corpus(runs: list[Thread], tmp_path: Path) -> None:
    pick, compared, notes = random.Random(7), 0, 0
    files = {path.stem.removeprefix("agent-"): path for path in (SHARED / "corpus").rglob("agent-*.jsonl")}
    for number in range(20):
        section = {"enabled": True, "maxTokens": pick.randint(6_000, 70_000), "wrapUpBefore": pick.randint(0, 20_000)}
        for place, run in enumerate(one for one in runs if one.agent in files and one.fork_first is None):
            (told,) = replay.context_decisions([run], section)
            expected = [(step, "report") for step in told.report]
            expected += [] if told.wrap_up is None else [(told.wrap_up, "wrap-up")]
            found = told_by_the_hook(files[str(run.agent)], run.party, section, tmp_path / f"{number}-{place}")
            first = [one for one in found if one[1] == "wrap-up"][:1]
            assert sorted(first + [one for one in found if one[1] == "report"]) == sorted(expected), run.agent
            compared += 1
            notes += len(expected)
    assert compared >= 400
    assert notes > 100


def thread(growth: list[int]) -> Thread:
    zero = np.zeros(len(growth))
    grown = np.array(growth, dtype=np.float64)
    fields: dict[str, Any] = dict.fromkeys(("read", "price", "surcharge", "bases"), zero)
    fields |= dict.fromkeys(("rate", "rho", "write", "output", "step", "first_write"), 0.0)
    fields |= {"session": "s", "agent": "a1", "party": "general-purpose", "model": MODEL, "done": True}
    fields |= {"context": grown.cumsum(), "growth": grown, "segment": np.zeros(len(growth)), "fork_first": None}
    return Thread(**fields)


def forced_by_the_hook(growth: list[int], section: dict[str, Any], base: int, ask_at: int, folder: Path) -> list[int]:
    path = folder / "s" / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    tokens, passed = 0, []
    with path.open("a") as out:
        for step, grown in enumerate(growth[:-1]):
            tokens += grown
            message = {"id": f"m{step}", "model": MODEL, "usage": {"input_tokens": tokens, "output_tokens": 0}}
            out.write(json.dumps({"type": "assistant", "version": "2.1.332", "message": message}) + "\n")
            out.flush()
            if tokens < ask_at:
                continue
            if not keeper.before_compaction(call_of(folder, "PreCompact", trigger="auto"), section).block:
                passed.append(step)
                tokens = base
                out.write(json.dumps({"type": "system", "subtype": "compact_boundary"}) + "\n")
                out.flush()
                keeper.after_compaction(call_of(folder, "SessionStart", source="compact"), section)
    return passed


def test_compactions_of_random_curves(tmp_path: Path) -> None:
    total = 0
    for seed in range(40):
        pick = random.Random(seed)
        growth = [pick.randint(5_000, 12_000), *(pick.randint(200, pick.choice((9_000, 60_000))) for _ in range(40))]
        force, base = pick.randint(40_000, 300_000), pick.randint(5_000, 30_000)
        ask_at = min(pick.randint(20_000, 60_000), ask_point(1_000_000))
        section = {"enabled": True, "subagent": {"forceAt": force, "nudgeFrom": "20k"}}
        (told,) = replay.compaction_decisions([thread(growth)], section, {"general-purpose": float(base)}, ask_at)
        assert list(told.forced) == forced_by_the_hook(growth, section, base, ask_at, tmp_path / str(seed)), seed
        total += len(told.forced)
    assert total > 40
