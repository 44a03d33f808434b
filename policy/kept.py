"""Characters per token, kept beside the frames that they were measured on: nothing else goes into them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from policy import calibrate as source
from policy import rebuilds
from policy.calibrate import Calibration, Factor, calibrate

if TYPE_CHECKING:
    from measure.frames import Frames


def calibration(frames: Frames, models: Sequence[str]) -> Calibration:
    """`calibrate` for these models, read where the frames lie in the store and it was measured before.

    Whatever is missing or damaged there is measured anew; that it cannot be written is no error.
    """
    place = frames.stored and frames.stored / f"characters-{_code()}.json"
    known = _read(place) if place else {}
    missing = [model for model in models if model not in known]
    if missing:
        found = calibrate(frames.requests, frames.tool_calls, frames.returns, missing)
        known |= {model: factor for model, factor in found.factors.items() if model is not None}
        if place:
            _write(place, known)
    return Calibration({model: known[model] for model in models})


def _code() -> str:
    """What tells one way of measuring from another: the source files, as the store's own layout does."""
    found = [Path(str(module.__file__)).stat() for module in (source, rebuilds)]
    return "-".join(f"{one.st_size:x}{one.st_mtime_ns:x}" for one in found)


def _read(place: Path) -> dict[str, Factor]:
    try:
        return {row["model"]: Factor(**row) for row in json.loads(place.read_text(encoding="utf-8"))}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _write(place: Path, factors: dict[str, Factor]) -> None:
    part = place.with_suffix(f".{os.getpid()}")
    try:
        part.write_text(json.dumps([asdict(factor) for factor in factors.values()]), encoding="utf-8")
        part.replace(place)
    except OSError:
        with suppress(OSError):
            part.unlink()
