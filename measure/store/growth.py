"""A few new lines of known files, added to the figures of the overview. No Polars."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from datetime import datetime
from pathlib import Path
from typing import Any

from measure.store.manifest import Known
from measure.transcripts.assistant import LAUNCHERS
from measure.transcripts.extract import Reader
from measure.transcripts.find import Found
from measure.transcripts.raw import BY_NAME
from measure.transcripts.sink import Sink
from measure.transcripts.values import INT64_MAX, digest

# Tables that change no figure of the overview; `usage` and `spans` are looked at, any other sends us to the frames.
HARMLESS = frozenset(
    {"tool_results", "contents", "printed", "turns", "api_requests", "events", "attached", "boundaries", "costs"}
)
LOOKED_AT = frozenset({"usage", "spans", "tool_uses"})
SUMMED = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
)
PROMPT = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
UNITS_PER_TOKEN = 8  # as measure.frames.requests
EARLIEST, LATEST = "1970-01-02T00:00:00.000Z", "2999-01-01T00:00:00.000Z"  # as measure.transcripts.build


class Keys:
    """Digests of all response ids of the last frames."""

    def __init__(self, path: Path) -> None:
        self.sorted = array("q")
        self.sorted.frombytes(path.read_bytes())

    def __contains__(self, message_id: str) -> bool:
        key = digest(message_id)
        at = bisect_left(self.sorted, key)
        return at < len(self.sorted) and self.sorted[at] == key


def add(facts: dict[str, Any], one: Found, known: Known, ends: dict[str, Any] | None, keys: Keys) -> bool:
    """Add what was written to `one` since; False where it may change more than can be told here.

    `ends` tells of the file: its threads with their kind, its folders, and its last responses whole.
    """
    if ends is None or known.why is not None or known.offset != known.size or not known.has_grown(one):
        return False
    with open(one.path, "rb") as file:  # noqa: PTH123
        file.seek(known.offset)
        data = file.read(one.size - known.offset)
    sink = Sink()
    reader = Reader(sink, 0, known.next_line)
    reader.known = True
    reader.feed(data)
    sums = reader.close()
    rows = {name: table for name, table in sink.rows.items() if table}
    if not rows.keys() <= HARMLESS | LOOKED_AT or not _only_known(rows, ends) or not _later(rows, facts["oldest"]):
        return False
    if not _responses(facts["counts"], _named(rows.get("usage", []), "usage"), ends, keys):
        return False
    for name in ("used", "bookkeeping", "unknown", "damaged"):
        facts["records"][name] += sums[name]
    facts["records"]["read"] += sums["records"]
    return True


def sort(counts: dict[str, Any]) -> None:
    """Put the groups in the order of `reports.overview.count` again."""
    counts["by_model"].sort(key=lambda row: (-row["requests"], row["model"] is not None, row["model"]))
    counts["by_thread"].sort(key=lambda row: (-row["total_input_tokens"], row["agent_type"]))


def _named(rows: list[tuple[Any, ...]], table: str) -> list[dict[str, Any]]:
    names = BY_NAME[table].names
    return [dict(zip(names, row, strict=True)) for row in rows]


def _only_known(rows: dict[str, list[tuple[Any, ...]]], ends: dict[str, Any]) -> bool:
    """No new thread or folder, and no launch."""
    threads = {tuple(thread[:3]) for thread in ends["threads"]}
    spans = _named(rows.get("spans", []), "spans")
    if any((span["session_id"], span["agent_id"], span["sidechain"]) not in threads for span in spans):
        return False
    calls = _named(rows.get("tool_uses", []), "tool_uses")
    if any(call["tool"] in (*LAUNCHERS, "Workflow") for call in calls):
        return False
    return all(row["cwd"] in ends["folders"] for row in _named(rows.get("usage", []), "usage"))


def _later(rows: dict[str, list[tuple[Any, ...]]], oldest: str | None) -> bool:
    """No time before the oldest that is known: that one is part of the horizon."""
    times = [span["first_ts"] for span in _named(rows.get("spans", []), "spans") if span["first_ts"]]
    if not times:
        return True
    return oldest is not None and datetime.fromisoformat(min(times)) >= datetime.fromisoformat(oldest)


def _responses(counts: dict[str, Any], rows: list[dict[str, Any]], ends: dict[str, Any], keys: Keys) -> bool:
    kinds = {tuple(thread[:3]): thread[3] for thread in ends["threads"]}
    last: dict[str, dict[str, Any]] = ends["last"]
    fresh: dict[str, dict[str, Any]] = {}
    for row in rows:
        key = row["message_id"]
        if not isinstance(key, str) or not key or row["from_progress"] or not plain(row):
            return False
        kind = kinds[row["session_id"], row["agent_id"], row["sidechain"]]
        new = weighed(row) | {"kind": kind}
        old = fresh.get(key) or (last[key] | {"kind": kind} if key in last else None)
        if old is None:
            if key in keys:
                return False  # it stands in another file, or far above in this one
            fresh[key] = new
            continue
        if old["request_id"] != new["request_id"] or old["kind"] != kind or row["uuid"] in old["uuids"]:
            return False
        fresh[key] = merged(old, new)
    return all(_count(counts, last.get(key), new) for key, new in fresh.items())


def plain(row: dict[str, Any]) -> bool:
    """All counters and the time are known and the parts of the writes fit: no rule of the frames is needed."""
    known = all(type(row[name]) is int for name in SUMMED) and isinstance(row["ts"], str)
    possible = known and EARLIEST <= row["ts"] <= LATEST
    return possible and row["cache_write_5m_tokens"] + row["cache_write_1h_tokens"] <= row["cache_write_tokens"]


def weighed(row: dict[str, Any]) -> dict[str, Any]:
    """One record of a response: what it counts, and the text it holds."""
    out = {name: row[name] for name in (*SUMMED, "request_id", "model", "ts", "line", "uuid")}
    return out | {"held": row["text_chars"] + row["thinking_chars"] + row["tool_chars"], "uuids": [row["uuid"]]}


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Two records of one response: the one that counts, and the text of both."""
    best = max(old, new, key=_order)
    kind = {"kind": old["kind"]} if "kind" in old else {}
    return best | kind | {"held": old["held"] + new["held"], "uuids": [*old["uuids"], *new["uuids"]]}


