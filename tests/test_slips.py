"""Slips on the command line: one plain sentence, the exit code that README names, nothing on stdout."""

import re
from pathlib import Path

import pytest

from measure import cli

SAMPLE = str(Path(__file__).resolve().parents[1] / "data" / "transcripts")
READING = [
    ["report"],
    ["fit"],
    ["replay"],
    ["watch", "--once"],
    ["export", "--to", "new"],
    ["plot", "growth", "-o", "new.svg"],
    ["html", "-o", "new.html"],
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)


def slip(capsys: pytest.CaptureFixture[str], words: list[str], code: int) -> str:
    assert cli.run(words) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_place_that_does_not_exist_ends_every_reading_command_alike(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert slip(capsys, [*words, "/nope"], 1).startswith("setpoint: nothing to read. /nope: no such file or directory.")


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_an_empty_place_is_never_taken_for_the_current_folder(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert slip(capsys, [*words, ""], 2) == "setpoint: a place to read is empty: name a folder or a file.\n"


@pytest.mark.parametrize("words", [["report", "overview"], ["report", "cost"], ["fit"], ["replay"], ["prices"]])
def test_a_prices_file_that_is_not_there_is_said_by_every_command(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    places = [] if words == ["prices"] else [SAMPLE]
    err = slip(capsys, [*words, *places, "--prices", "/nope.toml"], 1)
    assert err == "setpoint: prices file /nope.toml: cannot be read (No such file or directory).\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "--top", "x"], "'x' is no whole number."),
        (["fit", "--obey", "x"], "'x' is no number."),
        (["hooks", "install", "--pass", "x"], "'x' is no whole number."),
        (["repotr"], "Did you mean 'report'?"),
        (["replay", "--grid", "--out", "a.pdf"], "--out a.pdf: the name must end in .svg or .png."),
        (["hooks", "bogus"], "'bogus' is no mode"),
        (["hooks", "install", "returns", "--scope", "moon"], "no scope moon; there are project, global, both."),
        (["hooks", "install", "returns", "--mode", "x"], "--mode x: there are announce, block, shorten."),
        (["hooks", "install", "returns", "--shorten", "x"], "--shorten x: there are foreground and off."),
        (["hooks", "install", "returns", "--pass", "9", "--file", "3"], "pass 9 must be below file 3."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_wrong_word_or_value_is_bad_usage_in_plain_words(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    err = slip(capsys, words, 2)
    assert said in err
    assert re.search(r"valid (int|float)", err) is None


@pytest.mark.parametrize("places", [[SAMPLE, "/nope"], ["/nope", SAMPLE]], ids=["second", "first"])
def test_a_comparison_with_a_place_that_does_not_exist_is_no_comparison(
    places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert slip(capsys, ["report", "compare", *places], 1).startswith("setpoint: nothing to read. /nope: ")
