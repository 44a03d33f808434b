"""What is built is what is tested: the sdist, the wheel, and the command installed from it."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from measure import sample

ROOT = Path(__file__).resolve().parents[1]


def test_the_bundled_data_is_found_in_a_clone() -> None:
    assert sample.transcripts() == ROOT / "data" / "transcripts"


def test_the_bundled_data_is_found_in_an_installed_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "measure"
    (package / "_data" / "transcripts").mkdir(parents=True)
    monkeypatch.setattr(sample, "__file__", str(package / "sample.py"))
    assert sample.transcripts() == package / "_data" / "transcripts"


def test_missing_data_is_an_expected_end_with_advice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sample, "__file__", str(tmp_path / "measure" / "sample.py"))
    with pytest.raises(sample.SetpointError, match="install setpoint again"):
        sample.transcripts()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(["uv", "build", "--quiet", "--out-dir", str(folder), str(ROOT)], check=True, cwd=folder)
    return folder


@pytest.mark.slow
def test_the_sdist_holds_what_is_needed_to_build_and_to_test(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "justfile", "tests/test_package.py", "data/README.md"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".venv", "dist"))]


@pytest.mark.slow
def test_the_installed_command_reports_on_the_bundled_sample(built: Path, tmp_path: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert any(name.startswith("measure/_data/transcripts/") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "data/", "benchmarks/", "notebooks/"))]
    venv, home = tmp_path / "venv", tmp_path / "home"
    home.mkdir()
    subprocess.run(["uv", "venv", "--quiet", "--python", sys.executable, str(venv)], check=True)
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    python = str(scripts / "python")
    subprocess.run(["uv", "pip", "install", "--quiet", "--python", python, str(wheel)], check=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "USERPROFILE": str(home)}
    command = [str(scripts / "setpoint"), "report", "--or-sample", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["sample"] is True
    assert found["totals"]["requests"] > 100
    version = subprocess.run(
        [str(scripts / "setpoint"), "--version"], capture_output=True, text=True, check=True, env=env
    )
    assert version.stdout.startswith("setpoint ")
