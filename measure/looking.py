"""A line on the terminal while files are looked for: on a slow disk that alone takes long."""

from __future__ import annotations

import sys
import time

PATIENCE = 1.0  # seconds of silence before anything appears
PAUSE = 0.1  # seconds between two changes of what is shown


class Looking:
    """Says on stderr how many files were found, from time to time; for a terminal only."""

    def __init__(self) -> None:
        self._start = self._next = time.monotonic() + PATIENCE
        self._written = False

    def late(self) -> bool:
        """It takes long enough to show something."""
        return time.monotonic() >= self._start

    def due(self) -> bool:
        """It is time to show something new."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + PAUSE
        return True

    def looked(self, files: int) -> None:
        """So many files were found."""
        if self.due():
            sys.stderr.write(f"\rfiles found: {files:,}")
            sys.stderr.flush()
            self._written = True

    def clear(self) -> None:
        """Wipe the line."""
        if self._written:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._written = False
