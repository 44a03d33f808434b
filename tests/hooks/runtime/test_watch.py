"""A lowered ask point that nobody answers for is named with its key."""

import json
from pathlib import Path

import pytest

from hooks.runtime.watch import PERCENT, unanswered

HOOK = {
    "PreCompact": [{"matcher": "auto|manual", "hooks": [{"command": "py", "args": ["/p/.claude/setpoint/run.py"]}]}]
}
OTHER = {"PreCompact": [{"hooks": [{"command": "mine.sh"}]}]}


@pytest.mark.parametrize(
    ("settings", "local", "named"),
    [
        ({"env": {PERCENT: "4"}, "hooks": HOOK}, {}, False),
        ({"env": {PERCENT: "4"}}, {"hooks": HOOK}, False),
        ({"env": {PERCENT: "4"}, "hooks": OTHER}, {}, True),
        ({}, {"env": {PERCENT: "4"}}, True),
        ({"hooks": OTHER}, {}, False),
        ({"env": 3, "hooks": []}, {}, False),
    ],
)
def test_the_key_is_named_where_no_hook_answers(tmp_path: Path, settings: object, local: object, named: bool) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    (tmp_path / "settings.local.json").write_text(json.dumps(local))
    assert (PERCENT in unanswered(str(tmp_path))) == named


def test_missing_and_broken_files_say_nothing(tmp_path: Path) -> None:
    assert unanswered(str(tmp_path)) == ""
    (tmp_path / "settings.json").write_text("{")
    assert unanswered(str(tmp_path)) == ""
