"""The foot of every report: what was read, what was not, and how far back the data can reach."""

from __future__ import annotations

from measure.reports.model import Source
from measure.reports.words import clean

SHOWN = 5


def foot(source: Source, *, verbose: bool = False) -> list[str]:
    """Sentences, most important first; `verbose` names every skipped file instead of the first few."""
    records = source.records
    lines = []
    if source.sample:
        lines.append("Sample: no transcripts of your own were found, so these numbers are the bundled sample's.")
    lines.append(
        f"Read {source.files_read:,} files, {records.get('read', 0):,} records: {records.get('used', 0):,} used, "
        f"{records.get('bookkeeping', 0):,} bookkeeping, {records.get('unknown', 0):,} of unknown type, "
        f"{records.get('damaged', 0):,} damaged."
    )
    lines += _skipped(source, None if verbose else SHOWN)
    lines += [clean(note) for note in source.notes]
    return lines


def _skipped(source: Source, limit: int | None) -> list[str]:
    if not source.skipped:
        return []
    shown = source.skipped[:limit]
    lines = [f"Skipped {len(source.skipped):,} files:"]
    lines += [f"  {clean(path)}: {clean(reason)}" for path, reason in shown]
    rest = len(source.skipped) - len(shown)
    if rest:
        lines.append(f"  and {rest:,} more (all of them with --json)")
    return lines
