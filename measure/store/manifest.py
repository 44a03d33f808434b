"""The SQLite side of the store: which files were read how far, and where their rows are. Only the standard library."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from measure.digest import blake2b
from measure.store.last import FOLDER
from measure.store.layout import layout
from measure.store.place import DATABASE
from measure.transcripts.find import Found, Listing
from measure.transcripts.walk import Tree

HEAD = 4096
DAMAGED = "The store was damaged"
OTHER = "The store was written by another version of setpoint"
_MANY = 64  # files from which on one query for all is cheaper than one each
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, file INTEGER NOT NULL, stamp TEXT NOT NULL, entry TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS segments (name TEXT PRIMARY KEY, number INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    roots TEXT PRIMARY KEY, state TEXT NOT NULL, folder TEXT NOT NULL, facts TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ends (
    roots TEXT NOT NULL, path TEXT NOT NULL, ends TEXT NOT NULL, PRIMARY KEY (roots, path));
"""


@dataclass(slots=True)
class Known:
    """What the manifest says of one file: its state when it was read, how far, and what became of its lines.

    `offset` is behind the last complete line that was read, `next_line` its number; `sums` are those of `totals.files`.
    """

    file: int
    size: int
    mtime_ns: int
    inode: int
    device: int
    head: str
    offset: int
    next_line: int = 1
    why: str | None = None
    lines: int = 0
    damaged: int = 0
    first_damaged_line: int | None = None
    surrogates: int = 0
    clamped: int = 0
    ctime_ns: int = 0
    sums: dict[str, Any] = field(default_factory=dict)

    @property
    def stamp(self) -> str:
        """The state the file was read in: nothing was written since where it is the same."""
        return stamp_of(self._state)

    @property
    def _state(self) -> tuple[int, ...]:
        return self.size, self.mtime_ns, self.inode, self.device, self.ctime_ns

    def is_same(self, found: Found) -> bool:
        """Nothing was written since, and nobody was let in or kept out."""
        return self._state == found[1:]

    def has_grown(self, found: Found) -> bool:
        """The file begins as it did and is longer (or only touched): what was read of it is still right."""
        same_place = (self.inode, self.device) == (found.inode, found.device)
        return same_place and found.size >= self.size and self.head == head(found.path, min(self.offset, HEAD))


def stamp_of(state: Iterable[int]) -> str:
    """The state of a file, behind its path, as one text."""
    return " ".join(map(str, state))


_ENTRY = tuple(one.name for one in fields(Known) if one.name != "file")


