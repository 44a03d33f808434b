"""Where the bundled data lies: `measure/_data` in a wheel, `data/` in a clone."""

from __future__ import annotations

from pathlib import Path

from measure.errors import SetpointError


def data(name: str = "") -> Path:
    """Folder of the bundled data, or the entry `name` in it. Raises SetpointError where the installation lacks it."""
    here = Path(__file__).resolve().parent
    for root in (here / "_data", here.parent / "data"):
        if (root / name).exists():
            return root / name
    raise SetpointError(
        f"the bundled data ({name or 'data'}) is missing from this installation: install setpoint again."
    )


def transcripts() -> Path:
    """The sample sessions, in the layout of a projects folder."""
    return data("transcripts")
