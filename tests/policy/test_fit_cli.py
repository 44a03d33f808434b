"""`setpoint fit` and `setpoint replay` as a user meets them, run in this process: a start costs a second."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from measure import cli

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "transcripts"


class Done(NamedTuple):
    """What one command line did."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def setpoint(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path, tmp_path: Path) -> Run:
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_PROJECT_DIR", "AGENT_RETURN_PASS", "AGENT_RETURN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        code = cli.run(list(arguments))
        return Done(code, *capsys.readouterr())

    return run


ENVELOPE = {"schema_version", "report", "filters", "totals", "rows", "files", "records", "horizon"}


@pytest.mark.parametrize(
    "words", [("fit", "returns"), ("fit", "context"), ("fit", "compaction"), ("fit", "cache"), ("replay",)]
)
def test_json_has_the_common_envelope_and_an_n_in_every_row(setpoint: Run, words: tuple[str, ...]) -> None:
    done = setpoint(*words, str(SAMPLE), "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(found) >= ENVELOPE
    assert found["report"] == words[0]
    assert found["rows"]
    assert all(isinstance(row["n"], int) for row in found["rows"])


def test_all_features_come_together(setpoint: Run) -> None:
    found = json.loads(setpoint("fit", str(SAMPLE), "--json").stdout)
    assert [report["feature"] for report in found["reports"]] == ["returns", "context", "compaction", "reads", "cache"]


def test_nothing_found_is_no_error(setpoint: Run) -> None:
    for words in (("fit",), ("replay",), ("replay", "--grid")):
        done = setpoint(*words)
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(setpoint(*words, "--json").stdout)


def test_written_limits_are_in_force_and_no_drift_is_left(setpoint: Run, home: Path, tmp_path: Path) -> None:
    config = home / ".claude" / "setpoint.json"
    config.parent.mkdir(exist_ok=True)
    config.write_text('{"reads": {"mode": "note"}, "returns": {"enabled": false, "passTokens": 1, "fileTokens": 2}}')
    before = setpoint("fit", "returns", str(SAMPLE), "--drift")
    done = setpoint("fit", "returns", str(SAMPLE), "--write", "--scope", "global", "--json")
    report = json.loads(done.stdout)
    written = json.loads(config.read_text(encoding="utf-8"))
    assert written["reads"] == {"mode": "note"}
    assert written["returns"]["enabled"] is False
    fitted = [row for row in report["rows"] if row["fitted"] is not None]
    assert fitted, "the sample is large enough for the overall limits"
    assert before.returncode == 4
    assert report["written"] == str(config)
    for row in fitted:
        if row["agent_type"] is None:
            assert written["returns"][row["key"]] == row["fitted"]
            assert written["returns"]["evidence"][row["key"]]["n"] == row["n"]
    after = setpoint("fit", "returns", str(SAMPLE), "--drift")
    assert (after.returncode, after.stderr) == (0, "")
    assert "lies inside" in after.stdout


def test_a_broken_config_is_refused_and_left_alone(setpoint: Run, home: Path, tmp_path: Path) -> None:
    config = home / ".claude" / "setpoint.json"
    config.parent.mkdir(exist_ok=True)
    config.write_text("{ // mine\n}")
    done = setpoint("fit", "returns", str(SAMPLE), "--write", "--scope", "global")
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing was written" in done.stderr
    assert config.read_text() == "{ // mine\n}"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("fit", "--write", "--drift"), "leave out --write"),
        (("fit", "returns", "--max-blocked", "120%"), "write 20% or 0.2"),
        (("fit", "return"), "did you mean returns"),
        (("fit", "--csv"), "name one feature"),
        (("replay", "--out", "x.png"), "add --grid"),
        (("replay", "--force-at", "lots"), "no size"),
    ],
)
def test_bad_usage_is_exit_2_with_a_hint(setpoint: Run, words: tuple[str, ...], hint: str) -> None:
    done = setpoint(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr


def test_replay_lists_who_would_have_been_stopped(setpoint: Run) -> None:
    done = setpoint("replay", "returns", str(SAMPLE), "--pass", "50", "--file", "100", "--list", "--json")
    found = json.loads(done.stdout)
    assert found["runs"]
    assert {run["decision"] for run in found["runs"]} <= {"compress", "file"}
    assert all(run["size"] > 50 for run in found["runs"])


@pytest.mark.parametrize("feature", ["returns", "context", "compaction", "cache"])
def test_csv_has_one_width(setpoint: Run, feature: str) -> None:
    done = setpoint("fit", feature, str(SAMPLE), "--csv")
    assert (done.returncode, done.stderr) == (0, "")
    table = list(csv.reader(done.stdout.splitlines()))
    assert len({len(row) for row in table}) == 1
    assert "n" in table[0]
