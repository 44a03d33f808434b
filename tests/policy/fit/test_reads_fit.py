"""The reads guard on made sessions, worked out by hand."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from measure.columns import empty
from measure.frames import Frames
from measure.reports.model import Filters
from policy.fit import reads
from policy.fit.inputs import priced
from policy.fit.options import Options
from policy.limits import InForce
from policy.prices import load
from policy.reports import carried, fit_reads

START = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)


def fill(frame: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = empty(frame).schema
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def request(session: str, step: int) -> dict[str, Any]:
    """Three requests of 10,000, 20,000 and 30,000 tokens: what grew is written, the rest read."""
    last, tokens = 10_000 * step, 10_000 * (step + 1)
    zero = dict.fromkeys(("input_tokens", "cache_write_1h_tokens", "cache_write_unknown_tokens", "web_searches"), 0)
    return zero | {
        "session_id": session,
        "message_id": f"{session}/{step}",
        "step": step,
        "segment": 0,
        "model": "claude-opus-5-5",
        "ts": START + dt.timedelta(seconds=20 * step),
        "cache_read_tokens": last,
        "cache_write_tokens": tokens - last,
        "cache_write_5m_tokens": tokens - last,
        "output_tokens": 200,
        "context_tokens": tokens,
        "ttl_requested": "5m",
    }


def frames(sessions: int, repeat: str, via: str = "Bash", parts: int = 1) -> Frames:
    """In each session one command prints 4,000 characters, carried by the second of its three requests."""
    names = [f"s{number}" for number in range(sessions)]
    own = [{"session_id": name, "tool_use_id": "t", "result_step": 1} for name in names]
    kinds = [repeat, *["none"] * (parts - 1)]
    return Frames(
        requests=fill("requests", [request(name, step) for name in names for step in range(3)]),
        reads=fill("reads", [row | {"via": via, "repeat": kind, "chars": 4_000} for row in own for kind in kinds]),
        tool_calls=fill("tool_calls", [row | {"tool": via, "result_chars": 4_000, "is_error": False} for row in own]),
        sessions=fill("sessions", [{"session_id": name, "started": START, "ended": START} for name in names]),
    )


@pytest.fixture
def options(now: dt.datetime) -> Options:
    return Options(prices=load(), force=InForce({}, {}), now=now)


def found(made: Frames, options: Options) -> dict[tuple[str, bool], reads.Mode]:
    rows = reads.priced_prints(priced(made, options.prices, options.now))
    return {(mode.mode, mode.repeat_only): mode for mode in reads.modes(rows)}


def test_a_deny_saves_the_text_that_is_held_and_costs_a_step(options: Options) -> None:
    data = priced(frames(1, "same"), options.prices, options.now)
    rates = data.steps.filter(pl.col("step") == 1).row(0, named=True)
    read, write, output = rates["rate_read"], rates["rate_write"], rates["rate_output"]
    tokens = 4_000 / data.calibration.of("claude-opus-5-5").chars_per_token
    # written once and read by the one later request; four in five do not read it after all
    kept = 0.8 * tokens * (write + read)
    # the step: 20,000 tokens read and 100 written; 200 characters of the guard are carried like the 4,000
    spent = 20_000 * read + 100 * output + tokens * (write + read) * 200 / 4_000
    modes = found(frames(1, "same"), options)
    assert modes["deny", True].saved_usd == pytest.approx(kept - spent)
    assert modes["deny", False].saved_usd == pytest.approx(kept - spent)
    assert modes["note", True].saved_usd == pytest.approx(-tokens * (write + read) * 200 / 4_000)
    assert (modes["deny", True].acted, modes["deny", True].chars) == (1, 4_000)


def test_a_deny_of_lines_that_are_not_held_only_costs(options: Options) -> None:
    modes = found(frames(2, "overlap"), options)
    assert modes["deny", True].acted == 0
    assert modes["deny", True].saved_usd == 0
    assert modes["deny", False].acted == 2
    assert modes["deny", False].saved_usd < modes["note", False].saved_usd < 0


def test_a_command_is_held_only_where_all_its_files_are(options: Options) -> None:
    assert found(frames(1, "same", parts=2), options)["deny", True].acted == 0


def test_reads_by_the_read_tool_are_no_prints(options: Options) -> None:
    assert found(frames(3, "same", via="Read"), options) == {}


def test_sessions_that_are_still_open_are_left_out(options: Options) -> None:
    made = frames(2, "same")
    made.sessions = made.sessions.with_columns(ended=pl.lit(options.now).cast(made.sessions.schema["ended"]))
    assert found(made, options) == {}


def mode(saved: float, low: float, sessions: int) -> list[reads.Mode]:
    return [
        reads.Mode("deny", True, 50, 1, saved, low, saved + 1, sessions),
        reads.Mode("note", True, 50, 1, -1, -2, 0, 9),
    ]


@pytest.mark.parametrize(
    ("modes", "said"),
    [
        ([], "keep the default (note, only what is already held): no Bash print"),
        (
            mode(9, 5, 9),
            "keep the default (note, only what is already held): 9 sessions with Bash prints, 10 are needed",
        ),
        (mode(9, -1, 40), "keep the default (note, only what is already held): a deny saves no money beyond doubt"),
        (mode(9, 5, 40), "set deny, only what is already held"),
    ],
)
def test_deny_is_recommended_only_where_it_saves_beyond_doubt(modes: list[reads.Mode], said: str) -> None:
    assert reads.advice(modes).startswith(said)


def test_the_report_says_what_prints_cost_and_what_to_set(options: Options, world: Callable[..., Frames]) -> None:
    report = fit_reads.build(priced(frames(12, "same"), options.prices, options.now), options).report
    assert (report.totals["prints"], report.totals["held"], report.totals["chars"]) == (12, 12, 48_000)
    assert report.totals["carry_usd"] > 0
    assert [row["n"] for row in report.rows] == [12] * 4
    assert report.lead[0].startswith("reads: keep the default")
    nothing = priced(world(sessions=2), options.prices, options.now)
    assert fit_reads.build(nothing, options).report.rows == []


def test_the_report_reads_replays_the_guard_on_the_prints_it_counts() -> None:
    report = carried.reads(frames(2, "same"), Filters())
    assert [(row["mode"], row["repeat_only"], row["n"]) for row in report.extra["guard"]] == [
        ("deny", True, 2),
        ("deny", False, 2),
        ("note", True, 2),
        ("note", False, 2),
    ]
    assert [(row["via"], row["reads"], row["repeats"], row["chars"]) for row in report.extra["by_via"]] == [
        ("Bash", 2, 2, 8_000)
    ]
    assert carried.reads(frames(2, "same", via="Read"), Filters()).extra["guard"] == []
