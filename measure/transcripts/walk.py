"""The walk over folders of transcripts, in plain texts and tuples: 100,000 files, and a report in no time."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # as `typing` has it, which takes time
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    State = tuple[str, int, int, int, int, int]  # path, size, mtime_ns, inode, device, ctime_ns
    Meta = tuple[str, int, int, int]  # path, size, mtime_ns, ctime_ns
    Looked = Callable[[int], None]  # files found so far

META_SUFFIX = ".meta.json"


class Tree:
    """What lies below some roots: transcripts and metas as they are now, and what could not be looked at.

    Both are in the order of their paths. The time of the last change (ctime) tells that a file may be read now.
    """

    __slots__ = ("bad_roots", "files", "looked", "metas", "roots", "skipped")

    def __init__(self, looked: Looked | None = None) -> None:
        self.looked = looked
        self.roots: list[str] = []
        self.files: list[State] = []
        self.metas: list[Meta] = []
        self.skipped: list[tuple[str, str]] = []
        self.bad_roots: list[tuple[str, str]] = []


def walk(roots: Iterable[str], *, named: bool, looked: Looked | None = None) -> Tree:
    """Everything below `roots`. A root that does not exist is a bad one where it was `named`."""
    out = Tree(looked)
    seen: set[tuple[int, int]] = set()
    for root in roots:
        try:
            info = os.stat(root)
        except OSError as error:
            if named or not isinstance(error, FileNotFoundError):
                out.bad_roots.append((root, reason(error)))
            continue
        out.roots.append(root)
        if stat.S_ISDIR(info.st_mode):
            _folder(_start(root), out, seen)
        elif stat.S_ISREG(info.st_mode):
            _take(root, out, seen)
            own = os.path.splitext(root)[0]
            if _is_dir(own):
                _folder(own, out, seen)
        else:
            out.bad_roots.append((root, "no file and no folder"))
    out.files.sort()
    out.metas.sort()
    return out


def is_transcript(name: str) -> bool:
    """`x.jsonl`, and the numbered parts `x.jsonl.1` of a long one."""
    if name.endswith(".jsonl"):
        return True
    lower = name.lower()
    whole, _, number = lower.rpartition(".")
    return lower.endswith(".jsonl") or (number.isdecimal() and whole.endswith(".jsonl"))


def is_meta(name: str) -> bool:
    """What the client writes beside an agent's transcript."""
    return name.endswith(META_SUFFIX) and name.startswith("agent-") and len(name) > len("agent-" + META_SUFFIX)


def reason(error: OSError) -> str:
    """Why a file could not be read, in words that name no path."""
    return (error.strerror or type(error).__name__).lower()


def _start(root: str) -> str:
    """The folder to walk: a config folder's `projects`; its other files (history, debug logs) are no transcripts."""
    projects = os.path.join(root, "projects")
    return projects if _is_dir(projects) else root


def _is_dir(path: str) -> bool:
    # Path.is_dir raises where a folder above may not be entered (before Python 3.14)
    return os.path.isdir(path)


def _folder(top: str, out: Tree, seen: set[tuple[int, int]]) -> None:
    """Every file below `top`, links followed once per (device, inode), errors noted. No recursion: depth is free."""
    if _is_dir(os.path.join(top, "subagents")):  # a session's own folder: its main file lies beside it
        main = f"{top}.jsonl"
        if os.path.isfile(main):
            _take(main, out, seen)
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            info = os.stat(folder)
            if (info.st_dev, info.st_ino) in seen:
                continue
            seen.add((info.st_dev, info.st_ino))
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=_name)
        except FileNotFoundError:
            continue
        except OSError as error:
            out.skipped.append((folder, reason(error)))
            continue
        waiting += _entries(entries, out, seen)


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _entries(entries: list[os.DirEntry[str]], out: Tree, seen: set[tuple[int, int]]) -> list[str]:
    """Take the files among `entries`; the folders, last first."""
    folders: list[str] = []
    for entry in entries:
        try:
            if entry.is_dir():
                folders.append(entry.path)
            elif is_transcript(entry.name):
                _take(entry.path, out, seen)
            elif is_meta(entry.name):
                info = entry.stat()
                out.metas.append((entry.path, info.st_size, info.st_mtime_ns, info.st_ctime_ns))
        except FileNotFoundError:
            continue
        except OSError as error:
            out.skipped.append((entry.path, reason(error)))
    folders.reverse()
    return folders


def _take(path: str, out: Tree, seen: set[tuple[int, int]]) -> None:
    try:
        info = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            out.skipped.append((path, "the link leads nowhere"))
        return  # vanished between listing and opening: normal
    except OSError as error:
        out.skipped.append((path, reason(error)))
        return
    if not stat.S_ISREG(info.st_mode):
        out.skipped.append((path, "no regular file"))
        return
    inode, device = info.st_ino, info.st_dev
    if (device, inode) not in seen:
        seen.add((device, inode))
        out.files.append((path, info.st_size, info.st_mtime_ns, inode, device, info.st_ctime_ns))
        if out.looked:
            out.looked(len(out.files))
