"""The foot of every report: what was read, what was not, and how far back the data can reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from measure.reports.model import Source
from measure.reports.words import clean, counted, tail

WIDTH = 48


def head(source: Source) -> list[str]:
    """What a reader must know first: that it is the sample, or that nothing was found and what to do."""
    if source.sample:
        return ["No transcripts of your own were found: this is the bundled sample.", ""]
    if source.files_read:
        return []
    places = ", ".join(clean(place) for place in source.places)
    return [
        f"No transcripts found in {places}.",
        "Use the client once, or name another place to read as PATH.",
        "",
    ]


def foot(source: Source) -> list[str]:
    """Sentences, most important first."""
    records = source.records
    read = (
        f"Read {counted(source.files_read, 'file')}, {counted(records['read'], 'record')}: {records['used']:,} used, "
    )
    rest = f"{records['bookkeeping']:,} bookkeeping, {records['unknown']:,} unknown, {records['damaged']:,} damaged."
    lines = [read + rest]
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
