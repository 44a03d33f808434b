"""Which Python runs the hooks: an absolute base interpreter that will still be there next month."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hooks.errors import HooksError, WordsError

LEAST = (3, 9)
PASSING = ("/.cache/", "/Caches/", "/shims/", "/Temp/", "/pipx/venvs/", "/uv/tools/", "/WindowsApps/")


@dataclass(frozen=True)
class Interpreter:
    """A Python that was run once."""

    path: str
    version: str


def passing(path: str) -> str | None:
    """Why a path is no lasting interpreter; None when it may be one."""
    text = path.replace("\\", "/")
    for part in PASSING:
        if part in text:
            return f"it lies in {part.strip('/')}"
    folder = Path(path).parent
    if (folder / "pyvenv.cfg").exists() or (folder.parent / "pyvenv.cfg").exists():
        return "it belongs to a virtual environment"
    return None


def run_once(path: str) -> str | None:
    """The version an interpreter gives when it is run as our hooks are; None when it does not answer."""
    code = "import sys;sys.stdout.write('%d.%d.%d' % sys.version_info[:3])"
    try:
        done = subprocess.run([path, "-I", "-S", "-c", code], capture_output=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout.decode("ascii", "replace")
    parts = text.split(".")
    if done.returncode or len(parts) != 3 or not all(part.isdigit() for part in parts):
        return None
    return text if tuple(int(part) for part in parts[:2]) >= LEAST else None


def candidates() -> list[str]:
    """Interpreters worth a try, best first.

    Linux' own comes before what ours is built on: it outlives version managers and starts a tenth quicker.
    Elsewhere /usr/bin/python3 may be a stub that asks for an installation.
    """
    base = getattr(sys, "_base_executable", None) or sys.executable
    prefix = str(Path(sys.base_prefix) / ("python.exe" if os.name == "nt" else "bin/python3"))
    system = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    found = [system[0], base, prefix, *system] if sys.platform == "linux" else [base, prefix, *system]
    on_path = shutil.which("python3")
    return [os.path.realpath(path) for path in found + ([on_path] if on_path else []) if path]


def choose(given: str | None = None) -> Interpreter:
    """The interpreter for the settings entries, run once. Raises HooksError when none will do."""
    if given is not None:
        if not Path(given).is_absolute():
            raise WordsError(f"--python {given}: give an absolute path.")
        version = run_once(given)
        if version is None:
            raise HooksError(f"--python {given}: does not run, or is older than Python {LEAST[0]}.{LEAST[1]}.")
        return Interpreter(given, version)
    reasons = []
    for path in dict.fromkeys(candidates()):
        reason = passing(path) or ("it does not run" if (version := run_once(path)) is None else None)
        if reason is None:
            return Interpreter(path, str(version))
        reasons.append(f"{path}: {reason}")
    raise HooksError(f"no lasting Python found ({'; '.join(reasons)}); name one with --python.")
