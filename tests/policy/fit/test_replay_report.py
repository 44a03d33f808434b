import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from measure.errors import UsageError
from measure.frames import Frames
from measure.reports.machine import jsonable
from measure.reports.model import Filters
from policy.outfile import check_picture
from policy.prices import load
from policy.reports import replay, replay_grid
from policy.reports.replay import Options

World = Callable[..., Frames]


@pytest.fixture
def options(now: dt.datetime) -> Options:
    return Options(sections={"returns": {"passTokens": 1000}}, environment={}, prices=load(), now=now)


def test_rows_state_n_and_types_add_up(world: World, options: Options) -> None:
    report = replay.build(world(), options, Filters())
    rows = json.loads(json.dumps(jsonable(report.rows), allow_nan=False))
    for feature in replay.FEATURES:
        own = [row for row in rows if row["feature"] == feature]
        total = next(row for row in own if row["agent_type"] is None)
        for key in ("n", "acted", "saved_usd", "saved_tokens"):
            assert sum(row[key] for row in own if row["agent_type"]) == pytest.approx(total[key])
        assert total["usd_interval"][0] <= total["saved_usd"] <= total["usd_interval"][1]
        assert total["share_low"] <= total["acted"] / total["n"] <= total["share_high"]


def test_listed_runs_are_the_ones_acted_on(world: World, options: Options) -> None:
    frames = world()
    report = replay.build(frames, replace(options, features=("returns",), list_runs=True), Filters())
    runs = report.extra["runs"]
    assert len(runs) == int((frames.returns["first_est_tokens"] > 1000).sum())
    assert sum(run["saved_usd"] for run in runs) == pytest.approx(report.rows[0]["saved_usd"])


def test_a_limit_above_everything_changes_nothing(world: World, options: Options) -> None:
    lax = {
        "returns": {"passTokens": 10**9, "fileTokens": 10**10},
        "context": {"maxTokens": 10**9},
        # Near the window nothing is held, so the window must be far as well.
        "compaction": {"windows": {"claude": 10**9}, "main": {"forceAt": 10**9}, "subagent": {"forceAt": 10**9}},
    }
    for row in replay.build(world(), replace(options, sections=lax), Filters()).rows:
        assert row["acted"] == 0
        assert row["saved_usd"] == pytest.approx(0)
        assert row["saved_tokens"] == pytest.approx(0)


def test_shortening_costs_no_request(world: World, options: Options) -> None:
    frames = world(main_requests=30)
    saved = {}
    for mode in ("announce", "block", "shorten"):
        sections = {"returns": {"passTokens": 1000, "mode": mode}}
        report = replay.build(frames, replace(options, sections=sections, features=("returns",)), Filters())
        saved[mode] = report.rows[0]["saved_usd"]
    assert saved["announce"] == 0
    assert saved["shorten"] > saved["block"]


def test_grid_goes_from_strict_to_lax(world: World, options: Options, tmp_path: Path) -> None:
    report, rows = replay_grid.build(world(), options)
    for feature in replay.FEATURES:
        shares = [row["acted_share"] for row in rows if row["feature"] == feature]
        assert shares == sorted(shares, reverse=True)
        assert shares[0] > shares[-1]
    assert report.extra["grid"] is True
    replay_grid.save(rows, tmp_path / "grid.svg")
    assert (tmp_path / "grid.svg").read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(UsageError, match=r"\.svg or \.png"):
        check_picture(tmp_path / "grid.gif")


def test_nothing_to_replay_is_said(options: Options, tmp_path: Path) -> None:
    report = replay.build(Frames(), options, Filters())
    assert report.rows == []
    assert len(report.lead) == 3
    _, rows = replay_grid.build(Frames(), options)
    assert rows == []
    replay_grid.save(rows, tmp_path / "empty.png")
