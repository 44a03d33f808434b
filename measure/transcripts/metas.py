"""The `.meta.json` beside an agent's transcript."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measure.transcripts.decode import whole
from measure.transcripts.find import META_SUFFIX, Listing, place_of
from measure.transcripts.raw import Row


def metas(found: Listing, files: Mapping[str, int]) -> tuple[list[Row], list[tuple[str, str]]]:
    """One row a meta file, linked to its transcript where that was read; and the unreadable ones with the reason."""
    rows: list[Row] = []
    skipped: list[tuple[str, str]] = []
    for path in found.metas:
        try:
            record = whole(Path(path).read_bytes())
        except FileNotFoundError:
            continue
        except OSError as error:
            skipped.append((path, (error.strerror or "unreadable").lower()))
            continue
        if record is None:
            skipped.append((path, "no JSON object"))
            continue
        rows.append(row(path, files.get(path.removesuffix(META_SUFFIX) + ".jsonl"), record))
    return rows, skipped


def row(path: str, file: int | None, record: dict[str, Any]) -> Row:
    """The row of the table `metas`."""
    _, session, agent = place_of(path)
    depth = record.get("spawnDepth")
    return (
        file,
        path,
        session,
        agent,
        record.get("agentType"),
        record.get("toolUseId"),
        record.get("parentAgentId"),
        depth if type(depth) is int and depth >= 0 else None,
        record.get("requestShape"),
        record.get("model"),
        record.get("finished"),
        record.get("isFork"),
        record.get("inWorkflowRun"),
    )
