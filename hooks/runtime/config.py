"""`setpoint.json`: one section a feature, read live at every call."""

from .jsontext import loads
from .paths import LEVELS, parent, project_root, system, user_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "setpoint.json"
MAX_BYTES = 1_000_000


def read_bytes(path: str, limit: int) -> bytes:
    """A file's bytes. Raises OSError when it cannot be read, ValueError when it is longer than `limit`."""
    handle = system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0) | getattr(system, "O_NONBLOCK", 0))
    try:
        parts = []
        left = limit + 1
        while left > 0:
            part = system.read(handle, min(left, 1 << 16))
            if not part:
                break
            parts.append(part)
            left -= len(part)
    finally:
        system.close(handle)
    if left <= 0:
        raise ValueError("too long")
    return b"".join(parts)


def read(path: str) -> "dict[str, Any] | None":
    """The object in a config file; None when it is missing, unreadable, malformed or no object."""
    try:
        value = loads(read_bytes(path, MAX_BYTES))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def candidates(root: str, user: "str | None") -> "list[str]":
    """Every place a config may stand, nearest first: the root and the folders above it, then the user's."""
    found = []
    path = root
    for _ in range(LEVELS):
        found.append(path.rstrip("/") + "/.claude/" + NAME)
        above = parent(path)
        if above == path:
            break
        path = above
    if user is not None and user + "/" + NAME not in found:
        found.append(user + "/" + NAME)
    return found


class Config:
    """The config files of one call, opened only as far as a section has to be looked for."""

    def __init__(self, root: "str | None" = None, user: "str | None" = None) -> None:
        self.root = project_root() if root is None else root
        self.user = user_folder() if user is None else user
        self._waiting = candidates(self.root, self.user)
        self._read: list[tuple[str, dict[str, Any]]] = []

    def section(self, name: str) -> "dict[str, Any] | None":
        """The nearest section of that name; a file without it, or with something else there, is passed over."""
        return self.find(name)[0]

    def find(self, name: str) -> "tuple[dict[str, Any] | None, str | None]":
        """The nearest section and the file it stands in."""
        for path, value in self._read:
            if isinstance(value.get(name), dict):
                return value[name], path
        while self._waiting:
            path = self._waiting.pop(0)
            found = read(path)
            if found is None:
                continue
            self._read.append((path, found))
            if isinstance(found.get(name), dict):
                return found[name], path
        return None, None
