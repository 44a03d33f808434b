"""Where the traceback of a fault of ours goes: a log of our own, never the user's screen."""

from __future__ import annotations

import platform
import sys
import traceback
from datetime import UTC, datetime

# Messages of other errors may quote what was being read; these name only paths, modules, attributes and types.
SAFE = (OSError, ImportError, AttributeError, NameError, TypeError)


def keep(error: BaseException) -> str:
    """Append the traceback to our log and return the one sentence for the user.

    Only frames, the error's type and the versions are kept: a message may hold text of a transcript.
    """
    kind = type(error).__name__
    try:
        from platformdirs import user_log_path

        path = user_log_path("setpoint", appauthor=False, ensure_exists=True) / "errors.log"
        with path.open("a", encoding="utf-8") as log:
            log.write(_entry(error))
    except OSError:
        return f"a fault inside setpoint ({kind}); its traceback could not be written to a log."
    return f"a fault inside setpoint ({kind}); please report it with the traceback at the end of {path}."


def _entry(error: BaseException) -> str:
    frames = "".join(traceback.format_tb(error.__traceback__))
    message = str(error) if isinstance(error, SAFE) else "(message withheld: it may quote a transcript)"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    versions = f"Python {platform.python_version()} on {sys.platform}"
    return f"--- {now} {versions}\nTraceback (most recent call last):\n{frames}{type(error).__name__}: {message}\n"
