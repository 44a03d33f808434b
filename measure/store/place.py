"""Where the store lies, and whether it may be used."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as `typing` has it: a quick report imports little
if TYPE_CHECKING:
    from pathlib import Path

DATABASE = "store.sqlite"
ON = "SETPOINT_STORE"  # set by the command line, for this process and those it starts
NEVER = "SETPOINT_NO_STORE"  # the user's own switch: any value but 0


def folder() -> Path:
    """The store's folder."""
    from pathlib import Path

    return Path(where())


def where() -> str:
    """The store's folder as a text: SETPOINT_CACHE_DIR, else the platform's cache folder for `setpoint`."""
    given = os.environ.get("SETPOINT_CACHE_DIR", "")
    base = os.path.expanduser(given) if given else _usual() or _platform()
    return os.path.join(base, "store")


def _usual() -> str | None:
    """What platformdirs says on Linux, where that is plain: asking it takes 10 ms."""
    if sys.platform != "linux" or "ANDROID_DATA" in os.environ:
        return None
    given, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if given:
        return os.path.join(given, "setpoint") if given.startswith("/") else None
    return os.path.join(home.rstrip("/"), ".cache", "setpoint") if home.startswith("/") else None


def _platform() -> str:
    from platformdirs import user_cache_dir

    return user_cache_dir("setpoint")


def is_on() -> bool:
    """The command line wants the store to be used; a program that imports us does not, unless it says so."""
    return os.environ.get(ON, "") == "1"


def switch(*, on: bool) -> None:
    """Use the store in this process, or do not."""
    os.environ[ON] = "1" if on and os.environ.get(NEVER, "0") in {"", "0"} else "0"
