"""Paths as they stand in tool calls, made comparable: absolute, without `.` and `..`, Windows paths with slashes."""

from __future__ import annotations

import posixpath
from functools import lru_cache

import polars as pl

DRIVE = 2


def absolutes(paths: pl.Series, folders: pl.Series) -> pl.Series:
    """`absolute` of each path against its folder."""
    path, cwd = pl.col("path"), pl.col("cwd")
    odd = path.str.contains(r"//|/\.|/$|^[^/]|^$") | (cwd.str.starts_with("/") | (cwd == "")).not_()
    rows = pl.DataFrame({"path": paths, "cwd": folders})
    at = rows.select(odd.fill_null(value=False).arg_true()).to_series()
    if not at.len():
        return paths
    return paths.scatter(at, pl.Series([absolute(*row) for row in rows[at].iter_rows()], dtype=pl.String))


@lru_cache(maxsize=65_536)
def absolute(path: str | None, cwd: str | None) -> str | None:
    """`path` against `cwd`; as written where `cwd` is unknown. Nothing is looked up on disk: it may be another's."""
    if not path:
        return None
    windows = _is_windows(path) or _is_windows(cwd or "")
    if windows:
        path = _slashes(path)
    if not (path.startswith("/") or _is_windows(path)) and cwd:
        path = posixpath.join(_slashes(cwd) if windows else cwd, path)
    return posixpath.normpath(path)


def _is_windows(path: str) -> bool:
    return len(path) >= DRIVE and path[1] == ":" and path[0].isalpha()


def _slashes(path: str) -> str:
    """Backslashes turned; `/c/Users`, as Git's bash writes it, is `C:/Users`; drive letters are capital."""
    path = path.replace("\\", "/")
    if len(path) > DRIVE and path[0] == "/" and path[2] == "/" and path[1].isalpha():
        path = f"{path[1]}:{path[2:]}"
    return path[0].upper() + path[1:] if _is_windows(path) else path
