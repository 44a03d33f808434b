"""From a command line to a finished replay: read once, replay, print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from measure.reports.model import Filters
from measure.reports.run import Form, write
from policy.reports import replay
from policy.reports.replay import Options


def replay_all(
    paths: Sequence[Path],
    filters: Filters,
    options: Options,
    *,
    form: Form,
    or_sample: bool,
    grid: bool,
    out: Path | None,
    modes: Sequence[str] = (),
) -> None:
    """Read, replay one set of limits or a grid of them, or several modes, and print; `out` saves the grid's picture."""
    from measure.reports.read import keep_out, read
    from measure.reports.select import select

    frames, source = read(paths, or_sample=or_sample)
    if out is not None:
        keep_out(out, frames, "--out")
    chosen = select(frames, filters)
    if len(modes) > 1:
        from policy.reports import replay_modes

        write([replay_modes.build(chosen, options, modes)], filters, source, form)
        return
    if not grid:
        write([replay.build(chosen, options, filters)], filters, source, form)
        return
    from policy.reports import replay_grid

    report, table = replay_grid.build(chosen, options)
    if out is not None and source.files_read:
        replay_grid.save(table, out)
        report.notes.append(f"Picture: {out}")
    write([report], filters, source, form)
