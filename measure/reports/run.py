"""From names and places to finished reports on stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from measure.errors import UsageError
from measure.lazy import resolve
from measure.reports import ALIASES
from measure.reports.model import Entry, Filters, Report, Source
from measure.reports.stored import without_frames
from measure.transcripts.places import tidy

Form = Literal["text", "json", "markdown", "csv"]


def names_and_paths(
    words: Iterable[str], entries: Sequence[Entry], default: Sequence[str] = ("overview",)
) -> tuple[list[Entry], list[Path]]:
    """Sort the words of a command line: a report's name or alias, else a place to read.

    A folder that is called like a report is written `./sessions`. A word that is neither a place nor a name but
    close to a name is a slip of the keyboard: UsageError. Without a name: `default`.
    """
    by_name = {entry.name: entry for entry in entries}
    chosen: dict[str, Entry] = {}
    paths: list[Path] = []
    for word in words:
        name = word if word in by_name else ALIASES.get(word, word)
        if name in by_name:
            chosen[name] = by_name[name]
            continue
        path = place(word)
        close = get_close_matches(word, [*by_name, *ALIASES], n=1)
        if close and not path.exists():
            raise UsageError(f"{word!r} is neither a report nor a place to read: did you mean {close[0]}?")
        paths.append(path)
    return list(chosen.values()) or [by_name[name] for name in default], paths


def place(word: str) -> Path:
    """A place to read as it was typed. Raises UsageError for an empty word, which would mean the current folder."""
    if not word:
        raise UsageError("a place to read is empty: name a folder or a file.")
    return Path(tidy(word))


def produce(
    entries: Sequence[Entry], paths: Sequence[Path], filters: Filters, *, form: Form, or_sample: bool
) -> list[Report]:
    """Read, build and write. The frames are read once for all reports of one call; the reports are given back."""
    finished, source = without_frames(entries, paths, filters, form=form, or_sample=or_sample)
    if finished:
        write(finished, filters, source, form)
        return finished
    from measure.reports.read import read
    from measure.reports.select import select

    if form == "csv" and len(entries) > 1:
        raise UsageError("--csv writes the rows of one report: name one, or use export for the frames.")
    for entry in entries:
        if entry.separate and len(paths) != 2:
            raise UsageError(f"{entry.name} needs two places: setpoint report {entry.name} A B.")
    frames, source = read(paths, or_sample=or_sample)
    chosen = select(frames, filters)
    reports: list[Report] = []
    for entry in entries:
        given = [select(read([path])[0], filters) for path in paths] if entry.separate else chosen
        reports.append(resolve(entry.target)(given, filters))
    write(reports, filters, source, form)
    return reports


def write(reports: Sequence[Report], filters: Filters, source: Source | None, form: Form) -> None:
    """Print finished reports in one form; without a source, nothing is said about files."""
    if form in ("json", "csv"):
        from measure.reports.machine import as_csv, as_json

        ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")
        whole = as_json(reports, filters, source, ascii_only=ascii_only) if form == "json" else as_csv(reports[0])
        sys.stdout.write(whole)
        return
    from measure.reports.render import as_markdown, as_text

    if form == "markdown":
        sys.stdout.write(as_markdown(reports, filters, source))
    else:
        as_text(reports, filters, source, sys.stdout)
