"""Each report on a few rows whose answer can be worked out by hand."""

from datetime import UTC, datetime
from typing import Any

import polars as pl

from measure.columns import schema
from measure.frames import Frames
from measure.reports import agents, compactions, context, days, hooks, models, overview, reads, returns, sessions, tools
from measure.reports.model import Filters

NONE = Filters()
S, A = "s1", "a1"


def at(hour: int, minute: int = 0, day: int = 30) -> datetime:
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def frame(name: str, *rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema(name), orient="row")


def request(**values: Any) -> dict[str, Any]:
    base = {"session_id": S, "agent_id": None, "model": "m", "segment": 0, "output_is_lower_bound": False}
    return base | {"is_replay": False, "from_progress": False} | values


def test_overview_sums_by_model_and_by_thread() -> None:
    frames = Frames(
        requests=frame(
            "requests",
            request(step=0, ts=at(9), input_tokens=1, cache_read_tokens=0, cache_write_tokens=99, output_tokens=10),
            request(step=1, ts=at(10), input_tokens=1, cache_read_tokens=100, cache_write_tokens=9, output_tokens=20),
            request(agent_id=A, agent_type="Explore", model="n", step=0, ts=at(11), input_tokens=2, cache_read_tokens=8,
                    cache_write_tokens=0, output_tokens=5, output_is_lower_bound=True),
        ),
        agents=frame("agents", {"session_id": S}, {"session_id": S, "agent_id": A, "agent_type": "Explore"}),
        sessions=frame("sessions", {"session_id": S}),
    )  # fmt: skip
    report = overview.build(frames, NONE)
    assert report.totals["requests"] == 3
    assert report.totals["total_input_tokens"] == 100 + 110 + 10
    assert report.totals["output_lower_bound_requests"] == 1
    assert [(row["model"], row["output_tokens"]) for row in report.rows] == [("m", 30), ("n", 5)]  # type: ignore[union-attr]
    main, explore = report.extra["by_thread"]
    assert (main["agent_type"], main["requests"], main["threads"]) == ("main", 2, 1)
    assert main["input_share"] == 210 / 220
    assert explore["total_input_tokens"] == 10
    assert "3 requests in 1 session and 1 agent run" in report.lead[0]


def test_days_are_those_of_the_readers_zone() -> None:
    late = request(ts=at(23, 30, day=29), output_tokens=1)
    early = request(ts=at(0, 30), output_tokens=2)
    frames = Frames(requests=frame("requests", late, early))
    utc = days.rows(frames, Filters(timezone="UTC"))
    assert [(str(row["day"]), row["output_tokens"]) for row in utc.to_dicts()] == [("2026-11-30", 2), ("2026-11-29", 1)]
    berlin = days.rows(frames, Filters(timezone="Europe/Berlin"))
    assert [(str(row["day"]), row["output_tokens"]) for row in berlin.to_dicts()] == [("2026-11-30", 3)]


def test_a_request_without_a_time_is_in_no_day_but_in_the_totals() -> None:
    frames = Frames(requests=frame("requests", request(output_tokens=4)))
    report = days.build(frames, NONE)
    assert report.totals["output_tokens"] == 4
    assert days.rows(frames, NONE)["day"].to_list() == [None]


def test_agents_show_requests_final_context_and_total_input() -> None:
    frames = Frames(
        agents=frame(
            "agents",
            {"session_id": S, "requests": 9, "total_input_tokens": 50, "output_tokens": 1, "peak_context_tokens": 9},
            {"session_id": S, "agent_id": "a1", "agent_type": "Explore", "requests": 3, "total_input_tokens": 900,
             "final_context_tokens": 400, "peak_context_tokens": 500, "output_tokens": 7},
            {"session_id": S, "agent_id": "a2", "agent_type": "Explore", "requests": 1, "total_input_tokens": 100,
             "final_context_tokens": 100, "peak_context_tokens": 100, "output_tokens": 2, "returns": 1},
        )
    )  # fmt: skip
    report = agents.build(frames, NONE)
    assert agents.rows(frames, NONE)["agent_id"].to_list() == ["a1", "a2", None], "most input first, main is null"
    explore = report.extra["by_type"][0]
    assert (explore["agent_type"], explore["threads"], explore["requests"]) == ("Explore", 2, 4)
    assert (explore["total_input_tokens"], explore["peak_p50_tokens"], explore["peak_max_tokens"]) == (1000, 100, 500)
    assert "No return was seen of 1 agent." in report.notes