def head(path: str, size: int) -> str:
    """Digest of the first `size` bytes; empty where they cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return blake2b(file.read(size), digest_size=12).hexdigest()
    except OSError:
        return ""


class Manifest:
    """An open store. Raises sqlite3.Error (or OSError) where the folder cannot be used."""

    def __init__(self, folder: Path, *, repair: bool = True) -> None:
        """`repair`: a damaged store, or one of another layout, is emptied; else sqlite3.DatabaseError is raised."""
        self.folder = folder
        self.rebuilt = ""
        """Why it had to be emptied, as a sentence begins; "" where it was not."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.db = self._connected()
        try:
            self._open(repair)
        except sqlite3.OperationalError:
            raise  # locked or read-only: not damaged
        except sqlite3.DatabaseError:
            self.db.close()
            if not repair:
                raise
            discard(folder)
            self.rebuilt = DAMAGED
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.db = self._connected()
            self._open(repair)

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self.folder / DATABASE, timeout=5.0, isolation_level=None)

    def _open(self, repair: bool) -> None:
        found = self._layout()
        if found == layout():
            return
        if not repair:
            raise sqlite3.DatabaseError("it was written by another version of setpoint")
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=NORMAL")
        with self.writing():
            if found is not None:
                for table in ("files", "segments", "answers", "ends", "meta"):
                    self.db.execute(f"DROP TABLE IF EXISTS {table}")
                self.rebuilt = OTHER
            for statement in _SCHEMA.split(";"):
                self.db.execute(statement)
            self.db.execute("INSERT OR REPLACE INTO meta VALUES ('layout', ?)", (layout(),))

    def _layout(self) -> str | None:
        try:
            row = self.db.execute("SELECT value FROM meta WHERE key = 'layout'").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise
        return row[0] if row else None

    def close(self) -> None:
        """Let go of the database."""
        self.db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One write transaction, undone if anything fails. Raises sqlite3.OperationalError where another holds it."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One consistent view of all tables."""
        self.db.execute("BEGIN")
        try:
            yield
        finally:
            self.db.execute("COMMIT")

    def files(self) -> dict[str, Known]:
        """Every file that was read, by path."""
        rows = self.db.execute("SELECT path, file, entry FROM files")
        return {path: Known(file, **json.loads(entry)) for path, file, entry in rows}

    def known(self, paths: Collection[str]) -> dict[str, Known]:
        """What is known of some files, by path."""
        if len(paths) > _MANY:
            known = self.files()
            return {path: known[path] for path in paths if path in known}
        out = {}
        for path in paths:
            row = self.db.execute("SELECT file, entry FROM files WHERE path = ?", (path,)).fetchone()
            if row:
                out[path] = Known(row[0], **json.loads(row[1]))
        return out

    def stamps(self) -> dict[str, str]:
        """The state each file was read in (`Known.stamp`), by path: all that says whether anything changed."""
        return dict(self.db.execute("SELECT path, stamp FROM files"))

    def put(self, entries: dict[str, Known]) -> None:
        """Write what is known of some files now."""
        rows = []
        for path, known in entries.items():
            entry = {name: getattr(known, name) for name in _ENTRY}  # asdict copies deeply: 0.1 ms a file
            rows.append((path, known.file, known.stamp, json.dumps(entry)))
        self.db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", rows)

    def drop(self, paths: Iterable[str]) -> None:
        """Forget some files."""
        self.db.executemany("DELETE FROM files WHERE path = ?", [(path,) for path in paths])

    def segments(self) -> list[str]:
        """Names of the segments, oldest first."""
        return [name for (name,) in self.db.execute("SELECT name FROM segments ORDER BY number")]

    def add_segment(self, name: str) -> None:
        """The next segment."""
        self.db.execute("INSERT INTO segments SELECT ?, 1 + coalesce(max(number), 0) FROM segments", (name,))

    def answer(self, roots: str) -> tuple[str, str, dict[str, Any]] | None:
        """(state, folder, facts) of the frames that were resolved for these roots."""
        row = self.db.execute("SELECT state, folder, facts FROM answers WHERE roots = ?", (roots,)).fetchone()
        return (row[0], row[1], json.loads(row[2])) if row else None

    def ends(self, roots: str, path: str) -> dict[str, Any] | None:
        """What `store.ends` kept of one file."""
        row = self.db.execute("SELECT ends FROM ends WHERE roots = ? AND path = ?", (roots, path)).fetchone()
        return json.loads(row[0]) if row else None

    def keep(self, roots: str, state: str, name: str, facts: dict[str, Any], ends: dict[str, dict[str, Any]]) -> None:
        """The frames of these roots are in the folder `name` now."""
        self.db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (roots, state, name, json.dumps(facts)))
        self.db.execute("DELETE FROM ends WHERE roots = ?", (roots,))
        rows = [(roots, path, json.dumps(one)) for path, one in ends.items()]
        self.db.executemany("INSERT INTO ends VALUES (?, ?, ?)", rows)

    def empty(self) -> None:
        """Forget everything; to be called while writing."""
        for table in ("files", "segments", "answers", "ends"):
            self.db.execute(f"DELETE FROM {table}")  # noqa: S608 - names of ours


def roots_key(found: Listing | Tree) -> str:
    """Names a set of places to read."""
    return blake2b("\0".join(sorted(found.roots)).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def state_of(found: Listing, known: dict[str, Known]) -> str:
    """Digest of everything frames are made of, as the manifest has it: equal digests, equal frames."""
    return digest_of(
        [(one.path, at.stamp if (at := known.get(one.path)) else None) for one in found.files],
        found.meta_states,
        (*found.skipped, *found.bad_roots),
    )


def state_of_tree(tree: Tree, stamps: dict[str, str]) -> str:
    """Likewise, from the stamps alone."""
    files = [(state[0], stamps.get(state[0])) for state in tree.files]
    return digest_of(files, tree.metas, (*tree.skipped, *tree.bad_roots))


def digest_of(
    files: Iterable[tuple[str, str | None]],
    metas: Iterable[tuple[str, int, int, int]],
    left_out: Iterable[tuple[str, str]],
) -> str:
    """Digest of files with the stamps they were read in, of metas as they are, and of what could not be looked at."""
    told = [*map(repr, files), *map(repr, metas), *map(repr, left_out)]
    return blake2b("\n".join(told).encode(), digest_size=16).hexdigest()


def discard(folder: Path) -> None:
    """Remove everything of ours in the store's folder; nothing else."""
    import shutil

    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
        with suppress(OSError):
            os.unlink(folder / name)  # noqa: PTH108
    for name in ("segments", "frames", FOLDER):
        shutil.rmtree(folder / name, ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()
