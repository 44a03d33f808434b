"""The client, by version number, in a cache folder outside the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

PACKAGE = "@anthropic-ai/claude-code"


def cache() -> Path:
    """Where clients are kept: SETPOINT_E2E_CACHE, else the user's cache folder."""
    base = os.environ.get("SETPOINT_E2E_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "setpoint-e2e"


def installed(version: str) -> Path | None:
    """The native binary of a version, where it lies."""
    found = sorted((cache() / version).glob("node_modules/@anthropic-ai/claude-code-linux-*/claude"))
    return next((path for path in found if "musl" not in str(path)), None)


def client(version: str) -> Path:
    """The binary of a version, installed when it is missing (npm; its engines field is only a warning)."""
    found = installed(version)
    if found is None:
        folder = cache() / version
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), f"{PACKAGE}@{version}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        found = installed(version)
        assert found, f"npm could not install {PACKAGE}@{version}: {done.stderr[-800:]}"
    return found


def namespace_command() -> list[str]:
    """How to start a command in a network namespace of its own (an ordinary user takes a user namespace too)."""
    return ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-r", "-n"]


def missing(version: str) -> str | None:
    """Why the client cannot be run here, or None."""
    if shutil.which("unshare") is None:
        return "unshare (util-linux) is not here"
    if subprocess.run([*namespace_command(), "true"], capture_output=True, check=False).returncode:
        return "network namespaces are not allowed here"
    if installed(version) is None and shutil.which("npm") is None:
        return f"client {version} is not installed and npm is not here"
    return None
