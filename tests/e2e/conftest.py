"""Fixtures: `workspace` (client 2.1.332 unless parametrised with `versions`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.install import missing
from lab.workspace import Workspace

NEW, OLD = "2.1.332", "2.1.283"


@pytest.fixture
def version() -> str:
    return NEW


@pytest.fixture
def workspace(tmp_path: Path, version: str) -> Workspace:
    reason = missing(version)
    if reason:
        pytest.skip(f"NOT TESTED, a skip is not a pass: {reason}")
    return Workspace(tmp_path, version)


@pytest.fixture
def shortening(workspace: Workspace) -> Workspace:
    """With the return budget installed in mode shorten."""
    workspace.write({"a.txt": "alpha\n"})
    workspace.setpoint("hooks", "install", "returns", "project", "1000", "2500", "--mode", "shorten")
    return workspace
