"""A session on disk with known text sizes and known token growth: what we measure is what was put in."""

import random
from pathlib import Path

import polars as pl
import pytest
from made_transcripts import assistant, session, usage, user

from measure.frames import load
from policy.calibrate import Calibration, calibrate
from policy.carry import carry
from policy.cost import cost
from policy.prices import load as load_prices

TRUE = 3.6
MODEL = "claude-sonnet-5-5"  # read 0.1, write 5m 2.5 micro-dollars a token
STEPS = 80


def write(root: Path) -> list[int]:
    """One thread of `STEPS` tool calls; every result of n characters adds n / 3.6 + 20 tokens, give or take 5 %.
    The last prompt finds a cold cache. Returns the characters of each result."""
    rng = random.Random(5)
    records, sizes, read, written, at = [user(0, "go")], [], 0, 9_000, 1
    for step in range(STEPS + 1):
        call = {"type": "tool_use", "id": f"t{step}", "name": "Read", "input": {"file_path": "/nowhere/a.py"}}
        use = usage(3, 200, read, written)
        records.append(
            assistant(
                at, f"m{step}", request=f"r{step}", model=MODEL, content=[call], stop_reason="tool_use", usage=use
            )
        )
        size = rng.randrange(200, 30_000)
        result = {"type": "tool_result", "tool_use_id": f"t{step}", "content": "x" * size}
        records.append(user(at + 1, [result]))
        sizes.append(size)
        growth = 200 + 20 + round(size / TRUE * rng.uniform(0.95, 1.05))
        read, written, at = read + written, growth, at + 2
        if step == STEPS - 1:
            read, written = 0, read + written
    session(root, records)
    return sizes[:-1]


def test_the_factors_interval_contains_the_true_one(tmp_path: Path) -> None:
    write(tmp_path)
    frames = load([tmp_path])
    found = calibrate(frames.requests, frames.tool_calls, frames.returns).of(MODEL)
    assert found.steps == STEPS
    assert found.low is not None
    assert found.high is not None
    assert found.low < TRUE < found.high
    assert found.high / found.low < 1.1


def test_the_carry_cost_of_each_result_is_the_hand_calculation(tmp_path: Path) -> None:
    sizes = write(tmp_path)
    frames = load([tmp_path])
    factor = calibrate(frames.requests, frames.tool_calls, frames.returns).of(MODEL)
    calls = frames.tool_calls.rename({"result_step": "step", "result_chars": "chars"}).sort("step", nulls_last=True)
    found = carry(calls, cost(frames.requests, load_prices()), Calibration({MODEL: factor}))
    by_hand = [
        # written at step n, read by the warm requests after it, written again by the cold last one
        size / factor.chars_per_token * (2.5e-6 + max(0, STEPS - 1 - step) * 0.1e-6 + (2.5e-6 if step < STEPS else 0))
        for step, size in enumerate(sizes, 1)
    ]
    assert found.filter(pl.col("step").is_not_null())["carry_usd"].to_list() == pytest.approx(by_hand, rel=1e-9)
    assert found["carry_usd"].to_list()[-1] == 0, "the last result was never sent"
