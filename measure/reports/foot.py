"""The foot of every report: what was read, what was not, and how far back the data can reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from measure.reports.model import Source
from measure.reports.words import clean, tail

WIDTH = 48


def foot(source: Source) -> list[str]:
    """Sentences, most important first."""
    records = source.records
    lines = []
    if source.sample:
        lines.append("Sample: no transcripts of your own were found, so these numbers are the bundled sample's.")
    lines.append(
        f"Read {source.files_read:,} files, {records['read']:,} records: {records['used']:,} used, "
        f"{records['bookkeeping']:,} bookkeeping, {records['unknown']:,} unknown, {records['damaged']:,} damaged."
    )
    lines += _skipped(source.skipped)
    lines += [clean(note) for note in source.notes]
    return lines


def _skipped(skipped: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What was not read, by reason: how many, and the first of them (the JSON output names all)."""
    by_reason: dict[str, list[str]] = {}
    for path, reason in skipped:
        by_reason.setdefault(reason, []).append(path)
    for reason, paths in by_reason.items():
        more = ", ..." if len(paths) > 1 else ""
        yield f"Skipped {len(paths):,}: {clean(reason)} ({tail(clean(paths[0]), WIDTH)}{more})."
