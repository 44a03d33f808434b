"""Paths for people."""

import pytest

from measure.names import short_path, short_project


@pytest.mark.parametrize(
    ("path", "project", "wanted"),
    [
        ("/home/me/p/src/a.py", "/home/me/p", "src/a.py"),
        ("/home/me/p/src/a.py", "/home/me/p/", "src/a.py"),
        ("/home/me/pq/a.py", "/home/me/p", "pq/a.py"),
        ("C:\\Users\\me\\p\\a.py", None, "p/a.py"),
        ("a.py", None, "a.py"),
    ],
)
def test_paths_are_shortened_to_the_project(path: str, project: str | None, wanted: str) -> None:
    assert short_path(path, project) == wanted


@pytest.mark.parametrize(
    ("project", "wanted"), [("/home/me/p", "p"), ("C:\\Users\\me\\p", "p"), ("/", "/"), (None, None)]
)
def test_projects_are_named_by_their_folder(project: str | None, wanted: str | None) -> None:
    assert short_project(project) == wanted
