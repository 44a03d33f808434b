"""Small files of state, one folder per (session, party): parallel agents never share one."""

from time import time

from .config import read
from .jsontext import dumps
from .paths import exists, make_folders, system

KEEP_SECONDS = 7 * 86_400
MAX_BLOCKS = 2  # blocks of one agent, all our rules together
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def file_name(text: str) -> str:
    """A name safe as one path part; different texts give different names."""
    kept = "".join([char if char in _PLAIN else "-" for char in text[:80]])
    if kept == text and text:
        return kept
    mark = 2166136261
    for byte in text.encode("utf-8", "surrogatepass"):
        mark = (mark ^ byte) * 16777619 & 0xFFFFFFFFFFFFFFFF
    return f"{kept}.{mark:x}"


class State:
    """The state of one party: an agent's, or the main thread's when `agent_id` is empty."""

    def __init__(self, home: str, session_id: str, agent_id: str = "") -> None:
        self._all = home + "/state"
        self._session = self._all + "/" + file_name(session_id)
        self._folder = self._session + "/" + (file_name(agent_id) if agent_id else "main.thread")

    def _prepare(self) -> None:
        try:
            system.mkdir(self._folder)
        except FileExistsError:
            return
        except FileNotFoundError:
            make_folders(self._folder)

    def claim(self, rule: str) -> bool:
        """Take a latch; False when it is taken already. Raises OSError when nothing can be written."""
        self._prepare()
        try:
            system.close(
                system.open(f"{self._folder}/{rule}.latch", system.O_CREAT | system.O_EXCL | system.O_WRONLY, 0o600)
            )
        except FileExistsError:
            return False
        return True

    def release(self, rule: str) -> None:
        """Give a latch back."""
        try:
            system.unlink(f"{self._folder}/{rule}.latch")
        except OSError:
            pass

    def latches(self) -> "frozenset[str]":
        """The latches taken for this party."""
        try:
            names = system.listdir(self._folder)
        except OSError:
            return frozenset()
        return frozenset([name[:-6] for name in names if name.endswith(".latch")])

    def claim_block(self, rule: str) -> bool:
        """Take one of the party's blocks for a rule: once per rule, at most MAX_BLOCKS for all rules together."""
        taken = self.latches()
        spent = [name for name in taken if name.startswith("block-")]
        return f"block-{rule}" not in taken and len(spent) < MAX_BLOCKS and self.claim(f"block-{rule}")

    def load(self, name: str) -> "dict[str, Any]":
        """A small object kept under that name; empty when missing or broken."""
        return read(f"{self._folder}/{name}.json") or {}

    def save(self, name: str, value: "dict[str, Any]") -> None:
        """Keep a small object, whole or not at all. Raises OSError when it cannot be written."""
        self._prepare()
        path = f"{self._folder}/{name}.json"
        spare = f"{path}.{system.getpid()}"
        handle = system.open(
            spare, system.O_CREAT | system.O_TRUNC | system.O_WRONLY | getattr(system, "O_BINARY", 0), 0o600
        )
        try:
            system.write(handle, dumps(value).encode())
        finally:
            system.close(handle)
        system.replace(spare, path)

    def forget_everywhere(self, name: str) -> None:
        """Drop what every party of the session keeps under that name."""
        try:
            parties = system.listdir(self._session)
        except OSError:
            return
        for party in parties:
            path = f"{self._session}/{party}/{name}.json"
            if exists(path):
                system.unlink(path)


def sweep(folder: str) -> None:
    """Drop the sessions nobody touched for a week."""
    oldest = time() - KEEP_SECONDS
    for session in system.listdir(folder) if exists(folder) else ():
        path = folder + "/" + session
        try:
            if system.stat(path).st_mtime < oldest:
                remove(path)
        except OSError:
            continue


def remove(path: str) -> None:
    """Remove a folder of ours with all in it."""
    for name in system.listdir(path):
        part = path + "/" + name
        try:
            system.unlink(part)
        except OSError:
            remove(part)
    system.rmdir(path)
