"""The files that are copied to the user, byte for byte: run.py and the runtime beside it."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import shutil
import subprocess
from pathlib import Path

from hooks.errors import HooksError

PACKAGE = Path(__file__).resolve().parent
LEFT_OUT = ("log", "backups", ".gitignore")  # what an uninstall leaves in our folder


def version() -> str:
    """Version of the installed package."""
    try:
        return importlib.metadata.version("setpoint")
    except importlib.metadata.PackageNotFoundError:
        return "0"


def sources() -> dict[str, bytes]:
    """Content of every file to copy, by its path in our folder; run.py last, so that it never starts half a copy."""
    names = sorted(path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "runtime").rglob("*.py"))
    return {name: (PACKAGE / name).read_bytes() for name in [*names, "run.py"]}


def digest(data: bytes) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def installed(home: Path) -> dict[str, str]:
    """Digest of every copied file that is there."""
    found = {}
    for name in sources():
        with contextlib.suppress(OSError):
            found[name] = digest((home / name).read_bytes())
    return found


def copy_to(home: Path, python: str) -> None:
    """Copy what differs, drop what is of an older version, compile. Raises HooksError when it cannot be written."""
    files = sources()
    try:
        (home / "runtime").mkdir(parents=True, exist_ok=True)
        compiled = (home / "runtime" / "__pycache__").is_dir()
        for name, data in files.items():
            target = home / name
            if not target.is_file() or target.read_bytes() != data:
                spare = target.with_name(target.name + ".new")
                spare.write_bytes(data)
                spare.replace(target)
                compiled = False
        for path in (home / "runtime").glob("*.py"):
            if path.relative_to(home).as_posix() not in files:
                path.unlink()
        ignore = home / ".gitignore"
        if not ignore.exists():
            # the copy holds this machine's paths, state and logs
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise HooksError(f"{home}: cannot be written ({error.strerror}).") from error
    if compiled:
        return
    command = [python, "-I", "-m", "compileall", "-q", str(home / "runtime")]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=60, check=False)  # noqa: S603


def mark(home: Path, features: list[str]) -> None:
    """Leave the marks by which the user's copy knows what this one serves (`runtime.dispatch.stands_down`)."""
    folder = home / "on"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in features:
            old.unlink()
    for name in features:
        (folder / name).touch()


def remove_from(home: Path, everything: bool) -> None:
    """Take the copy away; logs and backups stay unless `everything`."""
    if not home.is_dir():
        return
    for path in home.iterdir():
        if everything or path.name not in LEFT_OUT:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    if everything or {path.name for path in home.iterdir()} <= {".gitignore"}:
        with contextlib.suppress(OSError):
            (home / ".gitignore").unlink(missing_ok=True)
            home.rmdir()
