"""Project of a record: the repository root of its working folder, worktrees folded in; never the slug."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import polars as pl

from measure.frames.runs import runs
from measure.transcripts.build import RawFrames

_WORKTREE = re.compile(r"[/\\]\.claude[/\\]worktrees[/\\].*$")
_GITDIR = re.compile(r"^gitdir:\s*(.+?)[/\\]\.git[/\\]worktrees[/\\][^/\\]+\s*$")


def with_project(raw: RawFrames, rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `project`, by their `path` and `cwd`; a missing cwd is that of the file's start."""
    starts = dict(raw["files"].select("path", "cwd").iter_rows())
    run, heads = runs(rows, ("path", "cwd"))
    found = [project(cwd, starts.get(path)) for path, cwd in heads.iter_rows()]
    return rows.with_columns(pl.Series("project", found, dtype=pl.String).gather(run))


def project(cwd: str | None, start: str | None = None) -> str | None:
    """Repository root of `cwd`. A folder below `start` (where the session began) that is no repository is `start`'s."""
    folder = root(cwd or start)
    top = root(start)
    if folder is None or top is None or folder == top:
        return folder
    below = folder.startswith((top.rstrip("/") + "/", top.rstrip("\\") + "\\"))
    return top if below and not _is_repository(folder) else folder


@lru_cache(maxsize=65_536)
def root(cwd: str | None) -> str | None:
    """The folder that holds `.git` above `cwd`; for a worktree its repository; `cwd` itself where neither is known."""
    if not cwd:
        return None
    folded = _WORKTREE.sub("", cwd)
    if folded != cwd:
        return folded
    if not Path(cwd).is_absolute():  # a path of another system: nothing to look up here
        return cwd.rstrip("/\\") or cwd
    for folder in (Path(cwd), *Path(cwd).parents):
        try:
            git = folder / ".git"
            if git.is_dir():
                return str(folder)
            if git.is_file():
                match = _GITDIR.match(git.read_text(encoding="utf-8", errors="replace"))
                return match.group(1) if match else str(folder)
        except (OSError, ValueError):
            break
    return cwd.rstrip("/\\") or cwd


@lru_cache(maxsize=65_536)
def _is_repository(folder: str) -> bool:
    try:
        return (Path(folder) / ".git").exists()
    except (OSError, ValueError):
        return False
