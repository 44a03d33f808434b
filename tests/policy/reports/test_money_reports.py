"""Reports with money, from files to text and JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from made_transcripts import agent, assistant, session, usage, user

from measure.cli import run
from policy.reports import REPORTS

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "data" / "transcripts"
MONEY = ("cost", "weeks", "months", "blocks", "sessions", "agents", "models", "days", "projects")


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Two priced requests, one of an unknown model, one with writes of unknown life."""
    unknown = {"cache_creation": {}}
    session(
        tmp_path,
        [
            user(0),
            assistant(1, "m1", request="r1", usage=usage(10, 20, 1_000, 100)),
            assistant(2, "m2", request="r2", model="mystery-9", usage=usage(10, 20, 300, 0)),
            assistant(3, "m3", request="r3", usage=usage(0, 0, 0, 2_000) | unknown),
        ],
    )
    agent(tmp_path, [assistant(4, "m4", request="r4", model="claude-haiku-5-5", usage=usage(0, 0, 100_001, 0))])
    return tmp_path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert run([*map(str, arguments), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_json_contract_of_cost(mixed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "report", "cost", mixed)
    opus = (10 * 4 + 20 * 20 + 1_000 * 0.2 + 100 * 5 + 2_000 * 5) / 1e6
    haiku = 100_001 * 0.05 / 1e6
    assert found["schema_version"] == 1
    assert found["total_usd"] == pytest.approx(opus + haiku)
    assert sum(found["by_kind"].values()) == pytest.approx(found["total_usd"])
    assert found["by_kind"]["cache_write_unknown"] == pytest.approx(0.01)
    assert [(row["model"], row["requests"]) for row in found["by_model"]] == [
        ("claude-opus-5-5", 2),
        ("claude-haiku-5-5", 1),
        ("mystery-9", 1),
    ]
    assert found["by_model"][2]["usd"] is None
    assert found["by_thread_kind"]["main"] == pytest.approx(opus)
    assert sum(found["by_thread_kind"].values()) == pytest.approx(found["total_usd"])
    assert found["unpriced"] == [
        {"model": "mystery-9", "reason": "model not in the price table", "requests": 1, "tokens": 330}
    ]
    assert found["flagged"]["requests"] == 1
    assert found["flagged"]["tokens"] == 2_000
    assert found["flagged"]["upper_bound_usd"] == pytest.approx(0.016)
    assert (found["prices"]["source"], found["prices"]["version"]) == ("genai-prices", "0.2.3")
    assert found["prices"]["date"].startswith("2026-")
    assert {"report", "filters", "totals", "rows", "files", "records", "horizon"} <= set(found)


def test_every_report_and_every_grouping_adds_up_to_the_same_total(capsys: pytest.CaptureFixture[str]) -> None:
    reports = {found["report"]: found for found in as_json(capsys, "report", *MONEY, SAMPLE)["reports"]}
    whole = reports["cost"]
    for name, found in reports.items():
        column = "usd" if name in ("cost", "weeks", "months", "blocks") else "cost_usd"
        assert found["total_usd"] == pytest.approx(whole["total_usd"], rel=1e-12)
        assert sum(row[column] or 0 for row in found["rows"]) == pytest.approx(whole["total_usd"], rel=1e-12)
    for key in ("by_kind", "by_thread_kind"):
        assert sum(value or 0 for value in whole[key].values()) == pytest.approx(whole["total_usd"], rel=1e-12)
    for key in ("by_model", "by_project", "by_day"):
        assert sum(row["usd"] or 0 for row in whole[key]) == pytest.approx(whole["total_usd"], rel=1e-12)


def test_an_unknown_model_is_named_with_its_tokens_and_exit_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session(tmp_path, [user(0), assistant(1, model="mystery-9", usage=usage(10, 20, 300, 0))])
    assert run(["report", "cost", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    text = " ".join(out.split())
    assert err == ""
    assert "No price: 1 request with 330 tokens of mystery-9 (model not in the price table)." in text
    assert "No price for any of 1 request" in text
    found = as_json(capsys, "report", "cost", tmp_path)
    assert found["total_usd"] is None
    assert set(found["by_kind"].values()) == {None}
    assert found["totals"]["requests"] == 1
    assert found["totals"]["input_tokens"] == 10


def test_own_prices_are_in_force_and_said(mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[[price]]\nmodel = "mystery-9"\ninput = 1\noutput = 2\nread = 3\nwrite_5m = 4\nwrite_1h = 5\n')
    found = as_json(capsys, "report", "cost", mixed, "--prices", file)
    assert found["unpriced"] == []
    assert found["prices"]["overrides"] == ["mystery-9"]
    by_model = {row["model"]: row["usd"] for row in found["by_model"]}
    assert by_model["mystery-9"] == pytest.approx((10 * 1 + 20 * 2 + 300 * 3) / 1e6)


@pytest.mark.parametrize("command", [["report", "cost"], ["prices"]])
def test_a_bad_price_file_is_one_sentence(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text("[[price]\n")
    places = [str(SAMPLE)] if command[0] == "report" else []
    assert run([*command, *places, "--prices", str(file)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert str(file) in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("form", ["--markdown", "--json", "--csv", "--top=3"])
def test_no_transcript_and_an_empty_one_are_no_error(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    session(tmp_path, [user(0)])
    names = [entry.name for entry in REPORTS if not entry.separate]
    for chosen in [[name] for name in names] if form == "--csv" else [names]:
        assert run(["report", *chosen, str(tmp_path), form]) == 0
        assert capsys.readouterr().err == ""


def test_returns_reads_and_tools_say_what_they_cost(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("returns", "reads", "tools"):
        found = as_json(capsys, "report", name, SAMPLE)
        assert found["totals"]["carry_usd"] > 0
        assert found["totals"]["carry_usd"] == pytest.approx(sum(row["carry_usd"] or 0 for row in found["rows"]))
        assert found["calibration"][0]["chars_per_token"] > 0
    costs = [row["carry_usd"] for row in found["rows"]]
    assert costs == sorted(costs, reverse=True)


def test_a_filter_by_agent_type_does_not_lose_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    """A return is carried by the thread that received it, which such a filter leaves out."""
    whole = as_json(capsys, "report", "returns", SAMPLE)
    some = as_json(capsys, "report", "returns", SAMPLE, "--agent-type", "Explore")
    expected = [row["carry_usd"] for row in whole["rows"] if row["agent_type"] == "Explore"]
    assert [row["carry_usd"] for row in some["rows"]] == pytest.approx(expected)


def test_the_prices_in_force_are_listed_with_date_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prices", "--model", "haiku-5-5"]) == 0
    out, _ = capsys.readouterr()
    assert "genai-prices 0.2.3" in out
    assert "100.0k" in out
    assert "0.125" in out, "no price is rounded"
    rows = as_json(capsys, "prices", "--model", "opus-4-6")["rows"]
    assert [row["valid_from"] for row in rows] == ["2026-03-13"]
    rows = as_json(capsys, "prices", "--model", "opus-4-6", "--all")["rows"]
    assert [(row["valid_from"], row["tier_start"]) for row in rows] == [(None, 0), (None, 200_000), ("2026-03-13", 0)]


def test_two_places_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = SAMPLE / "-home-user-harbor", SAMPLE / "-home-user-orchard"
    found = as_json(capsys, "report", "compare", a, b)
    rows = {row["measure"]: row for row in found["rows"]}
    assert rows["cost_usd"]["a"] == pytest.approx(found["a"]["total_usd"])
    assert rows["request_usd"]["low"] < rows["request_usd"]["change"] < rows["request_usd"]["high"]
    assert run(["report", "compare", str(a), str(b)]) == 0
    out, _ = capsys.readouterr()
    assert "95 % interval" in out
    same = as_json(capsys, "report", "compare", a, a)
    assert {row["difference"] for row in same["rows"]} == {0}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_compare_needs_two_places(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "compare", *[str(SAMPLE)] * count]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "compare needs two places" in err


def test_compare_with_an_empty_side_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session(tmp_path, [user(0)])
    assert run(["report", "compare", str(tmp_path), str(SAMPLE)]) == 0
    assert "Nothing to compare: A holds 0 sessions" in capsys.readouterr().out
    assert as_json(capsys, "report", "compare", tmp_path, SAMPLE)["rows"] == []


def test_a_window_does_not_turn_its_first_request_into_a_rebuild(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    warm = [assistant(1, "m1", request="r1", usage=usage(3, 20, 0, 50_000))]
    warm += [assistant(90_000, "m2", request="r2", usage=usage(3, 20, 47_000, 3_500), timestamp="2026-11-03T09:00:00Z")]
    session(tmp_path, [user(0), *warm])
    whole = as_json(capsys, "report", "cost", tmp_path)
    later = as_json(capsys, "report", "cost", tmp_path, "--since", "2026-11-03", "--timezone", "UTC")
    assert [row["reason"] for row in whole["rebuilds"]] == ["first request"]
    assert later["totals"]["requests"] == 1
    assert later["rebuilds"] == []


def test_a_tiny_cost_keeps_two_digits_for_people_and_all_of_them_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session(tmp_path, [user(0), assistant(1, usage=usage(1, 0, 0, 0))])  # one input token at $4 a million
    assert run(["report", "cost", "weeks", "months", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "0.0000040" in text
    assert "0.0000 " not in text
    assert as_json(capsys, "report", "cost", tmp_path)["total_usd"] == pytest.approx(4e-6, rel=1e-12)


def test_a_kind_that_no_record_counts_is_unknown_not_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session(tmp_path, [user(0), assistant(1, usage=usage(1, 0, 0, 0))])  # its usage says nothing of web searches
    assert run(["report", "cost", str(tmp_path)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("web searches"))
    assert line.split()[2:] == ["-", "-", "-"]
