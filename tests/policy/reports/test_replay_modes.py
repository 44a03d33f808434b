"""Which mode to take: surely better ones only, and block where the data say too little."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from measure.errors import UsageError
from policy import asked
from policy.reports.replay_modes import recommend


def mode(name: str, saved: float, interval: list[float] | None, over: list[float] | None = None, **more: Any) -> Any:
    base = {"mode": name, "n": 100, "sessions": 20, "saved_usd": saved, "usd_interval": interval}
    return {**base, "usd_over_block": over, **more}


ROOT = Path(__file__).resolve().parents[3]
ANNOUNCE = mode("announce", 0.0, [0.0, 0.0], [-1.0, 3.0])


@pytest.mark.parametrize(
    ("rows", "taken"),
    [
        ([], "block"),
        ([ANNOUNCE, mode("block", -3.0, [-5.0, -1.0]), mode("shorten", 2.0, [1.0, 3.0], [3.0, 7.0])], "shorten"),
        ([ANNOUNCE, mode("block", 2.0, [1.0, 3.0]), mode("shorten", 1.0, [0.5, 3.0], [-2.0, 0.0])], "block"),
        ([ANNOUNCE, mode("block", -1.0, [-3.0, 1.0]), mode("shorten", 1.0, [-0.1, 3.0], [0.5, 4.0])], "shorten"),
        ([ANNOUNCE, mode("block", -1.0, [-3.0, 1.0]), mode("shorten", 1.0, [-0.1, 3.0], [-0.5, 4.0])], "block"),
        ([mode("announce", 0.0, [0.0, 0.0]), mode("block", -3.0, [-5.0, -1.0])], "announce"),
        ([mode("shorten", 9.0, [8.0, 10.0], [8.0, 10.0], n=29), mode("block", 0.0, None)], "block"),
        ([mode("shorten", 9.0, [8.0, 10.0], [8.0, 10.0], sessions=4), mode("block", 0.0, None)], "block"),
    ],
)
def test_the_recommendation(rows: list[Any], taken: str) -> None:
    assert recommend(rows)[0] == taken


def test_modes_of_a_command_line() -> None:
    assert asked.modes("") == []
    assert asked.modes("block") == ["block"]
    assert asked.modes("announce, block,shorten,block") == ["announce", "block", "shorten"]
    with pytest.raises(UsageError, match="loud"):
        asked.modes("loud")


def test_an_installation_advises_the_same_in_both_forms(setpoint: Any, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "projects").symlink_to(ROOT / "data" / "transcripts")
    words = ("hooks", "install", "returns", "project", "1000", "2500", "--dry-run")
    said = json.loads(setpoint(*words, "--json").stdout)["advice"]
    assert [one["mode"] for one in said["modes"]] == ["announce", "block", "shorten"]
    text = setpoint(*words).stdout
    assert f"mode {said['recommended']}: {said['why']}" in text
    for one in said["modes"]:
        assert f"{one['saved_tokens']:,.0f} tokens of {one['n']} returns" in text
    assert "advice" not in json.loads(setpoint("hooks", "install", "context", "project", "--dry-run", "--json").stdout)
