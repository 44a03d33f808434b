"""Each benchmark says how it is run, and the table of them names those that run alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ALONE = sorted(
    f"benchmarks.{path.stem}"
    for path in (ROOT / "benchmarks").glob("*.py")
    if path.stem != "__main__" and "__main__" in path.read_text(encoding="utf-8")
)


def page(module: str) -> str:
    command = [sys.executable, "-m", module, "--help"]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def test_the_table_of_claims_names_every_part_that_runs_alone_in_one_line() -> None:
    lines = page("benchmarks").splitlines()
    assert [line.split()[2] for line in sorted(lines) if line.startswith("  python -m ")] == ALONE


@pytest.mark.parametrize("module", ALONE)
def test_a_part_that_runs_alone_has_help_of_its_own(module: str) -> None:
    assert f"usage: python -m {module}" in page(module)
