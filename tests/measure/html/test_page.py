"""The page: self-contained, small, safe against the names it shows, and with the cells of the reports."""

import base64
import hashlib
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from made_frames import frame, made

from measure.html.curves import curves
from measure.html.page import Page, asset, render
from measure.html.tables import grid, head_lines, section, source_lines
from measure.plots.marks import Mark
from measure.reports.model import Report, Source, Table, shows
from measure.reports.render import lines_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def page(**parts: object) -> Page:
    empty: dict[str, object] = {"title": "setpoint report", "made": NOW, "zone": "UTC", "lead": [], "figures": []}
    empty |= {"sections": [], "curves": [], "curves_note": "", "days": None, "source": []}
    return Page(**(empty | parts))  # type: ignore[arg-type]


def data(html: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def ten_thousand() -> str:
    frames = made(4, 30, 140)
    requests = frames["requests"].head(10_000)
    assert requests.height == 10_000
    agents = Table("", frames["agents"], shows("session_id", "agent_type", "requests", "started"))
    sessions, _ = curves(requests.with_columns(usd=0.0123456789), frames["compactions"])
    report = Report("agents", "Agents", frames["agents"], [agents])
    return render(page(curves=sessions, sections=[section(report, "UTC")]))


def test_ten_thousand_requests_stay_below_three_megabytes(ten_thousand: str) -> None:
    assert len(ten_thousand.encode()) < 3_000_000


def test_nothing_on_the_page_points_elsewhere(ten_thousand: str) -> None:
    assert set(re.findall(r"https?://[^\s\"')]+", ten_thousand)) <= {"https://github.com/leeoniya/uPlot"}  # a comment
    assert not re.search(r"<(script|img|iframe|object|embed)[^>]*\bsrc=", ten_thousand)
    assert re.findall(r"<link[^>]*>", ten_thousand) == ['<link rel="icon" href="data:,">']
    assert "@import" not in ten_thousand
    assert "url(" not in ten_thousand


def test_the_content_policy_allows_exactly_the_scripts_of_the_page(ten_thousand: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', ten_thousand)
    assert policy
    scripts = re.findall(r"<script>(.*?)</script>", ten_thousand, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert re.findall(r"sha256-([^&']*)", policy[1]) == hashes
    assert policy[1].startswith("default-src &#39;none&#39;")


def test_names_cannot_become_markup() -> None:
    evil = "</script><script>alert(1)</script>"
    rows = [{"session_id": "s", "agent_id": "a", "agent_type": evil, "step": 0, "ts": NOW, "context_tokens": 5}]
    report = Report("agents", evil, rows, [Table(evil, rows, shows("agent_type"))], lead=[evil], notes=[evil])
    sessions, _ = curves(frame("requests", rows), frame("compactions", []))
    html = render(page(curves=sessions, sections=[section(report, "UTC")], source=[evil], figures=[(evil, evil)]))
    assert "alert(1)</script>" not in html
    assert data(html)["sessions"][0]["threads"][0]["name"] == evil  # type: ignore[index]


def test_unknown_values_stay_unknown() -> None:
    rows = [{"session_id": "s", "step": 0, "context_tokens": 5, "cache_read_tokens": None}]
    (session,), left_out = curves(frame("requests", rows), frame("compactions", []))
    (thread,) = session["threads"]
    assert (thread["read"], thread["at"], session["started"], left_out) == ([None], [None], None, 0)
    assert "usd" not in thread


def test_compactions_stand_after_the_request_they_followed() -> None:
    rows = [
        {"session_id": "s", "step": step, "context_tokens": tokens, "segment": segment}
        for step, tokens, segment in ((0, 10, 0), (1, 20, 0), (2, 5, 1))
    ]
    cuts = frame("compactions", [{"session_id": "s", "segment": 0}])
    (session,), _ = curves(frame("requests", rows), cuts, lambda *_: [Mark(100, "bound")])
    (thread,) = session["threads"]
    assert (thread["step"], thread["context"], thread["compacted"]) == ([1, 2, 3], [10, 20, 5], [2])
    assert thread["marks"] == [[100, "bound", 1]]


def test_main_comes_first_and_sessions_newest_first() -> None:
    frames = made(3, 2, 3)
    sessions, left_out = curves(frames["requests"], frames["compactions"])
    assert [session["id"] for session in sessions] == ["00000002", "00000001", "00000000"]
    assert sessions[0]["threads"][0]["name"] == "main"
    assert left_out == 0


def test_the_newest_session_is_kept_however_large_and_the_rest_is_counted() -> None:
    frames = made(3, 2, 30)
    sessions, left_out = curves(frames["requests"], frames["compactions"], most=10)
    assert [session["id"] for session in sessions] == ["00000002"]
    assert left_out == 2


def test_tables_show_what_the_terminal_shows() -> None:
    rows = [{"agent_type": "Plan", "requests": 12_345, "peak_tokens": 150_000, "cost_usd": 1.5, "started": NOW}]
    table = Table("Agents", rows, shows(*rows[0]), {"requests": 12_345})
    shown = grid(table, ZoneInfo("UTC"))
    _, texts, last = lines_of(table, ZoneInfo("UTC"))
    assert [[cell.text for cell in row] for row in shown.rows] == texts
    assert shown.last == last
    assert [cell.value for cell in shown.rows[0]] == ["Plan", 12_345, 150_000, 1.5, "2026-11-30T12:00:00+00:00"]


def test_paths_lose_the_folders_above_their_project() -> None:
    rows = [{"path": "/home/someone/p/src/a.py", "project": "/home/someone/p", "file": "/home/someone/x/y.jsonl"}]
    shown = grid(Table("", rows, shows("path", "project", "file")), ZoneInfo("UTC"))
    assert [cell.text for cell in shown.rows[0]] == ["src/a.py", "p", "x/y.jsonl"]


def test_the_foot_names_no_file() -> None:
    records = {"read": 3, "used": 2, "bookkeeping": 0, "unknown": 0, "damaged": 1}
    notes = ("Damaged: /home/someone/x.jsonl, 1 lines.", "Damaged: C:\\someone\\x.jsonl.", "Horizon: 30 days.")
    lines = source_lines(Source(1, (("/home/someone/x", "empty"), ("/home/someone/y", "empty")), records, {}, notes))
    assert lines[1:] == ["Skipped 2: empty.", "Horizon: 30 days."]
    assert "1 damaged" in lines[0]


def test_the_sample_is_named_as_such_and_an_empty_place_without_its_path() -> None:
    records = dict.fromkeys(("read", "used", "bookkeeping", "unknown", "damaged"), 1)
    assert "bundled sample" in " ".join(head_lines(Source(1, (), records, {}, sample=True)))
    assert head_lines(Source(1, (), records, {})) == []
    assert head_lines(Source(0, (("/home/someone", "missing"),), records, {})) == ["No transcripts were found."]


def test_vendored_library_is_the_pinned_one_with_its_licence() -> None:
    script = Path(__file__).parents[3] / "scripts" / "vendor_uplot.py"
    version = re.search(r'VERSION = "([^"]+)"', script.read_text(encoding="utf-8"))
    assert version
    assert f"(v{version[1]})" in asset("vendor/uPlot.iife.min.js")[:100]
    assert "Permission is hereby granted" in asset("vendor/uPlot.LICENSE")
