"""The overview as it was last printed, for the same places: nothing but a walk stands between question and answer.

One file a set of places. Its first line seals the text together with everything it follows from: files and metas with
size, times, inode and device, the settings, the local time zone, and our own code. Another state, another seal: so the
file needs no lock and no transaction, and whatever happens to it costs time only.
"""

from __future__ import annotations

import os

from measure.digest import blake2b
from measure.store.layout import TEXTS, layout
from measure.store.place import DATABASE, where
from measure.transcripts.places import settings_path
from measure.zone import local_names

TYPE_CHECKING = False  # as `typing` has it: a quick report imports little
if TYPE_CHECKING:
    from measure.transcripts.walk import Tree

FOLDER = "overview"
MOST = 32  # sets of places


def is_any() -> bool:
    """There is a store: without one nothing was kept, and nothing will be."""
    return os.path.exists(os.path.join(where(), DATABASE))


def state_of(tree: Tree) -> str:
    """Digest of everything that the overview of `tree` follows from, and that can be known without reading."""
    told: list[object] = [layout(TEXTS), local_names()]
    for root in tree.roots:
        settings = settings_path(root)
        told += [root, settings, _stat(settings) if settings else None]
    told += tree.files
    told += tree.metas
    told += [*tree.skipped, *tree.bad_roots]
    return blake2b("\n".join(map(repr, told)).encode(), digest_size=16).hexdigest()


def _stat(path: str) -> tuple[int, int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_size, info.st_mtime_ns, info.st_ino


def look_up(tree: Tree, state: str) -> str | None:
    """The text that was kept in exactly this state."""
    try:
        with open(_path(tree), encoding="utf-8") as file:
            seal, text = file.readline(), file.read()
    except (OSError, ValueError):
        return None
    return text if seal == _seal(state, text) else None


def keep(tree: Tree, state: str, text: str) -> None:
    """Keep `text` for the next time; failing to is no error."""
    path = _path(tree)
    fresh = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(_seal(state, text) + text)
        os.replace(fresh, path)
        _limit(os.path.dirname(path))
    except (OSError, ValueError):
        return


def _seal(state: str, text: str) -> str:
    return blake2b((state + text).encode(), digest_size=16).hexdigest() + "\n"


def _limit(folder: str) -> None:
    """The newest only, and no leftovers of a process that was killed while writing."""
    with os.scandir(folder) as entries:
        files = sorted((entry.stat().st_mtime_ns, entry.path) for entry in entries)
    for _, path in files[:-MOST]:
        os.unlink(path)


def _path(tree: Tree) -> str:
    key = blake2b("\0".join(tree.roots).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
    return os.path.join(where(), FOLDER, key)
