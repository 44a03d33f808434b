"""What the system calls its own time zone. No imports: a quick report asks."""

from __future__ import annotations

import os


def local_names() -> list[str]:
    """Names to try, the first that is known counts: TZ, then what /etc/localtime or /etc/timezone says."""
    return [name for name in (os.environ.get("TZ", "").removeprefix(":"), _localtime()) if name]


def _localtime() -> str:
    try:
        target = os.path.realpath("/etc/localtime", strict=True)
    except OSError:
        return ""
    _, found, name = target.partition("/zoneinfo/")
    if found:
        return name.removeprefix("posix/").removeprefix("right/")
    try:
        with open("/etc/timezone", encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""
