"""How far back transcripts reach: the client deletes them after `cleanupPeriodDays`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from measure.transcripts.places import settings_path

DEFAULT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Horizon:
    """`days` after which the client deletes a transcript; `is_default`: no setting says so; `oldest` time seen."""

    days: int
    is_default: bool
    oldest: datetime | None

    def as_dict(self) -> dict[str, object]:
        """Plain values for JSON; the time as UTC ISO."""
        return {**asdict(self), "oldest": self.oldest.isoformat().replace("+00:00", "Z") if self.oldest else None}


def horizon(roots: Iterable[str], oldest: datetime | None) -> Horizon:
    """The shortest period that a settings.json of these roots' config folders sets, else the client's default."""
    found = [days for root in roots if (days := _days(root)) is not None]
    return Horizon(min(found, default=DEFAULT_DAYS), not found, oldest)


def _days(root: str) -> int | None:
    path = settings_path(root)
    if path is None:
        return None
    try:
        settings = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return None
    days = settings.get("cleanupPeriodDays") if isinstance(settings, dict) else None
    return days if type(days) is int and days >= 0 else None
