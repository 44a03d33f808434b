"""A small made world: sessions whose main thread launches agents of four types that report back."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from measure.columns import empty
from measure.frames import Frames

START = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)
NOW = dt.datetime(2026, 11, 25, tzinfo=dt.UTC)
TYPES = ("Explore", "Plan", "general-purpose", "reviewer")
CENTRE = dict(zip(TYPES, (6.6, 7.0, 7.4, 7.8), strict=True))


def fill(frame: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = empty(frame).schema
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def thread(
    session: str, agent: str | None, kind: str | None, context: np.ndarray, model: str, start: float
) -> list[dict[str, Any]]:
    """Warm requests, one every 20 s: what grew since the last one is written, the rest read."""
    rows, last = [], 0
    for step, tokens in enumerate(int(x) for x in context):
        rows.append(
            {
                "session_id": session,
                "agent_id": agent,
                "agent_type": kind,
                "message_id": f"{session}/{agent}/{step}",
                "step": step,
                "segment": 0,
                "model": model,
                "ts": START + dt.timedelta(seconds=start + 20 * step),
                "input_tokens": 0,
                "cache_read_tokens": last,
                "cache_write_tokens": tokens - last,
                "cache_write_5m_tokens": tokens - last,
                "cache_write_1h_tokens": 0,
                "cache_write_unknown_tokens": 0,
                "output_tokens": 200,
                "context_tokens": tokens,
                "web_searches": 0,
                "is_replay": False,
                "from_progress": False,
                "output_is_lower_bound": False,
                "ttl_requested": "5m",
            }
        )
        last = tokens
    return rows


def make(
    sessions: int = 20,
    agents: int = 6,
    main_requests: int = 60,
    agent_requests: int = 25,
    model: str = "claude-opus-5-5",
    seed: int = 1,
) -> Frames:
    """Agents report to request 5, 10, ... of the main thread; contexts grow by log-normal steps."""
    rng = np.random.default_rng(seed)
    requests, runs, returns, tops = [], [], [], []
    for s in range(sessions):
        name, day = f"s{s:03}", 86_400 * (s % 20)
        effect = 0.3 * rng.normal()
        count = max(8, int(main_requests * np.exp(0.4 * rng.normal())))
        context = 15_000 + np.cumsum(np.exp(rng.normal(6.5, 1.0, count)))
        requests += thread(name, None, None, context, model, day)
        runs.append({"session_id": name, "requests": count, "status": "completed", "mode": "main"})
        for a in range(int(rng.integers(1, 2 * agents))):
            kind = TYPES[int(rng.integers(0, 4))]
            steps = max(3, int(agent_requests * np.exp(0.8 * rng.normal())))
            own = 12_000 + np.cumsum(np.exp(rng.normal(7.0, 1.0, steps)))
            agent = f"a{s:03}{a:02}"
            requests += thread(name, agent, kind, own, model, day + 5)
            stopped = steps > 60
            runs.append(
                {
                    "session_id": name,
                    "agent_id": agent,
                    "agent_type": kind,
                    "status": "limit" if stopped else "completed",
                    "mode": "background",
                    "requests": steps,
                    "returns": 1,
                    "first_context_tokens": int(own[0]),
                }
            )
            chars = 4 * int(np.exp(CENTRE[kind] + effect + 0.7 * rng.normal()) + 1)
            returns.append(
                {
                    "session_id": name,
                    "agent_id": agent,
                    "agent_type": kind,
                    "route": "notification",
                    "ts": START + dt.timedelta(seconds=day + 5 + 20 * steps),
                    "delivery": 0,
                    "chars": chars,
                    "est_tokens": chars // 4,
                    "caller_chars": chars + 300,
                    "tried": 0,
                    "first_chars": chars,
                    "first_est_tokens": chars // 4,
                    "status": "completed",
                    "caller_segment": 0,
                    "caller_step": min(count - 1, 5 * (a + 1)),
                }
            )
        tops.append({"session_id": name, "started": START, "ended": START + dt.timedelta(seconds=day + 3600)})
    return Frames(
        requests=fill("requests", requests),
        agents=fill("agents", runs),
        returns=fill("returns", returns),
        sessions=fill("sessions", tops),
    )


@pytest.fixture(scope="session")
def world() -> Callable[..., Frames]:
    return make


@pytest.fixture
def now() -> dt.datetime:
    return NOW
