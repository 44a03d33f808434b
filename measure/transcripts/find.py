"""Where transcripts lie: roots, the walk, and what each file is called. Names are hints, content decides later."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_TRANSCRIPT = re.compile(r"\.jsonl(\.\d+)?$", re.IGNORECASE)
META_SUFFIX = ".meta.json"
_AGENT = re.compile(r"^agent-(.+?)\.(?:jsonl(?:\.\d+)?|meta\.json)$")


@dataclass(frozen=True, slots=True)
class Found:
    """One file to read. `session_id` and `agent_id` are what its place suggests; None where it suggests nothing."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    device: int
    kind: str
    session_id: str | None
    agent_id: str | None


@dataclass(slots=True)
class Listing:
    """Result of the walk: transcripts and metas in the order of their paths, and what could not be looked at."""

    roots: list[str] = field(default_factory=list)
    files: list[Found] = field(default_factory=list)
    metas: list[str] = field(default_factory=list)
    meta_states: list[tuple[str, int, int]] = field(default_factory=list)  # path, size, mtime_ns
    skipped: list[tuple[str, str]] = field(default_factory=list)
    bad_roots: list[tuple[str, str]] = field(default_factory=list)


def default_roots(env: Mapping[str, str] | None = None) -> list[Path]:
    """Config folders: those of CLAUDE_CONFIG_DIR (comma or path separator), else ~/.config/claude and ~/.claude."""
    env = os.environ if env is None else env
    given = env.get("CLAUDE_CONFIG_DIR", "")
    if given.strip():
        return [Path(part).expanduser() for part in _split(given)]
    config = env.get("XDG_CONFIG_HOME") or "~/.config"
    return [Path(config).expanduser() / "claude", Path("~/.claude").expanduser()]


def _split(given: str) -> list[str]:
    parts = [part.strip() for part in given.split(",")]
    # A path separator splits only where the whole is no path: "C:\\x" on Windows, "/a:b" where it exists.
    out: list[str] = []
    for part in parts:
        out += [part] if os.path.lexists(part) else part.split(os.pathsep)
    return [part.strip() for part in out if part.strip()]


def listing(paths: Sequence[str | os.PathLike[str]] | None = None, env: Mapping[str, str] | None = None) -> Listing:
    """Walk `paths`, or the default roots. A given path that does not exist is a bad root; a default one is not."""
    out = Listing()
    seen: set[tuple[int, int]] = set()
    for root in default_roots(env) if not paths else [Path(path).expanduser() for path in paths]:
        try:
            info = root.stat()
        except OSError as error:
            if paths or not isinstance(error, FileNotFoundError):
                out.bad_roots.append((str(root), reason(error)))
            continue
        out.roots.append(str(root))
        if stat.S_ISDIR(info.st_mode):
            _walk(_start(root), out, seen)
        elif stat.S_ISREG(info.st_mode):
            _take(str(root), out, seen)
            own = root.with_suffix("")
            if _is_dir(own):
                _walk(own, out, seen)
        else:
            out.bad_roots.append((str(root), "no file and no folder"))
    out.files.sort(key=lambda found: found.path)
    out.metas.sort()
    out.meta_states.sort()
    return out


def _start(root: Path) -> Path:
    """The folder to walk: a config folder's `projects`; its other files (history, debug logs) are no transcripts."""
    projects = root / "projects"
    return projects if _is_dir(projects) else root


def _is_dir(path: Path) -> bool:
    # Path.is_dir raises where a folder above may not be entered (before Python 3.14)
    return os.path.isdir(path)  # noqa: PTH112


def _walk(top: Path, out: Listing, seen: set[tuple[int, int]]) -> None:
    """Every file below `top`, links followed once per (device, inode), errors noted. No recursion: depth is free."""
    if _is_dir(top / "subagents"):  # a session's own folder: its main file lies beside it
        main = top.parent / (top.name + ".jsonl")
        if os.path.isfile(main):  # noqa: PTH113 - as in _is_dir
            _take(str(main), out, seen)
    waiting = [str(top)]
    while waiting:
        folder = waiting.pop()
        try:
            info = os.stat(folder)  # noqa: PTH116 - strings all the way: 100,000 files
            if (info.st_dev, info.st_ino) in seen:
                continue
            seen.add((info.st_dev, info.st_ino))
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except FileNotFoundError:
            continue
        except OSError as error:
            out.skipped.append((folder, reason(error)))
            continue
        waiting += reversed(list(_files(entries, out, seen)))


def _files(entries: Iterable[os.DirEntry[str]], out: Listing, seen: set[tuple[int, int]]) -> Iterator[str]:
    """Take the files among `entries`, yield the folders."""
    for entry in entries:
        try:
            if entry.is_dir():
                yield entry.path
            elif _TRANSCRIPT.search(entry.name):
                _take(entry.path, out, seen)
            elif entry.name.endswith(META_SUFFIX) and _AGENT.match(entry.name):
                info = entry.stat()
                out.metas.append(entry.path)
                out.meta_states.append((entry.path, info.st_size, info.st_mtime_ns))
        except FileNotFoundError:
            continue
        except OSError as error:
            out.skipped.append((entry.path, reason(error)))


def _take(path: str, out: Listing, seen: set[tuple[int, int]]) -> None:
    try:
        info = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        if os.path.islink(path):  # noqa: PTH114
            out.skipped.append((path, "the link leads nowhere"))
        return  # vanished between listing and opening: normal
    except OSError as error:
        out.skipped.append((path, reason(error)))
        return
    if not stat.S_ISREG(info.st_mode):
        out.skipped.append((path, "no regular file"))
        return
    if (info.st_dev, info.st_ino) in seen:
        return
    seen.add((info.st_dev, info.st_ino))
    kind, session, agent = place_of(path)
    out.files.append(Found(path, info.st_size, info.st_mtime_ns, info.st_ino, info.st_dev, kind, session, agent))


def place_of(path: str) -> tuple[str, str | None, str | None]:
    """(kind, session id, agent id) that a path suggests."""
    parts = path.replace("\\", "/").split("/")
    match = _AGENT.match(parts[-1])
    agent = match.group(1) if match else None
    if "subagents" in parts[:-1]:
        at = len(parts) - 2 - parts[-2::-1].index("subagents")
        session = parts[at - 1] if at > 0 else None
        return ("workflow agent" if "workflows" in parts[at:-1] else "agent"), session, agent
    if agent is not None:
        return "old agent", None, agent
    return "main", _TRANSCRIPT.sub("", parts[-1]), None


def reason(error: OSError) -> str:
    """Why a file could not be read, in words that name no path."""
    return (error.strerror or type(error).__name__).lower()
