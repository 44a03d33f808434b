"""The notebooks run headless on the bundled sample, and hold nothing worth keeping."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))


def names(paths: list[Path]) -> list[str]:
    return [path.stem for path in paths]


def headless(path: Path, place: Path, home: Path) -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("marimo") is None and not os.environ.get("CI"):
        pytest.skip("needs `uv run --group notebooks`")
    command = [sys.executable, str(path), "--", "--path", str(place)]
    environment = os.environ | {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / "none")}
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=home, env=environment, timeout=300)


@pytest.mark.notebook
@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_runs_headless_on_the_sample(path: Path, tmp_path: Path) -> None:
    done = headless(path, ROOT / "data" / "transcripts", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr


@pytest.mark.notebook
@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_stops_at_an_empty_folder_without_a_fault(path: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = headless(path, tmp_path / "empty", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_holds_cells_only_and_reads_public_names(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]
    cells = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(functions) == len(cells), "a function worth keeping belongs into the packages"
    assert all(ast.unparse(cell.decorator_list[0]).startswith("app.cell") for cell in cells)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not any(alias.name.startswith("_") for alias in node.names), ast.unparse(node)
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_"), ast.unparse(node)


def test_there_are_three() -> None:
    assert names(NOTEBOOKS) == ["01_explore", "02_refit", "03_compare"]
