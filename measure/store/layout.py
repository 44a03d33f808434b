"""What stored rows mean: they are those of the code that made them, so any change of it makes them useless."""

from __future__ import annotations

import os

from measure.digest import blake2b

LAYOUT = 3
ROWS = ("transcripts", "frames", "store")
TEXTS = (*ROWS, "reports", ".")


def layout(packages: tuple[str, ...] = ROWS) -> str:
    """Digest of the code of some packages of `measure`.

    Told by the sizes and times of the source files: importlib.metadata would cost a quick report 20 ms.
    """
    told = [f"{LAYOUT}"]
    ours = os.path.dirname(os.path.dirname(__file__))
    for package in packages:
        with os.scandir(os.path.join(ours, package)) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    info = entry.stat()
                    told.append(f"{package} {entry.name} {info.st_size} {info.st_mtime_ns}")
    return blake2b("\n".join(told).encode(), digest_size=12).hexdigest()
