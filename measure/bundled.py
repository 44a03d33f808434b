"""Where the files that ship with setpoint are: inside the wheel, or in the clone."""

from __future__ import annotations

from pathlib import Path


def bundled(name: str) -> Path:
    """Path of `data/NAME`. The wheel holds the folder as measure/_data; an editable install has only the clone's."""
    here = Path(__file__).resolve().parent
    inside = here / "_data" / name
    return inside if inside.exists() else here.parent / "data" / name
