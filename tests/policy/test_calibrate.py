import numpy as np
import polars as pl
import pytest

from measure.columns import empty
from policy.calibrate import FALLBACK, calibrate, factor, regress

TRUE = 3.3


def session(requests_of, frame_of, *, seed: int, steps: int = 120, threads: int = 12, foreign: float = 0.1):
    """Threads of tool calls whose results hold TRUE characters a token and each add 25 hidden tokens. In one step of
    ten the client adds a long note, so that growth is far above the text's share."""
    rng = np.random.default_rng(seed)
    requests, calls = [], []
    for thread in range(threads):
        context = 9_000
        for step in range(steps // threads + 1):
            output = int(rng.integers(50, 900))
            if step:
                chars = int(rng.lognormal(7.5, 1.3))
                share = TRUE * np.exp(rng.normal(0, 0.15))
                note = int(rng.integers(500, 6_000)) if rng.random() < foreign else 0
                context += requests[-1]["o"] + 25 + round(chars / share) + note
                calls.append({"session_id": "s", "agent_id": f"a{thread}", "result_step": step, "result_chars": chars})
            row = {"r": context, "o": output, "step": step, "agent_id": f"a{thread}", "stop_reason": "tool_use"}
            requests.append(row)
    return requests_of(*requests), frame_of("tool_calls", calls)


def test_the_interval_contains_the_true_factor_in_spite_of_hidden_notes(requests_of, frame_of) -> None:
    found = calibrate(*session(requests_of, frame_of, seed=1, steps=600), empty("returns")).of("claude-sonnet-5")
    assert found.low is not None
    assert found.high is not None
    assert found.low < TRUE < found.high
    assert found.high - found.low < 0.3
    assert found.intercept == pytest.approx(25, abs=30)
    assert (found.steps, found.threads, found.note) == (600, 12, "")


@pytest.mark.slow
def test_the_interval_keeps_its_promise(requests_of, frame_of) -> None:
    rounds, hits = 100, 0
    for seed in range(rounds):
        found = calibrate(*session(requests_of, frame_of, seed=seed), empty("returns")).of("claude-sonnet-5")
        hits += found.low is not None and found.low < TRUE < found.high
    assert hits / rounds >= 0.90


def test_exact_growth_gives_the_exact_factor() -> None:
    chars = np.array([400.0, 800.0, 4_000.0, 40_000.0, 1_200.0, 80.0] * 6)
    intercept, slope = regress(chars, np.round(30 + chars / 4))
    assert intercept == pytest.approx(30, abs=0.5)
    assert 1 / slope == pytest.approx(4, abs=0.001)


def test_few_steps_fall_back_and_say_so(requests_of, frame_of) -> None:
    found = calibrate(*session(requests_of, frame_of, seed=1, steps=24), empty("returns"))
    known, unseen = found.of("claude-sonnet-5"), found.of("claude-opus-5")
    assert known.chars_per_token == unseen.chars_per_token == FALLBACK
    assert "only 24 measured steps" in known.note
    assert known.low is unseen.low is None


def test_growth_that_ignores_the_characters_falls_back() -> None:
    rng = np.random.default_rng(3)
    steps = pl.DataFrame(
        {
            "session_id": "s",
            "agent_id": [f"a{i // 10}" for i in range(200)],
            "chars": rng.integers(10, 9_000, 200),
            "tokens": rng.integers(10, 9_000, 200),
        }
    )
    assert "does not follow" in factor("m", steps).note


def test_steps_that_hold_more_than_their_texts_are_left_out(requests_of, frame_of) -> None:
    good = {"stop_reason": "tool_use"}
    requests = requests_of(
        {"r": 1_000, "o": 50} | good,
        {"r": 1_300, "o": 50} | good,  # 1: measured, 250 tokens
        {"r": 2_000, "o": 50} | good,  # 2: an image came
        {"r": 2_300, "o": 50, "stop_reason": "end_turn"},  # 3: no tool call in between
        {"r": 2_800, "o": 50} | good,  # 4: a user's words came
        {"r": 3_200, "o": 9, "output_is_lower_bound": True} | good,  # 5: measured, 350 tokens
        {"r": 3_600, "o": 50} | good,  # 6: the answer before is not whole
        {"r": 900, "o": 50, "segment": 1} | good,  # 7: after a compaction
        {"r": 1_400, "o": 50, "segment": 1} | good,  # 8: measured, 450 tokens, with a notification
    )
    step = {"session_id": "s", "agent_id": None, "images": 0}
    calls = [
        step | {"result_step": n, "result_chars": 100 * (n or 9), "images": int(n == 2)}
        for n in (1, 2, 4, 5, 6, 7, 8, None)
    ]
    returns = [
        {"session_id": "s", "route": "notification", "caller_step": 8, "caller_chars": 1_000},
        {"session_id": "s", "route": "tool_result", "caller_step": 5, "caller_chars": 500},
    ]
    from policy.calibrate import growth

    table = growth(requests, frame_of("tool_calls", calls), frame_of("returns", returns))
    assert table.select("step", "chars", "tokens").rows() == [(1, 100, 250), (5, 500, 350), (8, 1_800, 450)]


def test_empty_frames_calibrate_nothing() -> None:
    found = calibrate(empty("requests"), empty("tool_calls"), empty("returns"))
    assert not found.factors
    assert found.of("m").chars_per_token == FALLBACK
