"""The forms for programs: the JSON contract, CSV, export."""

import csv
import io
import json
import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure import cli
from measure.columns import FRAMES, schema
from measure.frames import load
from measure.reports import REPORTS
from measure.reports.machine import as_csv, as_json, jsonable, written
from measure.reports.model import Filters, Report, Source

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "data" / "transcripts"
ENVELOPE = ["schema_version", "report", "filters", "totals", "rows", "files", "records", "horizon"]
RECORDS = {"read", "used", "bookkeeping", "unknown", "damaged"}
SOURCE = Source(1, (("/x", "why"),), dict.fromkeys(RECORDS, 0), {"days": 30, "is_default": True, "oldest": None})


@pytest.fixture(autouse=True)
def no_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def output(capfd: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert cli.run(["report", *arguments, "--json", str(SAMPLE)]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def test_every_report_has_the_same_envelope(capfd: pytest.CaptureFixture[str]) -> None:
    names = [entry.name for entry in cli.reports() if not entry.separate]
    found = output(capfd, *names)
    assert found["schema_version"] == 1
    assert [report["report"] for report in found["reports"]] == names
    for report in found["reports"]:
        assert list(report)[: len(ENVELOPE)] == ENVELOPE, report["report"]
        assert set(report["records"]) == RECORDS
        assert set(report["files"]) == {"read", "skipped"}
        assert {"days", "is_default", "oldest"} <= set(report["horizon"])


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.datetimes()
KEYS = st.text() | st.none() | st.integers() | st.booleans()


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)), st.booleans())
def test_reports_are_written_as_json_with_an_indent_writes_them(value: Any, ascii_only: bool) -> None:
    plain = json.dumps(jsonable(value), ensure_ascii=ascii_only, allow_nan=False, indent=2)
    assert written(value, ascii_only=ascii_only) == plain


def test_the_overview_keeps_its_contract(capfd: pytest.CaptureFixture[str]) -> None:
    found = output(capfd, "overview")
    kinds = ["input", "cache_read", "cache_write", "cache_write_5m", "cache_write_1h", "output"]
    wanted = {"requests", "output_lower_bound_requests"} | {f"{kind}_tokens" for kind in kinds}
    assert wanted <= set(found["totals"])
    assert all(type(found["totals"][name]) is int for name in wanted)
    assert sum(row["requests"] for row in found["by_model"]) == found["totals"]["requests"]
    records = found["records"]
    assert records["read"] == sum(records[kind] for kind in RECORDS - {"read"})
    assert {"path", "reason"} == set(found["files"]["skipped"][0])


