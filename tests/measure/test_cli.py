"""The command line as a user meets it: exit codes, streams, sentences."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from measure import cli
from measure.crash import keep

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "transcripts"
Run = Callable[..., subprocess.CompletedProcess[str]]


def one_session() -> Path:
    return min(SAMPLE.glob("*/*.jsonl"))


def test_nothing_found_is_no_error(setpoint: Run) -> None:
    done = setpoint("report")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No transcripts found in" in done.stdout
    assert "name another place to read as PATH" in done.stdout, "what to do"


def test_nothing_found_is_empty_json(setpoint: Run) -> None:
    done = setpoint("report", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr, found["rows"], found["totals"]["requests"]) == (0, "", [], 0)
    assert "sample" not in found


def test_only_or_sample_falls_back_and_says_so(setpoint: Run) -> None:
    found = json.loads(setpoint("report", "--or-sample", "--json").stdout)
    assert found["sample"] is True
    assert found["totals"]["requests"] > 100
    assert "bundled sample" in setpoint("report", "--or-sample").stdout


def test_own_transcripts_win_over_the_sample(setpoint: Run, home: Path) -> None:
    folder = home / ".claude" / "projects" / "-x"
    folder.mkdir(parents=True)
    (folder / "s.jsonl").write_bytes(one_session().read_bytes())
    found = json.loads(setpoint("report", "--or-sample", "--json").stdout)
    assert "sample" not in found
    assert found["files"]["read"] == 1


def test_a_wrong_path_is_one_sentence_and_exit_1(setpoint: Run) -> None:
    done = setpoint("report", "/no/such/folder")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "/no/such/folder" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_wrong_configured_folder_is_exit_1(setpoint: Run) -> None:
    done = setpoint("report", env={"CLAUDE_CONFIG_DIR": "/no/such/folder"})
    assert done.returncode == 1
    assert "/no/such/folder" in done.stderr


def test_a_bad_place_among_good_ones_is_named_and_the_rest_read(setpoint: Run) -> None:
    done = setpoint("report", "/no/such/folder", SAMPLE, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert found["totals"]["requests"] > 100
    assert found["files"]["skipped"][0]["path"] == "/no/such/folder"


def test_a_file_that_is_no_transcript_is_skipped_with_a_reason(setpoint: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    done = setpoint("report", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No transcripts found in" in done.stdout
    assert "notes.jsonl" in done.stdout


def test_a_damaged_file_is_read_as_far_as_it_goes(setpoint: Run, tmp_path: Path) -> None:
    lines = one_session().read_bytes().split(b"\n")
    clean, path = tmp_path / "clean.jsonl", tmp_path / "damaged.jsonl"
    clean.write_bytes(b"\n".join(lines))
    lines[20:20] = [b'{"type":"assistant","mess', b"\x00" * 300]
    path.write_bytes(b"\n".join(lines))
    whole = json.loads(setpoint("report", clean, "--json").stdout)
    done = setpoint("report", path, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert found["records"]["damaged"] == 2
    assert found["totals"] == whole["totals"], "two lines were put in, none was lost"
    assert "the first is line 21" in setpoint("report", path).stdout.replace("\n", " ")


def test_an_unreadable_folder_is_named_and_the_rest_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # Root reads everything, so the refusal of the system is imitated.
    closed = tmp_path / "closed"
    closed.mkdir()
    scandir, access = os.scandir, os.access

    def refuse(path: str) -> object:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(closed) and access(path, mode))
    assert cli.run(["report", str(closed), str(SAMPLE)]) == 0
    out, err = capfd.readouterr()
    assert "permission denied" in out
    assert "844 requests" in out
    assert err == ""
    assert cli.run(["report", str(closed)]) == 1, "nothing else was named"
    assert "permission denied" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["report", "--since", "yesterday"], "2026-11-30"),
        (["report", "--timezone", "Mars/Base"], "Europe/Berlin"),
        (["report", "--since", "2026-11-30", "--until", "2026-11-01"], "after"),
        (["report", "overveiw"], "did you mean overview"),
        (["report", "--json", "--csv"], "choose one"),
        (["report", "agents", "returns", "--csv"], "one report"),
        (["report", "--no-such-option"], "--no-such-option"),
        (["no-such-command"], "no-such-command"),
        (["report", ""], "empty"),
        (["export"], "--to"),
        (["export", "--to", "x", "--format", "xml"], "xml"),
    ],
)
def test_bad_usage_is_exit_2_with_a_hint(
    arguments: list[str], hint: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/no/such/folder")
    assert cli.run(arguments) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert hint in err
    assert "Traceback" not in err


def piped(before: str, words: str, after: str, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and stderr of a command between two others in a pipe."""
    command = f'"{sys.executable}" -c "from measure.cli import main; main()" {words}'
    shell = f"set -o pipefail; ({before} {command}) | {after}"
    env = environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False, env=env)
    return done.returncode, done.stderr


@pytest.mark.parametrize("form", ["--json", "--top=0"])
def test_a_closed_pipe_ends_quietly(environment: dict[str, str], form: str) -> None:
    assert piped("", f'report reads {form} "{SAMPLE}"', "head -c 10", environment) == (0, "")


@pytest.mark.parametrize("words", ["--help", "fit --help", "watch --once", "hooks status", "store info", "prices"])
def test_a_reader_that_is_gone_before_the_first_line_is_no_error(environment: dict[str, str], words: str) -> None:
    assert piped("sleep 0.2;", words, "true", environment) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux")
