import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from measure.frames import Frames
from measure.reports.machine import jsonable
from policy.fit import FITS
from policy.fit.inputs import priced, valued
from policy.fit.options import Fitted, Options
from policy.limits import InForce
from policy.prices import load
from policy.reports import fit_cache, fit_compaction, fit_context, fit_returns

World = Callable[..., Frames]


@pytest.fixture
def options(now: dt.datetime) -> Options:
    return Options(prices=load(), force=InForce({}, {}), now=now)


def fit(module: Any, frames: Frames, options: Options) -> Fitted:
    fitted: Fitted = module.build(priced(frames, options.prices, options.now), options)
    return fitted


def as_json(fitted: Fitted) -> dict[str, Any]:
    report = fitted.report
    text = json.dumps(jsonable({"rows": report.rows, "totals": report.totals, **report.extra}), allow_nan=False)
    return dict(json.loads(text))


def test_every_printed_limit_states_its_n(world: World, options: Options) -> None:
    frames = world()
    for module in (fit_returns, fit_context, fit_compaction, fit_cache):
        rows = as_json(fit(module, frames, options))["rows"]
        assert rows
        for row in rows:
            assert isinstance(row["n"], int)
            assert row["sessions"] >= 1
            assert row["n"] > 0


@pytest.mark.parametrize("entry", FITS, ids=lambda entry: entry.name)
def test_nothing_read_is_a_report_without_limits(entry: Any, options: Options) -> None:
    from measure.lazy import resolve

    fitted = resolve(entry.target)(priced(Frames(), options.prices, options.now), options)
    assert all(limit.value is None for limit in fitted.limits)
    as_json(fitted)


def test_returns_by_percentile_hold_limits_intervals_and_the_dollar_verdict(world: World, options: Options) -> None:
    fitted = fit(fit_returns, world(main_requests=12), options)
    overall = {x.key: x for x in fitted.limits if x.agent_type is None}
    assert overall["passTokens"].value is not None
    assert overall["passTokens"].low is not None
    assert {x.agent_type for x in fitted.limits} == {None, "Explore", "Plan", "general-purpose", "reviewer"}
    assert "would not have paid in dollars" in fitted.report.lead[0]
    assert "--objective context" in fitted.report.lead[0]
    assert as_json(fitted)["cost"]["validated_usd"] <= 0


def test_returns_name_what_each_mode_would_have_done_and_which_to_take(world: World, options: Options) -> None:
    fitted = as_json(fit(fit_returns, world(main_requests=12), options))
    by_mode = {row["mode"]: row for row in fitted["modes"]}
    assert set(by_mode) == {"announce", "block", "shorten"}
    assert by_mode["announce"]["saved_usd"] == 0
    assert by_mode["block"]["saved_usd"] < by_mode["shorten"]["saved_usd"]
    assert all(row["n"] == fitted["totals"]["valued"] for row in by_mode.values())
    assert fitted["recommended"] == "shorten"


def test_long_sessions_make_blocking_pay(world: World, options: Options) -> None:
    frames = world(sessions=12, main_requests=900, agents=8, agent_requests=5)
    fitted = fit(fit_returns, frames, replace(options, method="cost"))
    assert fitted.report.lead[0].startswith("Limits chosen for dollars (--method cost: announce ")
    found = {x.key: x for x in fitted.limits}
    assert set(found) == {"passTokens", "fileTokens", "slackTokens"}
    assert found["slackTokens"].value is not None
    assert int(found["slackTokens"].value) > 0
    assert found["passTokens"].low is not None
    facts = as_json(fitted)["cost"]
    assert facts["validated_usd"] <= facts["in_sample_usd"]
    assert facts["lost_below_usd"] < 0


def test_context_objective_blocks_no_more_than_asked(world: World, options: Options) -> None:
    frames = world()
    fitted = fit(fit_returns, frames, replace(options, method="cost", objective="context", max_blocked=0.1))
    limit = next(x for x in fitted.limits if x.key == "passTokens")
    sizes = frames.returns["first_est_tokens"]
    assert limit.estimate is not None
    assert (sizes > limit.estimate).mean() <= 0.1
    assert "kept out of the callers' contexts" in fitted.report.lead[1]


