"""What an agent had written before its report went out: blocked attempts, and the size of the first one."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime
from typing import Any, NamedTuple

import polars as pl

from measure.frames.runs import POSITION, THREAD
from measure.transcripts.build import RawFrames

HANDBACK = "SubagentHandback"
Key = tuple[str | None, str | None]


class Attempts(NamedTuple):
    """`tried` blocked attempts; `first_chars` UTF-16 units of the first one, or of the final text where none was."""

    tried: int | None
    first_chars: int | None


UNKNOWN = Attempts(None, None)


class Ends:
    """The ends that each agent's own file tells of, in order: a block of the Stop hook, or a refused hand-back."""

    def __init__(self, raw: RawFrames) -> None:
        self._blocks: dict[Key, list[tuple[datetime, int | None]]] = {}
        self._texts: dict[Key, list[tuple[datetime, int]]] = {}
        for key, kind, ts, chars in _marks(raw):
            if kind == "text":
                self._texts.setdefault(key, []).append((ts, chars))
            elif kind == "refused":
                self._blocks.setdefault(key, []).append((ts, chars))
            else:
                texts = self._texts.get(key)
                self._blocks.setdefault(key, []).append((ts, texts[-1][1] if texts else None))
        for blocks in self._blocks.values():
            _by_time(blocks)
        for sizes in self._texts.values():
            _by_time(sizes)

    def known(self, key: Key) -> bool:
        """The agent's own text is there to be judged."""
        return key in self._texts or key in self._blocks

    def between(self, key: Key, after: datetime | None, until: datetime | None, handed: int | None = None) -> Attempts:
        """Attempts of the agent in (after, until]; `handed` is the size of an accepted hand-back."""
        if not self.known(key):
            return UNKNOWN
        texts = _within(self._texts.get(key, []), after, until)
        blocks = _within(self._blocks.get(key, []), after, until)
        if handed is None:
            # The client overrules a hook that blocks for the ninth time in a row: that answer went out.
            blocks = [block for block in blocks if texts and block[0] < texts[-1][0]]
        if blocks:
            return Attempts(len(blocks), blocks[0][1])
        if handed is not None:
            return Attempts(0, handed)
        return Attempts(0, texts[-1][1] if texts else None)


def _by_time(marks: list[Any]) -> None:
    marks.sort(key=lambda mark: mark[0])  # the clock may have gone back


def _within(marks: list[tuple[datetime, Any]], after: datetime | None, until: datetime | None) -> list[Any]:
    times = [ts for ts, _ in marks]
    start = 0 if after is None else bisect_right(times, after)
    end = len(marks) if until is None else bisect_right(times, until)
    return marks[start:end]


def _marks(raw: RawFrames) -> list[tuple[Key, str, datetime, Any]]:
    """Texts, blocks and refused hand-backs of all agents, in order of their place."""
    agents = pl.col("owned") & pl.col("agent_id").is_not_null() & pl.col("ts").is_not_null()
    names = (*THREAD, *POSITION, "ts")
    texts = raw["usage"].select(*names, "owned", "last_text_chars", "from_progress")
    texts = texts.filter(agents & pl.col("last_text_chars").is_not_null() & ~pl.col("from_progress"))
    stops = raw["turns"].filter(agents & pl.col("kind").is_in(["stop_feedback", "stop_context"]))
    calls = raw["tool_uses"].filter(agents & (pl.col("tool") == HANDBACK))
    refused = raw["tool_results"].filter("is_error").select("file", "tool_use_id").unique()
    refusals = calls.join(refused, on=("file", "tool_use_id"), how="inner")
    parts = [
        texts.select(*names, pl.lit("text").alias("kind"), pl.col("last_text_chars").alias("chars")),
        stops.select(*names, pl.lit("block").alias("kind"), pl.lit(None, pl.Int64).alias("chars")),
        refusals.select(*names, pl.lit("refused").alias("kind"), pl.col("message_chars").alias("chars")),
    ]
    rows = pl.concat(parts).sort(*POSITION, nulls_last=True).select(*THREAD, "kind", "ts", "chars")
    return [((session, agent), kind, ts, chars) for session, agent, kind, ts, chars in rows.iter_rows()]
