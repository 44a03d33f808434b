"""Where matplotlib keeps its font cache, where its usual place cannot be written: else it warns at length."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import tempfile
from pathlib import Path


def provide() -> None:
    """Set MPLCONFIGDIR to a temporary folder, removed at the end, unless the usual places can be written."""
    if all(_writable(place) for place in _usual()):
        return
    try:
        folder = tempfile.mkdtemp(prefix="setpoint-")
    except OSError:
        return  # matplotlib will say what it lacks
    os.environ["MPLCONFIGDIR"] = folder
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it makes its list of fonts anew each time
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _usual() -> list[Path]:
    own = os.environ.get("MPLCONFIGDIR")
    if own:
        return [Path(own)]
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none
    named = (os.environ.get("XDG_CONFIG_HOME") or home / ".config", os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return [Path(place) / "matplotlib" for place in named]


def _writable(place: Path) -> bool:
    """Whether `place` is a folder that can be written to, or could be made as one."""
    try:
        there = next(path for path in (place, *place.parents) if path.exists())
        return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    except OSError:
        return False
