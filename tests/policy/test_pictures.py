"""`setpoint plot` and `setpoint html` as a user types them."""

import json
import re
import sys
from pathlib import Path

import pytest

from measure.cli import run
from measure.sample import transcripts
from policy.pictures import PLOTS

SAMPLE = str(transcripts())


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_of_the_sample_is_written(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg, png = tmp_path / "picture.svg", tmp_path / "picture.PNG"
    assert run(["plot", name, "--out", str(svg), SAMPLE]) == 0
    assert capsys.readouterr().out == f"{svg}\n"
    assert run(["plot", name, SAMPLE, "-o", str(png)]) == 0
    assert svg.read_text(encoding="utf-8").startswith("<?xml")
    assert png.read_bytes().startswith(b"\x89PNG")


def test_the_same_data_gives_the_same_svg(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        assert run(["plot", "growth", "-o", str(tmp_path / name), SAMPLE]) == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["contxt", "-o", "a.svg"], "did you mean context?"),
        (["zzz", "-o", "a.svg"], "choose one of context, returns"),
        (["context", "-o", "a.pdf"], "must end in .svg or .png"),
        (["context", "-o", "a.svg", "--since", "soon"], "--since 'soon' is no date"),
    ],
)
def test_slips_are_answered_with_what_would_work(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plot", *arguments, SAMPLE]) == 2
    assert said in capsys.readouterr().err


def test_an_unwritable_place_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["html", "-o", str(tmp_path / "none" / "a.html"), SAMPLE]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_nothing_is_written_among_the_transcripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.jsonl").write_text("{}\n")
    assert run(["html", "-o", str(tmp_path / "report.html"), str(tmp_path)]) == 2
    assert "nothing is ever written there" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["s.jsonl"]


def test_an_empty_folder_gives_pictures_that_say_so(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for name in PLOTS:
        assert run(["plot", name, "-o", str(tmp_path / f"{name}.svg"), str(empty)]) == 0
    assert run(["html", "-o", str(tmp_path / "report.html"), str(empty)]) == 0


def test_the_page_says_what_the_cost_report_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "report.html"
    assert run(["html", "-o", str(target), SAMPLE]) == 0
    capsys.readouterr()
    assert run(["report", "overview", "--json", SAMPLE]) == 0
    totals = json.loads(capsys.readouterr().out)["totals"]
    page = target.read_text(encoding="utf-8")
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert figures["Requests"] == f"{totals['requests']:,}"


def test_no_folder_above_a_project_is_on_the_page(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    assert run(["html", "-o", str(target), "--top", "0", SAMPLE]) == 0
    page = target.read_text(encoding="utf-8")
    assert "/home/" not in page
    assert str(Path(SAMPLE)) not in page


def test_help_loads_no_matplotlib() -> None:
    import subprocess

    code = "import sys; from measure.cli import run; run(['plot', '--help']); print('matplotlib' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.endswith("False\n")