def test_open_sessions_stay_out_of_the_dollars(world: World, options: Options) -> None:
    frames = world()
    at = dt.datetime(2026, 11, 20, 13, tzinfo=dt.UTC)
    fitted = fit(fit_returns, frames, replace(options, now=at))
    assert fitted.report.totals["valued"] < fitted.report.totals["returns"]
    assert any("open session" in note for note in fitted.report.notes)


def test_a_price_step_keeps_haiku_below_it(world: World, options: Options) -> None:
    frames = world(sessions=30, agent_requests=60, model="claude-haiku-5-5")
    fitted = fit(fit_context, frames, options)
    haiku = next(x for x in fitted.limits if x.model == "claude-haiku-5-5")
    assert haiku.extra["price_step"] == 100_000
    assert haiku.extra["crossings"] > 0
    assert haiku.value is not None
    assert int(haiku.value) < 100_000


def test_context_fit_says_who_would_have_been_stopped(world: World, options: Options) -> None:
    data = as_json(fit(fit_context, world(sessions=30, agent_requests=60), options))
    row = data["rows"][0]
    assert row["limit"] == "context.maxTokens"
    assert 0 <= row["would_stop_low"] <= row["would_stop_share"] <= row["would_stop_high"] <= 1
    assert row["saved_low"] <= row["saved_usd"] <= row["saved_high"]
    assert any(r["key"] == "maxTurns" for r in data["rows"])


def test_compaction_fit_stays_off_the_base_and_inside_the_window(world: World, options: Options) -> None:
    fitted = fit(fit_compaction, world(sessions=12, main_requests=400), options)
    facts = next(p for p in as_json(fitted)["parties"] if p["party"] == "main")
    force = next(x for x in fitted.limits if x.key == "forceAt" and x.agent_type is None)
    assert force.value is not None
    assert facts["base"] + facts["room"] <= float(force.value) <= facts["window"] - 33_000
    assert facts["range"][0] <= float(force.estimate or 0) <= facts["range"][1]
    assert facts["best_usd"] <= facts["today_usd"]


def test_short_threads_get_no_compaction_point(world: World, options: Options) -> None:
    fitted = fit(fit_compaction, world(main_requests=12, agent_requests=5), options)
    assert [x.value for x in fitted.limits] == [None] * len(fitted.limits)
    assert all("1.41 n*" in x.why for x in fitted.limits)


def test_cache_fit_prices_both_lives(world: World, options: Options) -> None:
    rows = as_json(fit(fit_cache, world(), options))["rows"]
    found = {(row["setting"], row["value"]): row for row in rows}
    # Every gap is 20 s: five minutes is what was paid, an hour only costs more.
    assert found["promptCacheTtl", "5m"]["saved_usd"] == pytest.approx(0)
    assert found["promptCacheTtl", "1h"]["saved_usd"] < 0
    assert found["subagentPromptCacheTtl", "1h"]["interval"][1] < 0


def test_a_segment_that_an_automatic_compaction_ended_is_priced_by_its_shadow(world: World, options: Options) -> None:
    frames = world(sessions=12, main_requests=900, agents=8, agent_requests=5)
    schema = frames.compactions.schema
    row = {"session_id": "s000", "trigger": "auto", "segment": 0, "requests_since_last": 140}
    row |= {"pre_tokens": 120_000, "post_tokens": 20_000}
    made = pl.DataFrame([{name: row.get(name) for name in schema} for row in [row]], schema=schema)
    rows = valued(priced(replace(frames, compactions=made), options.prices, options.now))
    hit = rows.filter(pl.col("shadow").is_not_null())
    assert set(hit["session_id"]) == {"s000"}
    first = hit.row(0, named=True)
    # w + r (R_rem - n/2) + K/(T - b), K = 2,000 tokens of summary and the base written again.
    k = 2_000 * 20e-6 + 20_000 * 5e-6
    assert first["shadow"] == pytest.approx(5e-6 + 0.2e-6 * (first["later"] - 70) + k / 100_000)
    assert rows.filter(pl.col("session_id") != "s000")["shadow"].is_null().all()
