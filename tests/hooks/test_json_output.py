"""What each mode of `setpoint hooks` prints for people stands in its JSON too."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hooks.features import FEATURES

Run = Callable[..., subprocess.CompletedProcess[str]]
INSTALL = ("install", "returns", "context", "--scope", "project", "--pass", "1000", "--file", "2500")
MODES = [
    INSTALL,
    ("status",),
    ("doctor",),
    ("snippet", "returns"),
    ("upgrade", "--scope", "project"),
    ("disable", "context", "--scope", "project"),
    ("enable", "context", "--scope", "project"),
    ("uninstall", "--scope", "project"),
    ("purge", "--scope", "project", "--yes"),
]
# what a clock says differs from one call to the next
CLOCK = re.compile(r"[\d.]+ ms|\d{4}-\d\d-\d\dT\S+")


@pytest.mark.parametrize("words", MODES, ids=lambda words: words[0])
def test_json_holds_every_line_that_is_printed_for_people(
    words: tuple[str, ...], setpoint: Run, tmp_path: Path
) -> None:
    (tmp_path / ".claude").mkdir()
    if words[0] != "install":
        assert setpoint("hooks", *INSTALL).returncode == 0
    dry = () if words[0] in ("status", "doctor", "snippet") else ("--dry-run",)
    shown = setpoint("hooks", *words, *dry)
    found = setpoint("hooks", *words, *dry, "-j")
    assert (shown.returncode, shown.stderr) == (found.returncode, found.stderr) == (0, "")
    lines = [CLOCK.sub("", line) for line in json.loads(found.stdout)["lines"]]
    assert [CLOCK.sub("", line) for line in shown.stdout.splitlines()] == lines


def test_a_plan_in_json_names_its_scope_features_and_warnings(setpoint: Run, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    report = json.loads(setpoint("hooks", *INSTALL, "--json").stdout)
    (row,) = report["rows"]
    assert (row["scope"], row["folder"], row["features"]) == (
        "project",
        str(tmp_path / ".claude"),
        ["returns", "context"],
    )
    assert all(f"  warning   {one}" in row["plan"] for one in row["warnings"])
    assert report["done"] is True
    assert report["lines"][-1].startswith("Installed.")


def test_an_uninstall_says_that_the_limits_stay_and_a_purge_that_they_go(setpoint: Run, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    assert setpoint("hooks", *INSTALL).returncode == 0
    for mode, said in (("uninstall", "stay in setpoint.json"), ("purge", "removed from setpoint.json")):
        shown = setpoint("hooks", mode, "--scope", "project", "--dry-run").stdout
        assert f"  limits    {said}\n" in shown


def test_the_status_keeps_its_columns_under_each_other(setpoint: Run, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    setpoint("hooks", "install", *(one.name for one in FEATURES), "--scope", "project", "--yes")
    lines = setpoint("hooks", "status").stdout.splitlines()[1:-1]
    assert len(lines) > len(FEATURES)
    assert all(re.match(r"  [\w ]{10} \S", line) for line in lines)
