"""Cut returns, by hand: three returns, one cut and read back, one cut and left, one blocked."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from measure.metrics.cuts import cut_returns, summed

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAME = "/p/.claude/reports/20261130-120000_x-{run}/full-return.md"


def delivered(agent: str, written: int, chars: int, tried: int = 0, caller: str | None = None) -> dict[str, Any]:
    return {
        "session_id": "s",
        "agent_id": agent,
        "delivery": 0,
        "agent_type": "x",
        "caller_agent_id": caller,
        "ts": NOON,
        "tried": tried,
        "chars": chars,
        "first_chars": written,
        "est_tokens": chars // 4,
        "first_est_tokens": written // 4,
    }


def read(run: str, minutes: int, chars: int = 500, agent: str | None = None) -> dict[str, Any]:
    at = NOON + timedelta(minutes=minutes)
    return {"session_id": "s", "agent_id": agent, "path": NAME.format(run=run), "ts": at, "chars": chars}


RETURNS = pl.DataFrame(
    [
        delivered("a0000000011111111", 16_000, 4_000),
        delivered("a0000000022222222", 20_000, 4_000, caller="outer"),
        delivered("a0000000033333333", 9_000, 800, tried=1),
        delivered("a0000000044444444", 900, 900),
    ],
    schema_overrides={"caller_agent_id": pl.String},
)
READS = pl.DataFrame(
    [
        read("11111111", 1),
        read("11111111", 2, 700),
        read("11111111", -5),  # before the delivery: another file of that name
        read("22222222", 1, agent="someone else"),
        read("33333333", 1),
    ],
    schema_overrides={"agent_id": pl.String},
)


def test_cut_is_shorter_than_written_and_not_blocked() -> None:
    found = cut_returns(RETURNS, READS).sort("agent_id")
    assert found["agent_id"].to_list() == ["a0000000011111111", "a0000000022222222"]
    assert found["read_back"].to_list() == [2, 0]
    assert found["read_back_chars"].to_list() == [1_200, 0]


def test_sums_by_type() -> None:
    assert summed(cut_returns(RETURNS, READS)).to_dicts() == [
        {
            "agent_type": "x",
            "cut": 2,
            "first_est_tokens": 9_000,
            "est_tokens": 2_000,
            "read_back": 1,
            "read_back_chars": 1_200,
        }
    ]


def test_nothing_cut_is_an_empty_table() -> None:
    assert summed(cut_returns(RETURNS.clear(), READS.clear())).is_empty()
