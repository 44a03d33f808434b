"""Files to raw tables: the one pass, in chunks, with the collector off and flat memory."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from measure.transcripts import build
from measure.transcripts.build import Mended, RawFrames
from measure.transcripts.extract import Reader
from measure.transcripts.find import Found, Listing, reason
from measure.transcripts.journal import journal
from measure.transcripts.metas import metas
from measure.transcripts.raw import BY_NAME
from measure.transcripts.sink import Sink
from measure.transcripts.sniff import JOURNAL

CHUNK = 4 << 20
FLUSH_ROWS = 32_768
Progress = Callable[[int, int], None]  # bytes read, bytes in all


@contextmanager
def collector_off() -> Iterator[None]:
    """The garbage collector walks millions of live tuples for nothing: off while reading, as it was afterwards."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def scan(found: Listing, progress: Progress | None = None) -> RawFrames:
    """Raw tables of all files of `found`, in the order of their paths."""
    with collector_off():
        scanner = Scanner(progress, sum(one.size for one in found.files))
        for number, one in enumerate(found.files):
            scanner.read(number, one)
        for path, why in found.skipped:
            scanner.skip(path, why)
        scanner.sink.rows["metas"] += metas(found)
        return scanner.finish()


class Scanner:
    """Reads files one after the other and turns rows into frames every `FLUSH_ROWS`."""

    def __init__(self, progress: Progress | None = None, total: int = 0) -> None:
        self.sink = Sink()
        self.parts: list[RawFrames] = []
        self.mended: Mended = {}
        self.totals: list[dict[str, Any]] = []
        self._progress, self._total, self._done = progress, total, 0

    def read(self, number: int, one: Found) -> None:
        """Read one file whole; a file that cannot be read or is no transcript is noted with its reason."""
        reader = Reader(self.sink, number)
        try:
            with open(one.path, "rb") as file:  # noqa: PTH123 - one of 100,000
                why = self._lines(reader, file)
                size = file.tell()
        except FileNotFoundError:
            return  # vanished between listing and opening: normal
        except OSError as error:
            self.skip(one.path, reason(error), number)
            return
        if why is not None:
            if why == JOURNAL:
                self.sink.rows["journal"] += journal(number, one)
            self.skip(one.path, why, number, size)
            return
        self.mended.setdefault(number, set()).update(reader.odd.surrogates)
        self.totals.append(self._total_row(number, one, size, reader.close()))

    def _lines(self, reader: Reader, file: Any) -> str | None:
        """Feed all lines; returns a reason where the file is no transcript. A last line without an end is a line."""
        for chunk in chunks(file):
            why = reader.feed(chunk)
            if why:
                return why
            if self.sink.size() > FLUSH_ROWS:
                self.flush()
            self._done += len(chunk)
            if self._progress:
                self._progress(self._done, self._total)
        if reader.known:
            return None
        return "no transcript: no JSON object in it" if reader.records else "empty"

    def _total_row(self, number: int, one: Found, size: int, totals: dict[str, Any]) -> dict[str, Any]:
        own_agent = totals.pop("agent_id")
        session = totals.pop("session_id")
        kind, agent = one.kind, one.agent_id
        if kind == "old agent" and own_agent is None:
            kind, agent = "main", None
        elif kind == "main" and own_agent is not None:
            kind, agent = "old agent", own_agent
        elif own_agent is not None:
            agent = own_agent
        named = one.session_id if kind != "old agent" else session
        row = {"file": number, "path": one.path, "kind": kind, "session_id": named or session, "agent_id": agent}
        return row | {"bytes": size} | totals

    def skip(self, path: str, why: str, number: int | None = None, size: int | None = None) -> None:
        """Note a file that was not read."""
        self.totals.append({"file": number, "path": path, "bytes": size, "skipped": why})

    def flush(self) -> None:
        """Turn the waiting rows into frames."""
        self.parts.append(build.frames(self.sink.drain(), self.mended))

    def finish(self) -> RawFrames:
        """All tables; `surrogates` of a file is known only now."""
        self.flush()
        table = BY_NAME["files"]
        for row in self.totals:
            if "records" in row:
                row["surrogates"] = len(self.mended.get(row["file"], ()))
        rows = [tuple(row.get(name) for name in table.names) for row in self.totals]
        self.parts.append({"files": build.frame(table, rows, self.mended)})
        return build.concat(self.parts)


def chunks(file: Any) -> Iterator[bytes]:
    """The bytes of a file cut behind line ends, and the unterminated rest at the end."""
    kept: list[bytes] = []
    while block := file.read(CHUNK):
        at = block.rfind(b"\n") + 1
        if at:
            yield b"".join((*kept, block[:at]))
            kept = [block[at:]] if at < len(block) else []
        else:
            kept.append(block)
    if kept:
        yield b"".join(kept)