def _order(one: dict[str, Any]) -> tuple[Any, ...]:
    return one["output_tokens"], sum(one[name] for name in PROMPT), one["ts"], one["line"], one["uuid"] or ""


def _count(counts: dict[str, Any], old: dict[str, Any] | None, new: dict[str, Any]) -> bool:
    """Put `new` in the place of `old` in every sum; False where a group is new, or a sum is more than an int64."""
    if old is not None and old["model"] != new["model"]:
        return False
    models = [row for row in counts["by_model"] if row["model"] == new["model"]]
    threads = [row for row in counts["by_thread"] if row["agent_type"] == new["kind"]]
    if not models or not threads:
        return False
    delta = _figures(new)
    if old is not None:
        delta = {name: value - _figures(old)[name] for name, value in delta.items()}
    for row in (counts["totals"], models[0], threads[0]):
        for name, value in delta.items():
            row[name] = (row[name] or 0) + value
            if row[name] >= INT64_MAX:  # a sum that was clamped before, too
                return False
    return _times(counts, old, new)


def _times(counts: dict[str, Any], old: dict[str, Any] | None, new: dict[str, Any]) -> bool:
    """First and last time; False where there are none, or the response that has one of them is given another."""
    if counts["first"] is None:
        return False
    first, last = (datetime.fromisoformat(counts[name]) for name in ("first", "last"))
    when = datetime.fromisoformat(new["ts"])
    if old is not None:
        before = datetime.fromisoformat(old["ts"])
        if before == first or (before == last and when < last):
            return False
    counts["first"], counts["last"] = min(first, when).isoformat(), max(last, when).isoformat()
    return True


def _figures(one: dict[str, Any]) -> dict[str, int]:
    out = {name: one[name] for name in SUMMED}
    unknown = one["cache_write_tokens"] - one["cache_write_5m_tokens"] - one["cache_write_1h_tokens"]
    low = one["held"] > UNITS_PER_TOKEN * one["output_tokens"]
    prompt = sum(one[name] for name in PROMPT)
    return out | {
        "requests": 1,
        "cache_write_unknown_tokens": unknown,
        "total_input_tokens": prompt,
        "output_lower_bound_requests": int(low),
    }
