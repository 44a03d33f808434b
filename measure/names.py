"""How paths are named for people: short, and without the folders above the project."""

from __future__ import annotations


def short_path(path: str, project: str | None) -> str:
    """`path` relative to its project, else its last two parts."""
    root = (project or "").replace("\\", "/").rstrip("/") + "/"
    plain = path.replace("\\", "/")
    if project and plain.startswith(root):
        return plain[len(root) :]
    parts = [part for part in plain.split("/") if part]
    return "/".join(parts[-2:]) if parts else path


def short_project(project: str | None) -> str | None:
    """The project's own folder; null stays null."""
    return project and (short_path(project, None).rsplit("/", 1)[-1] or project)
