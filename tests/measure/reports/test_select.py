"""Filters: what passes, and that counts are taken again over what is left."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from measure.columns import schema
from measure.frames import Frames
from measure.reports.model import Filters
from measure.reports.select import select

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def frame(name: str, *rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema(name), orient="row")


def made() -> Frames:
    """Session s1 in /x/app: main (2 requests, a day apart) and an Explore agent; session s2 in /y/app.old: main."""
    main = {"session_id": "s1", "project": "/x/app"}
    agent = main | {"agent_id": "a1", "agent_type": "Explore"}
    other = {"session_id": "s2", "project": "/y/app.old"}
    return Frames(
        requests=frame(
            "requests",
            main | {"ts": NOON, "step": 0, "model": "opus-5", "output_tokens": 1, "context_tokens": 10},
            main
            | {"ts": NOON + timedelta(days=1), "step": 1, "model": "opus-5", "output_tokens": 2, "context_tokens": 20},
            agent | {"ts": NOON, "step": 0, "model": "haiku-5", "output_tokens": 4, "context_tokens": 30},
            other | {"ts": None, "step": 0, "model": "opus-5", "output_tokens": 8, "context_tokens": 40},
        ),
        agents=frame(
            "agents",
            main | {"requests": 2, "output_tokens": 3, "peak_context_tokens": 20, "started": NOON, "ended": NOON},
            agent | {"requests": 1, "output_tokens": 4, "peak_context_tokens": 30, "returns": 1},
            other | {"requests": 1, "output_tokens": 8, "peak_context_tokens": 40},
        ),
        returns=frame("returns", agent | {"ts": NOON, "est_tokens": 5}),
        sessions=frame("sessions", main | {"untracked_output_tokens": 7}, other),
    )


def outputs(frames: Frames) -> list[int]:
    return frames.requests["output_tokens"].to_list()


def test_no_filter_gives_the_same_frames() -> None:
    frames = made()
    assert select(frames, Filters(top=3, over=5, timezone="Asia/Tokyo")) is frames


def test_since_is_included_and_until_is_the_first_instant_left_out() -> None:
    assert outputs(select(made(), Filters(since=NOON, until=NOON + timedelta(seconds=1)))) == [1, 4]
    assert outputs(select(made(), Filters(until=NOON))) == []


def test_counts_are_taken_again_over_what_is_left() -> None:
    out = select(made(), Filters(since=NOON + timedelta(hours=1)))
    [main] = out.agents.to_dicts()
    assert (main["requests"], main["output_tokens"], main["first_context_tokens"], main["peak_context_tokens"]) == (
        1,
        2,
        20,
        20,
    )
    [session] = out.sessions.to_dicts()
    assert (session["requests"], session["agents"], session["output_tokens"]) == (1, 0, 2)
    assert session["untracked_output_tokens"] is None, "the client's total is that of the whole session"
    assert out.returns.height == 0


def test_a_project_is_its_path_or_its_last_folders() -> None:
    for name in ("/x/app", "app", "x/app", "/x/app/"):
        out = select(made(), Filters(projects=(name,)))
        assert outputs(out) == [1, 2, 4], name
        assert out.sessions["untracked_output_tokens"].to_list() == [7], "whole sessions keep their cross-check"
    assert outputs(select(made(), Filters(projects=("pp",)))) == []
    assert outputs(select(made(), Filters(projects=("app.old", "app")))) == [1, 2, 4, 8]


def test_a_session_by_the_beginning_of_its_id() -> None:
    assert outputs(select(made(), Filters(sessions=("s2",)))) == [8]
    assert select(made(), Filters(sessions=("s",))).sessions.height == 2


def test_main_is_an_agent_type_of_its_own() -> None:
    assert outputs(select(made(), Filters(agent_types=("main",)))) == [1, 2, 8]
    assert outputs(select(made(), Filters(agent_types=("Explore",)))) == [4]
    assert outputs(select(made(), Filters(agent_types=("main", "Explore")))) == [1, 2, 4, 8]


def test_a_model_keeps_its_requests_and_the_rows_of_its_threads() -> None:
    out = select(made(), Filters(models=("HAIKU",)))
    assert outputs(out) == [4]
    assert out.returns.height == 1
    assert out.agents["agent_id"].to_list() == ["a1"]
    assert select(made(), Filters(models=("opus",))).returns.height == 0


def test_every_frame_keeps_its_schema() -> None:
    out = select(
        made(), Filters(sessions=("nothing",), since=NOON, models=("x",), agent_types=("main",), projects=("p",))
    )
    for name in ("requests", "agents", "returns", "tool_calls", "reads", "compactions", "events", "sessions"):
        assert getattr(out, name).schema == schema(name), name
        assert getattr(out, name).height == 0
