"""Path text without `os`: as posixpath and ntpath would have it."""

import ntpath
import posixpath

import pytest

from hooks.runtime.paths import absolute, parent


@pytest.mark.parametrize("path", ["/", "/a", "/a/b", "/a/b/c", "/a b/c'd/$e"])
def test_parent_of_posix_paths(path: str) -> None:
    assert parent(path, windows=False) == posixpath.dirname(path)


@pytest.mark.parametrize(
    "path",
    [
        "C:\\",
        "C:\\a",
        "C:\\a\\b",
        "C:/a/b",
        "C:\\a/b\\c",
        "c:/Users/A B/it's",
        "\\\\host\\share\\a",
        "\\\\host\\share\\a\\b",
    ],
)
def test_parent_of_windows_paths(path: str) -> None:
    assert ntpath.normpath(parent(path, windows=True)) == ntpath.normpath(ntpath.dirname(path))


@pytest.mark.parametrize("path", ["/", "C:\\", "C:/", "\\\\host\\share\\"])
def test_a_root_gives_itself(path: str) -> None:
    assert parent(path, windows=path != "/") == path


@pytest.mark.parametrize("start", ["C:\\a\\b\\c", "\\\\host\\share\\a\\b", "/a/b/c"])
def test_climbing_ends(start: str) -> None:
    path, steps = start, 0
    while parent(path, windows=start[0] != "/") != path:
        path, steps = parent(path, windows=start[0] != "/"), steps + 1
    assert steps <= 4


@pytest.mark.parametrize("path", ["C:\\a", "C:/a", "\\\\host\\share", "a\\b", "C:a", "", "a"])
def test_absolute_on_windows(path: str) -> None:
    assert absolute(path, windows=True) == (ntpath.isabs(path) and (path[1:2] == ":" or path[:2] == "\\\\"))


@pytest.mark.parametrize("path", ["/", "/a", "a", "", "./a", "C:\\a"])
def test_absolute_on_posix(path: str) -> None:
    assert absolute(path, windows=False) == posixpath.isabs(path)
