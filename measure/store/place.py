"""Where the store lies, and whether it may be used."""

from __future__ import annotations

import os
from pathlib import Path

DATABASE = "store.sqlite"
ON = "SETPOINT_STORE"  # set by the command line, for this process and those it starts
NEVER = "SETPOINT_NO_STORE"  # the user's own switch: any value but 0


def folder() -> Path:
    """The store's folder: SETPOINT_CACHE_DIR, else the platform's cache folder for `setpoint`."""
    given = os.environ.get("SETPOINT_CACHE_DIR", "")
    if given:
        return Path(given).expanduser() / "store"
    from platformdirs import user_cache_path

    return user_cache_path("setpoint") / "store"


def is_on() -> bool:
    """The command line wants the store to be used; a program that imports us does not, unless it says so."""
    return os.environ.get(ON, "") == "1"


def switch(*, on: bool) -> None:
    """Use the store in this process, or do not."""
    os.environ[ON] = "1" if on and os.environ.get(NEVER, "0") in {"", "0"} else "0"
