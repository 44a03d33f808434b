"""One pass over one file's lines: each record to the function of its kind, every line accounted for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from measure.transcripts import fields as f
from measure.transcripts import others, sniff
from measure.transcripts.assistant import assistant
from measure.transcripts.decode import Fields, decode
from measure.transcripts.sink import Place, Sink
from measure.transcripts.user import user
from measure.transcripts.values import Oddities, moment

# By the record's type; each returns whether the record fed a table.
HANDLERS: dict[str, Callable[[Sink, Place, Fields, bytes], bool]] = {
    "assistant": assistant,
    "user": user,
    "attachment": others.attachment,
    "system": others.system,
    "queue-operation": others.queue,
    "progress": others.progress,
    "api-request": others.api_request,
    "cost-state": others.cost_state,
    "fork-context-ref": others.fork_ref,
}
TALK = ("assistant", "user")


def place_of(file: int, number: int, record: Fields, odd: Oddities) -> Place:
    """Where a record stands and which thread it names. Ids are keys: only clean text will do."""
    session, agent, uuid = record[f.SESSION], record[f.AGENT], record[f.UUID]
    # The test of the usual case is cheap: str.isascii looks at one bit.
    if type(session) is not str or not session.isascii():
        session = odd.string(session)
    if agent is not None and (type(agent) is not str or not agent.isascii()):
        agent = odd.string(agent)
    if type(uuid) is not str or not uuid.isascii():
        uuid = odd.string(uuid)
    return (file, number, moment(record[f.TS]), session, agent, is_aside(record[f.SIDECHAIN], agent), uuid)


def is_aside(sidechain: Any, agent: str | None) -> bool:
    """On a sidechain; the bookkeeping of an agent's file carries the agentId alone."""
    return sidechain is True or (sidechain is None and agent is not None)


def dispatch(sink: Sink, place: Place, record: Fields, line: bytes) -> bool:
    """Hand a record to the function of its kind; True where it fed a table."""
    kind = record[f.TYPE]
    handler = HANDLERS.get(kind) if isinstance(kind, str) else None
    if handler is None:
        return False
    used = handler(sink, place, record, line)
    if kind in TALK and place[5] and place[4] is None:
        sink.add("sidelinks", place, record[f.PARENT], None)
    return used


class Reader:
    """Reads the lines of one file, in order, into a sink. `feed` takes complete lines, `close` writes the totals.

    Until a record is seen that only a transcript holds, `feed` answers why the file may be none (`sniff.verdict`).
    """

    def __init__(self, sink: Sink, file: int, next_line: int = 1) -> None:
        self.sink = sink
        self.odd = sink.odd = Oddities()
        sink.calls = {}
        self.file = file
        self.next_line = next_line
        self.known = False
        self.main_turns = 0
        self.agents: set[str] = set()
        self.records = self.used = self.bookkeeping = self.unknown = self.damaged = 0
        self.first_damaged_line: int | None = None
        self.first_ts: str | None = None
        self.session_id: str | None = None
        self.cwd: str | None = None
        self._spans: dict[tuple[Any, ...], list[Any]] = {}
        self._key: tuple[Any, ...] | None = None
        self._span: list[Any] = []

    def feed(self, chunk: bytes) -> str | None:
        """Decode the complete lines of `chunk` and add their rows, unless they show that this is no transcript.

        Returns None for a transcript, a reason for another file, "" while nothing can be said.
        """
        found = decode(chunk, self.next_line)
        self.next_line = found.after
        why = None if self.known else sniff.verdict(found.lines, found.records)
        if why:
            return why
        self.known = why is None
        odd = self.odd
        for number, line, record in zip(found.numbers, found.lines, found.records, strict=True):
            odd.line = number
            if record is None:
                self._damage(number)
            else:
                self._record(number, line, record)
        self.records += len(found.lines)
        return why

    def _damage(self, number: int) -> None:
        self.damaged += 1
        if self.first_damaged_line is None:
            self.first_damaged_line = number

    def _record(self, number: int, line: bytes, record: Fields) -> None:
        place = place_of(self.file, number, record, self.odd)
        kind = record[f.TYPE]
        if dispatch(self.sink, place, record, line):
            self.used += 1
        elif isinstance(kind, str) and kind in f.KNOWN:
            self.bookkeeping += 1
        else:
            self.unknown += 1
        if kind in TALK:
            if not place[5]:
                self.main_turns += 1
            elif place[4] is not None:
                self.agents.add(place[4])
        self._note(place, record)

    def _note(self, place: Place, record: Fields) -> None:
        """Keep the span of the record's thread, and the file's first time, session and folder."""
        _, number, ts, session, agent, sidechain, uuid = place
        key = (session, agent, sidechain)
        if key == self._key:
            span = self._span
        else:
            span = self._spans.get(key) or self._spans.setdefault(key, [number, None, uuid, None, None, 0, None, None])
            self._key, self._span = key, span
        span[5] += 1
        if ts is not None:
            if span[1] is None:
                span[0], span[1], span[2], span[3], span[4] = number, ts, uuid, ts, ts
                if self.first_ts is None:
                    self.first_ts = ts
            elif ts > span[3]:
                span[3] = ts
            elif ts < span[4]:
                span[4] = ts
        cwd, version = record[f.CWD], record[f.VERSION]
        if type(cwd) is str:
            if span[6] is None:
                span[6] = cwd
                self.cwd = self.cwd or cwd
            span[7] = version
        if self.session_id is None:
            self.session_id = session

    def close(self) -> dict[str, Any]:
        """Write the spans; returns the totals of the lines that were fed, by the names of the table `files`."""
        spans = self.sink.rows["spans"]
        for (session, agent, sidechain), span in self._spans.items():
            number, ts, uuid, last, first, records, cwd, version = span
            spans.append((self.file, number, ts, session, agent, sidechain, uuid, last, first, records, cwd, version))
        return {
            "records": self.records,
            "used": self.used,
            "bookkeeping": self.bookkeeping,
            "unknown": self.unknown,
            "damaged": self.damaged,
            "first_damaged_line": self.first_damaged_line,
            "surrogates": len(self.odd.surrogates),
            "clamped": len(self.odd.clamped),
            "first_ts": self.first_ts,
            "session_id": self.session_id,
            "cwd": self.cwd,
            "agent_id": min(self.agents) if len(self.agents) == 1 and not self.main_turns else None,
        }
