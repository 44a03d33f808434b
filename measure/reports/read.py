"""Reading for a report: the frames, where they come from, and a progress bar when it takes long."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from measure.errors import RootError, UsageError
from measure.looking import Looking
from measure.reports.model import Source
from measure.reports.words import counted
from measure.transcripts.find import default_roots, listing

if TYPE_CHECKING:
    from measure.frames import Frames
    from measure.reports.overview import Counts

More = TypeVar("More")


def read(paths: Sequence[Path], *, or_sample: bool = False) -> tuple[Frames, Source]:
    """Frames of `paths` (none: the user's own folders), and what was read of what.

    `or_sample`: where no path is named and the user has no transcripts, the bundled sample instead, and the source
    says so. Raises RootError when every place that was named is bad.
    """
    frames, told, _ = _read(paths, lambda places: (load(places), None), or_sample=or_sample)
    return frames, told


def overview(paths: Sequence[Path], *, or_sample: bool = False) -> tuple[Counts, Source]:
    """Counts and source of the overview of everything, read part by part; otherwise as `read`."""
    from measure.reports import parts

    def told_of(places: Sequence[Path]) -> tuple[Frames, Counts]:
        with progress() as bar:
            looked, step = (bar.looked, bar.step) if bar else (None, None)
            return parts.overview(listing(places, looked=looked), step)

    _, told, counts = _read(paths, told_of, or_sample=or_sample)
    return counts, told


def _read(
    paths: Sequence[Path], loaded: Callable[[Sequence[Path]], tuple[Frames, More]], *, or_sample: bool
) -> tuple[Frames, Source, More]:
    frames, more = loaded(paths)
    empty = frames.files["skipped"].is_null().sum() == 0
    if or_sample and not paths and empty:
        from measure.sample import transcripts

        frames, more = loaded([transcripts()])
        return frames, source(frames, sample=True), more
    places = [str(path) for path in paths or default_roots()]
    check_places(frames, places)
    return frames, source(frames, places=places), more


def check_places(frames: Frames, places: Sequence[str]) -> None:
    """Raise RootError where every place that was named is bad."""
    bad = frames.bad_roots + [file for file in frames.skipped if file["path"] in frames.roots and _closed(file["path"])]
    if len(bad) >= len(frames.bad_roots) + len(frames.roots):
        if not bad and os.environ.get("CLAUDE_CONFIG_DIR", "").strip():
            bad = [{"path": place, "reason": "no such file or directory"} for place in places]
            bad = bad or [{"path": "CLAUDE_CONFIG_DIR", "reason": "names nothing"}]
        if bad:
            raise RootError(_bad(bad))


def keep_out(target: Path, frames: Frames, option: str) -> None:
    """Raise UsageError where `target`, which `option` named, lies among the transcripts that were read."""
    for root in frames.roots:
        if target.resolve().is_relative_to(Path(root).resolve()):
            raise UsageError(f"{option} {target} lies among the transcripts in {root}: nothing is ever written there.")


def _closed(path: str) -> bool:
    return not os.access(path, os.R_OK)


def load(paths: Sequence[Path]) -> Frames:
    """`measure.frames.load` with a progress bar on a terminal."""
    from measure import frames

    with progress() as bar:
        looked, step = (bar.looked, bar.step) if bar else (None, None)
        return frames.load(list(paths) or None, progress=step, looked=looked)


def source(frames: Frames, *, places: Sequence[str] = (), sample: bool = False) -> Source:
    """The foot of a report on these frames."""
    bad = [(root["path"], root["reason"]) for root in frames.bad_roots]
    skipped = [(file["path"], file["reason"]) for file in frames.skipped]
    return Source(
        files_read=int(frames.files["skipped"].is_null().sum()),
        skipped=tuple(bad + skipped),
        records=frames.records,
        horizon=frames.horizon.as_dict(),
        notes=(*_damaged(frames), *_mended(frames), *frames.notes, *_horizon(frames, sample=sample)),
        places=tuple(places),
        sample=sample,
    )


def _bad(roots: list[dict[str, str]]) -> str:
    named = "; ".join(f"{root['path']}: {root['reason']}" for root in roots)
    return f"nothing to read. {named}. Name a config folder, a project, a session or a file."


def _damaged(frames: Frames) -> Iterator[str]:
    damaged = frames.files.filter(frames.files["damaged"] > 0)
    for row in damaged.head(5).iter_rows(named=True):
        yield (
            f"Damaged: {row['file']}, {counted(row['damaged'], 'line')}, "
            f"the first is line {row['first_damaged_line']:,}."
        )
    if damaged.height > 5:
        yield f"  and {counted(damaged.height - 5, 'more file')} with damaged lines (export has them all)"


def _mended(frames: Frames) -> Iterator[str]:
    surrogates, clamped = (int(frames.files[name].sum()) for name in ("surrogates", "clamped"))
    if surrogates or clamped:
        yield (
            f"Mended: lone surrogates in {counted(surrogates, 'record')}, {counted(clamped, 'number')} beyond 64 bits."
        )


def _horizon(frames: Frames, *, sample: bool) -> Iterator[str]:
    if sample:
        return
    found = frames.horizon
    why = "the default, no cleanupPeriodDays is set" if found.is_default else "cleanupPeriodDays"
    yield (
        f"Horizon: the client deletes transcripts after {counted(found.days, 'day')} ({why}); "
        "older use is not in these numbers."
    )


@contextmanager
def progress() -> Iterator[_Bar | None]:
    """What shows on stderr that something goes on, after a second; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _Bar(Looking):
    """The number of files found, then a Rich progress bar of the bytes read. Both start late."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: Any = None
        self.task: Any = None

    def step(self, done: int, total: int) -> None:
        """`done` bytes of `total` are read."""
        if self.shown is None:
            if not self.late():
                return
            self.clear()
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
            self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
            self.task = self.shown.add_task("reading", total=total, completed=done)
            self.shown.start()
        elif self.due() or done == total:
            self.shown.update(self.task, completed=done, total=total)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self.clear()
        if self.shown is not None:
            self.shown.stop()
