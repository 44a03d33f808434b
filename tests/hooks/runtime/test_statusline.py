"""The status line: the context of the transcript, the window and the cost that the client sends."""

import json
from pathlib import Path
from typing import Any

import pytest

from hooks.runtime.statusline import short, text


@pytest.fixture
def event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "home"))
    body = {"id": "m", "model": "claude-opus-5-5", "usage": {"input_tokens": 2, "cache_read_input_tokens": 52_398}}
    (tmp_path / "s.jsonl").write_text(json.dumps({"type": "assistant", "message": body}) + "\n")
    return {
        "transcript_path": str(tmp_path / "s.jsonl"),
        "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
        "cost": {"total_cost_usd": 0.2753},
        "context_window": {"context_window_size": 1_000_000},
    }


def line(event: dict[str, Any]) -> str:
    return text(json.dumps(event).encode())


def test_all_figures_in_one_line(event: dict[str, Any]) -> None:
    assert line(event) == "Opus 5.5 | context 52k of 1.0M (5%) | client compacts at 967k | $0.28"


def test_our_policy_says_where_it_compacts(event: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    config = {"compaction": {"enabled": True, "main": {"forceAt": "60%"}}}
    (tmp_path / ".claude" / "setpoint.json").write_text(json.dumps(config))
    assert "compacts at 600k" in line(event)


def test_what_is_unknown_is_left_out(event: dict[str, Any]) -> None:
    assert line({"transcript_path": "/nowhere"}) == "context ? of 200k | client compacts at 167k"
    del event["cost"]
    assert "$" not in line(event)


def test_disabled_it_says_nothing(event: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "setpoint.json").write_text('{"statusline": {"enabled": false}}')
    assert line(event) == ""


def test_sizes_are_short() -> None:
    assert [short(n) for n in (999, 1000, 52_400, 999_499, 999_500, 1_000_000)] == [
        "999",
        "1k",
        "52k",
        "999k",
        "1.0M",
        "1.0M",
    ]
