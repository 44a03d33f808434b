"""What past runs say about hooks: our decision log, and the client's own notes in the transcripts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hooks.runtime.paths import user_folder
from hooks.settings import MARK

FILES, BYTES = 40, 64_000_000  # newest transcripts looked at, and of each at most its end
TRIAL_SESSION = "setpoint-doctor"  # the doctor's own events are no runs
KINDS = ("hook_success", "hook_non_blocking_error", "hook_cancelled", "hook_blocking_error")


@dataclass
class Runs:
    """Runs of one hook command, as the client noted them."""

    durations: list[int] = field(default_factory=list)  # ms
    failed: int = 0
    cancelled: int = 0

    @property
    def total(self) -> int:
        """All runs noted."""
        return len(self.durations) + self.failed + self.cancelled


def percentile(values: list[float], share: float) -> float | None:
    """The nearest-rank percentile; None of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def log_rows(home: Path, days: int = 7) -> Iterator[dict[str, Any]]:
    """Rows of the newest days of a decision log; a torn line is passed over."""
    for path in sorted((home / "log").glob("????-??-??.jsonl"))[-days:]:
        for line in path.read_bytes().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and row.get("session") != TRIAL_SESSION:
                yield row


def log_summary(home: Path) -> dict[str, Any]:
    """Last run, runs, failures and p95 (ms inside the handler) of the last seven days of the log."""
    rows = list(log_rows(home))
    spent = [float(row["ms"]) for row in rows if isinstance(row.get("ms"), (int, float))]
    return {
        "last_run": max((str(row.get("at")) for row in rows), default=None),
        "runs": len(rows),
        "failures": sum("error" in row for row in rows),
        "p95_ms": percentile(spent, 0.95),
    }


def transcripts() -> list[Path]:
    """The newest transcripts of this user."""
    folder = user_folder()
    found: list[tuple[float, Path]] = []
    for place, _, names in os.walk(Path(folder or "/nowhere") / "projects"):
        for name in names:
            if name.endswith(".jsonl"):
                path = Path(place) / name
                try:
                    found.append((path.stat().st_mtime, path))
                except OSError:
                    continue
    return [path for _, path in sorted(found, reverse=True)[:FILES]]


def _attachments(path: Path) -> Iterator[tuple[dict[str, Any], str | None]]:
    try:
        with path.open("rb") as handle:
            handle.seek(max(0, path.stat().st_size - BYTES))
            for line in handle:
                if b'"hook_' not in line:
                    continue
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                note = row.get("attachment") if isinstance(row, dict) else None
                if isinstance(note, dict) and note.get("type") in KINDS:
                    yield note, row.get("version")
    except OSError:
        return


def commands(paths: list[Path]) -> dict[str, Runs]:
    """Runs by hook command."""
    found: dict[str, Runs] = {}
    for path in paths:
        for note, _ in _attachments(path):
            blocking = note.get("blockingError")
            command = note.get("command") or (blocking.get("command") if isinstance(blocking, dict) else None)
            if not isinstance(command, str):
                continue
            runs = found.setdefault(command, Runs())
            if note["type"] == "hook_cancelled":
                runs.cancelled += 1
            elif note["type"] == "hook_non_blocking_error":
                runs.failed += 1
            elif isinstance(note.get("durationMs"), int):
                runs.durations.append(note["durationMs"])
    return found


def is_our_command(command: str) -> bool:
    """Whether a hook command, as the client spells it, starts our script."""
    return MARK in command.replace("\\", "/")


def client_version(paths: list[Path]) -> str | None:
    """The client's version by the newest transcript that names one."""
    for path in paths:
        try:
            with path.open("rb") as handle:
                # one record (a prompt snapshot) may take 100 kB and more
                handle.seek(max(0, path.stat().st_size - 1_000_000))
                lines = handle.read().splitlines()
        except OSError:
            continue
        for line in reversed(lines):
            try:
                version = json.loads(line).get("version") if b'"version"' in line else None
            except (ValueError, AttributeError):
                continue
            if isinstance(version, str):
                return version
    return None