@pytest.mark.parametrize("name", ["agents", "returns", "reads", "compactions", "sessions"])
def test_rows_have_the_columns_of_the_frame(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    rows = output(capfd, name)["rows"]
    assert rows
    declared = {column.name: column.dtype for column in FRAMES[name]}
    assert set(declared) <= set(rows[0])
    for row in rows[:50]:
        for column, dtype in declared.items():
            value = row[column]
            if value is not None and dtype == "Int64":
                assert type(value) is int, column
            if value is not None and dtype == "Datetime":
                assert value.endswith("Z"), column
                datetime.fromisoformat(value)


def test_agents_include_the_main_threads(capfd: pytest.CaptureFixture[str]) -> None:
    rows = output(capfd, "agents")["rows"]
    assert sum(row["agent_id"] is None for row in rows) == 14


def test_returns_have_quantiles(capfd: pytest.CaptureFixture[str]) -> None:
    found = output(capfd, "returns", "--over", "1000")
    wanted = {"n", "p10", "p25", "p50", "p75", "p90", "max", "total", "over"}
    assert wanted <= set(found["quantiles"]["overall"])
    assert all(wanted <= set(values) for values in found["quantiles"]["by_type"].values())
    assert sum(values["n"] for values in found["quantiles"]["by_type"].values()) == len(found["rows"])
    assert found["filters"]["over"] == 1000


def test_top_cuts_the_rows_and_not_the_totals(capfd: pytest.CaptureFixture[str]) -> None:
    whole, cut = output(capfd, "agents"), output(capfd, "agents", "--top", "3")
    assert len(cut["rows"]) == 3
    assert cut["totals"] == whole["totals"]


def test_what_json_cannot_hold_is_null_or_text() -> None:
    made = jsonable(
        {"a": float("nan"), "b": [float("inf"), date(2026, 11, 30)], "c": datetime(2026, 11, 30, tzinfo=UTC)}
    )
    assert made == {"a": None, "b": [None, "2026-11-30"], "c": "2026-11-30T00:00:00Z"}


def test_sample_is_a_key_only_where_it_is_one() -> None:
    report = Report("models", "", [], [])
    assert "sample" not in json.loads(as_json([report], Filters(), SOURCE))
    sample = Source(1, (), {}, {}, sample=True)
    assert json.loads(as_json([report], Filters(), sample))["sample"] is True


def test_csv_has_a_header_and_empty_unknowns() -> None:
    rows = pl.DataFrame({"a": [1, None], "b": ["x,y", 'q"'], "ts": [datetime(2026, 11, 30, tzinfo=UTC), None]})
    read = list(csv.reader(io.StringIO(as_csv(Report("r", "", rows, [])))))
    assert read == [["a", "b", "ts"], ["1", "x,y", "2026-11-30T00:00:00Z"], ["", 'q"', ""]]


def test_csv_of_nothing_is_its_header() -> None:
    empty = pl.DataFrame(schema=schema("returns"))
    assert as_csv(Report("r", "", empty, [])).startswith("session_id,agent_id,")


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_export_writes_every_frame(form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "new" / "folder"
    assert cli.run(["export", "--to", str(target), "--format", form, str(SAMPLE)]) == 0
    assert {path.name for path in target.iterdir()} == {f"{name}.{form}" for name in FRAMES}
    assert str(target) in capfd.readouterr().out.replace("\n", "")
    frames = load([SAMPLE])
    for name in FRAMES:
        path = target / f"{name}.{form}"
        if form == "parquet":
            assert pl.read_parquet(path).equals(frames.frame(name))
        elif form == "csv":
            assert pl.read_csv(path, infer_schema=False).columns == frames.frame(name).columns
        else:
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            assert len(lines) == frames.frame(name).height


def test_export_of_nothing_says_so_and_still_writes_every_schema(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert cli.run(["export", "--to", str(tmp_path / "x"), str(empty)]) == 0
    assert capsys.readouterr().err == f"setpoint: No transcripts found in {empty}. The frames are empty.\n"
    for name in FRAMES:
        assert pl.read_parquet(tmp_path / "x" / f"{name}.parquet").schema == schema(name)


def test_every_report_module_follows_the_protocol() -> None:
    for entry in REPORTS:
        module, _, function = entry.target.partition(":")
        assert module == f"measure.reports.{entry.name}"
        assert function == "build"
        assert entry.help.endswith(".")


@pytest.mark.parametrize("below", ["", "deeper"])
def test_export_to_a_file_says_that_it_is_no_folder(
    below: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "frames"
    taken.write_text("mine")
    assert cli.run(["export", "--to", str(taken / below), str(SAMPLE)]) == 1
    err = capfd.readouterr().err
    assert err == f"setpoint: cannot write to {taken / below}: {taken if below else 'it'} is no folder.\n"
    assert taken.read_text() == "mine"


def test_export_to_a_folder_that_is_not_writable_says_so_before_reading(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda _, mode, **__: not mode & os.W_OK)  # root may write everywhere
    assert cli.run(["export", "--to", str(tmp_path / "new"), str(SAMPLE)]) == 1
    assert capfd.readouterr().err == f"setpoint: cannot write to {tmp_path / 'new'}: permission denied.\n"


def test_nothing_is_exported_among_the_transcripts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.jsonl").write_text("{}\n")
    for command in (["export", "--to", str(tmp_path / "x")], ["replay", "--grid", "--out", str(tmp_path / "x.svg")]):
        assert cli.run([*command, str(tmp_path)]) == 2
        assert "nothing is ever written there" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]
