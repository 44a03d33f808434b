"""`setpoint plot` and `setpoint html` as a user types them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from made_frames import made

from measure.cli import run
from measure.plots.growth import growth
from measure.sample import transcripts
from policy.outfile import image
from policy.pictures import PLOTS

SAMPLE = str(transcripts())


@pytest.fixture(scope="module")
def sample_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    target = tmp_path_factory.mktemp("page") / "report.html"
    assert run(["html", "-o", str(target), "--top", "0", SAMPLE]) == 0
    return target.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "suffix"), [*zip(PLOTS, (".svg", ".PNG", ".png") * 2, strict=True)])
def test_every_plot_of_the_sample_is_written(
    name: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / f"picture{suffix}"
    assert run(["plot", name, SAMPLE, "--out", str(target)]) == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert target.read_bytes().startswith(b"<?xml" if suffix == ".svg" else b"\x89PNG")


def test_the_same_data_gives_the_same_svg() -> None:
    requests = made(1, 2, 5)["requests"]
    assert image(growth(requests), ".svg") == image(growth(requests), ".svg")


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


@pytest.mark.parametrize("words", [*(["plot", name] for name in PLOTS), ["html", "--open"], ["replay", "--grid"]])
def test_an_empty_folder_is_named_in_one_sentence_and_nothing_is_written(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, target = tmp_path / "empty", tmp_path / "picture.svg"
    empty.mkdir()
    assert run([*words, "--out", str(target), str(empty)]) == run(["report", str(empty)]) == 0
    assert f"No transcripts found in {empty}." in "".join(capsys.readouterr())
    assert not target.exists()


def test_a_home_that_cannot_be_written_brings_no_warning_of_the_plotting_library(tmp_path: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.write_text("no folder")
    temporary.mkdir()
    command = [sys.executable, "-c", "from measure.cli import main; main()", "plot", "growth", "-o", "a.svg", SAMPLE]
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    environment = kept | {"HOME": str(home), "TMPDIR": str(temporary), "SETPOINT_STORE": "0"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, "a.svg\n", "")
    assert list(temporary.iterdir()) == [], "the folder that stood in for it is removed"


def test_the_page_says_what_the_cost_report_says(sample_page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "cost", "--json", SAMPLE]) == 0
    cost = json.loads(capsys.readouterr().out)
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", sample_page))
    assert figures["Cost (USD)"] == f"{cost['total_usd']:,.2f}"
    assert figures["Requests"] == f"{cost['totals']['requests']:,}"
    embedded = json.loads(re.findall(r'id="data">(.*?)</script>', sample_page)[0])
    of_requests = sum(sum(filter(None, t["usd"])) for s in embedded["sessions"] for t in s["threads"])
    assert of_requests == pytest.approx(cost["total_usd"], rel=1e-4)
    assert sum(sum(kind["usd"]) for kind in embedded["days"]["kinds"]) == pytest.approx(cost["total_usd"], rel=1e-4)


def test_no_folder_above_a_project_is_on_the_page(sample_page: str) -> None:
    assert "/home/" not in sample_page
    assert SAMPLE not in sample_page


def test_help_loads_no_matplotlib() -> None:
    import subprocess

    code = "import sys; from measure.cli import run; run(['plot', '--help']); print('matplotlib' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.endswith("False\n")


def test_the_readme_names_every_plot() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| plot | what it shows |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == [*PLOTS]