@pytest.mark.parametrize(("end", "code"), [("> /dev/full", 1), (">&-", 0)])
def test_a_full_disk_and_a_closed_stdout_leave_no_traceback(environment: dict[str, str], end: str, code: int) -> None:
    command = f'"{sys.executable}" -c "from measure.cli import main; main()" report models "{SAMPLE}" {end}'
    env = environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "inside setpoint" not in done.stderr


def test_a_terminal_that_knows_only_ascii_gets_every_number(setpoint: Run) -> None:
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = setpoint("report", "returns", one_session(), env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(setpoint("report", "returns", one_session(), "-j", env=env).stdout)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_is_exit_130(environment: dict[str, str]) -> None:
    code = (
        "import time, measure.reports.run as run\n"
        "def wait(*a, **k): print('in', flush=True); time.sleep(60)\n"
        "run.produce = wait\n"
        "from measure.cli import main; main()"
    )
    env = environment | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", code, "report"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == "in\n"
        time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert err == "setpoint: stopped.\n"


def test_ctrl_c_says_what_is_kept(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from measure.transcripts.scan import Outcome, Stopped

    def stop(*_: object, **__: object) -> None:
        stopped = Stopped(Outcome())
        stopped.kept = True
        raise stopped

    monkeypatch.setattr("measure.reports.run.produce", stop)
    assert cli.run(["report"]) == 130
    assert capsys.readouterr().err == "setpoint: stopped; what was read is kept for the next time.\n"


def test_a_fault_of_ours_is_one_sentence_and_exit_3(environment: dict[str, str], home: Path) -> None:
    code = (
        "import measure.reports.run as run\n"
        "def fail(*a, **k): raise ValueError('SECRET words of a transcript')\n"
        "run.produce = fail\n"
        "from measure.cli import main; main()"
    )
    env = environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, "report"], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    [log] = home.rglob("errors.log")
    kept = log.read_text(encoding="utf-8")
    assert "Traceback" in kept
    assert "ValueError" in kept
    assert "SECRET" not in kept + done.stderr + done.stdout, "a message may quote a transcript"
    assert str(log) in done.stderr


def test_a_log_that_cannot_be_written_is_no_second_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocker))
    monkeypatch.setenv("HOME", str(blocker))
    assert "could not be written" in keep(ValueError("x"))


def test_colour_only_where_it_is_wanted(setpoint: Run) -> None:
    path = one_session()
    assert "\x1b[" not in setpoint("report", path).stdout
    assert "\x1b[" in setpoint("report", path, env={"FORCE_COLOR": "1", "TERM": "xterm"}).stdout
    plain = setpoint("report", path, env={"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": "1"}).stdout
    assert "\x1b[3" not in plain, "NO_COLOR: no colours (bold may stay)"


def test_what_a_transcript_says_cannot_steer_the_terminal(setpoint: Run, tmp_path: Path) -> None:
    text = one_session().read_text(encoding="utf-8")
    path = tmp_path / "evil.jsonl"
    path.write_text(text.replace("claude-opus-5-5", "\\u001b[2Jopus[red]"), encoding="utf-8")
    out = setpoint("report", "models", path).stdout
    assert "\x1b" not in out
    assert "[red]" in out


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux")
def test_a_folder_whose_name_is_no_utf8_is_read(setpoint: Run, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"bad\xff")
    folder.mkdir()
    (folder / "s.jsonl").write_bytes(one_session().read_bytes())
    done = setpoint("report", "overview", "sessions", folder, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from measure.cli import main; main()", option],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0
    modules = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "typer" in modules
    assert not modules & {"polars", "matplotlib", "pyarrow", "rich", "fastsimdjson", "numpy", "policy", "hooks"}


def test_every_mounted_command_has_help_with_an_example(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["--help"]) == 0
    listing = capfd.readouterr().out
    assert len({mount.name for mount in cli.MOUNTS}) == len(cli.MOUNTS)
    for mount in cli.MOUNTS:
        assert mount.name in listing
        assert cli.run([mount.name, "--help"]) == 0, mount.name
        page = capfd.readouterr().out
        assert "Usage: setpoint " + mount.name in page
        assert "xample" in page, mount.name


def test_completion_offers_the_commands(setpoint: Run) -> None:
    env = {"_SETPOINT_COMPLETE": "complete_bash", "COMP_WORDS": "setpoint re", "COMP_CWORD": "1"}
    assert "report" in setpoint(env=env).stdout.split()
    env = {"_SETPOINT_COMPLETE": "complete_bash", "COMP_WORDS": "setpoint report ret", "COMP_CWORD": "2"}
    assert setpoint(env=env).stdout.split() == ["returns"]


def test_json_needs_no_rich(setpoint: Run, environment: dict[str, str]) -> None:
    code = (
        "import sys; from measure.cli import run; run(sys.argv[1:]); "
        "sys.exit(any(name == 'rich' or name.startswith('rich.') for name in sys.modules))"
    )
    env = environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code, "report", "--json", str(SAMPLE)], capture_output=True, check=False, env=env
    )
    assert done.returncode == 0


def test_filters_that_leave_nothing_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["report", "agents", str(SAMPLE), "-p", "nowhere"]) == 0
    assert "No threads found. Filters: --project nowhere." in capfd.readouterr().out