def test_returns_are_told_by_type_and_over_all() -> None:
    sizes = [("Explore", 100), ("Explore", 300), ("Plan", 900), (None, 1000)]
    frames = Frames(
        returns=frame("returns", *({"agent_type": kind, "est_tokens": n, "route": "inline"} for kind, n in sizes))
    )
    figures = returns.build(frames, Filters(over=800)).extra["quantiles"]
    # Four values 100 300 900 1000: p10 rank 1, p25 rank 1, p50 rank 2, p75 rank 3, p90 rank 4; above 800: 100 + 200.
    assert figures["overall"] == {
        "n": 4, "p10": 100, "p25": 100, "p50": 300, "p75": 900, "p90": 1000, "max": 1000, "total": 2300, "over": 300,
        "over_n": 2,
    }  # fmt: skip
    assert figures["by_type"]["Explore"]["p50"] == 100
    assert figures["by_type"]["(unknown)"]["n"] == 1


def test_reads_count_repeats_by_kind_and_file() -> None:
    rows = [
        {"path": "/a", "repeat": "none", "chars": 10, "avoidable_chars": 0},
        {"path": "/a", "repeat": "same", "chars": 10, "avoidable_chars": 10},
        {"path": "/a", "repeat": "overlap", "chars": 8, "avoidable_chars": 4, "agent_id": A},
        {"path": "/b", "repeat": "none", "chars": 5, "avoidable_chars": 0},
    ]
    report = reads.build(Frames(reads=frame("reads", *rows)), NONE)
    assert report.totals == {"reads": 4, "repeats": 2, "files": 2, "chars": 33, "avoidable_chars": 14}
    first = report.extra["by_file"][0]
    assert (first["path"], first["reads"], first["repeats"], first["main_repeats"]) == ("/a", 3, 2, 1)
    assert [row["repeat"] for row in report.extra["by_kind"]] == ["none", "same", "overlap"]


def test_tools_tell_what_each_put_into_main_and_everywhere() -> None:
    rows = [
        {"tool": "Read", "result_est_tokens": 10, "result_chars": 40},
        {"tool": "Read", "result_est_tokens": 30, "result_chars": 120, "agent_id": A},
        {"tool": "Bash", "result_est_tokens": 60, "result_chars": 240, "is_error": True, "denied": False},
        {"tool": "Bash", "result_est_tokens": None, "denied": True},
    ]
    report = tools.build(Frames(tool_calls=frame("tool_calls", *rows)), NONE)
    bash, read = report.rows.to_dicts()  # type: ignore[union-attr]
    assert (bash["tool"], bash["calls"], bash["errors"], bash["denied"], bash["result_share"]) == ("Bash", 2, 1, 1, 0.6)
    assert (read["result_est_tokens"], read["main_result_est_tokens"], read["p50"], read["max"]) == (40, 10, 10, 30)


def test_context_growth_is_the_mean_step_of_a_segment() -> None:
    sizes = [(0, 100), (0, 160), (0, 220), (1, 50)]
    rows = [request(step=i, segment=segment, context_tokens=n) for i, (segment, n) in enumerate(sizes)]
    first, second = context.rows(Frames(requests=frame("requests", *rows)), NONE).to_dicts()
    assert (first["first_context_tokens"], first["peak_context_tokens"], first["final_context_tokens"]) == (
        100,
        220,
        220,
    )
    assert first["growth_tokens"] == 60
    assert second["growth_tokens"] is None, "one request has no growth"


def test_compactions_and_their_totals() -> None:
    rows = [
        {"session_id": S, "ts": at(9), "trigger": "auto", "pre_tokens": 100, "post_tokens": 20},
        {"session_id": S, "ts": at(10), "trigger": "manual", "pre_tokens": 80, "post_tokens": None},
    ]
    report = compactions.build(Frames(compactions=frame("compactions", *rows)), NONE)
    assert report.totals == {"compactions": 2, "auto": 1, "manual": 1, "pre_tokens": 180, "post_tokens": 20}


def test_hooks_count_runs_failures_and_durations() -> None:
    base = {"kind": "hook", "name": "Stop", "command": "x.py"}
    rows = [base | {"outcome": "success", "duration_ms": ms} for ms in range(1, 21)]
    rows += [base | {"outcome": "error"}, {"kind": "denial", "name": "Stop"}]
    [row] = hooks.rows(Frames(events=frame("events", *rows)), NONE).to_dicts()
    assert (row["runs"], row["failures"], row["p50_ms"], row["p95_ms"]) == (21, 1, 10, 19)


def test_money_of_a_policy_report_is_shown_where_it_was_joined() -> None:
    frames = Frames(returns=frame("returns", {"agent_type": "Plan", "est_tokens": 5, "route": "inline"}))
    table = returns.rows(frames, NONE).with_columns(pl.lit(0.5).alias("carry_usd"))
    report = returns.build(frames, NONE, table)
    assert all(any(show.column == "carry_usd" for show in shown.show) for shown in report.tables[1:])
    bare = returns.build(frames, NONE)
    assert not any(show.column == "carry_usd" for shown in bare.tables for show in shown.show)


def test_every_report_of_nothing_has_no_rows_and_a_sentence() -> None:
    for module in (overview, sessions, agents, returns, reads, tools, context, compactions, models, days, hooks):
        report = module.build(Frames(), NONE)
        assert len(report.rows) == 0
        assert report.empty
