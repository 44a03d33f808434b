"""Which record counts and which owns: the short way for plain responses ends where the full order of claims does."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from measure.frames.ownership import CLAIM, prepare
from measure.frames.responses import PROMPT, numbered, responses
from measure.transcripts.build import concat, frame
from measure.transcripts.raw import BY_NAME

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
FILES = (("/p/a.jsonl", "main", "a", None, BEGIN), ("/p/b.jsonl", "main", "b", None, None))
FILES += (("/p/a/agent-x.jsonl", "agent", "a", "x", BEGIN + timedelta(seconds=1)),)
FEW = st.none() | st.integers(0, 2)

RECORD = st.fixed_dictionaries(
    {
        "file": st.integers(0, len(FILES) - 1),
        "seconds": FEW,
        "session_id": st.sampled_from(["a", "b", None]),
        "sidechain": st.booleans(),
        "uuid": st.none() | st.sampled_from("uvwxyz"),
        "message_id": st.sampled_from(["m", "n", "o", "", None]),
        "request_id": st.sampled_from(["r", "r", "s", None]),
        "input_tokens": FEW,
        "output_tokens": FEW,
        "block": FEW,
        "text_chars": FEW,
        "from_progress": st.just(value=False),
    }
)


def stamp(at: datetime | None) -> str | None:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z") if at else None


def table(name: str, rows: Iterable[dict[str, Any]]) -> Any:
    return frame(BY_NAME[name], [tuple(row.get(column) for column in BY_NAME[name].names) for row in rows], {})


def prepared(records: list[dict[str, Any]]) -> Any:
    rows = []
    for line, record in enumerate(records):
        at = None if record["seconds"] is None else BEGIN + timedelta(seconds=record["seconds"])
        rows.append(record | {"line": line, "ts": stamp(at)})
    files = [
        {"file": at, "path": path, "kind": kind, "session_id": session, "agent_id": agent, "first_ts": stamp(first)}
        for at, (path, kind, session, agent, first) in enumerate(FILES)
    ]
    return prepare(concat([{"usage": table("usage", rows), "files": table("files", files)}]))


def by_claim(row: dict[str, Any]) -> list[tuple[bool, Any]]:
    """For min: unknown comes last."""
    return [(row[name] is None, "" if row[name] is None else str(row[name])) for name in CLAIM if name != "line"]


def expected(rows: list[dict[str, Any]]) -> dict[int, tuple[int, int, bool]]:
    """By best record: owner, text held, and whether it is a replay."""
    for at, row in enumerate(rows):
        row["row"], row["prompt"] = at, sum(row[name] or 0 for name in PROMPT)
    groups = defaultdict(list)
    for row in rows:
        alone = f"u:{row['uuid']}" if row["uuid"] else f"{row['path']}:{row['line']}"
        groups[f"m:{row['message_id']}" if row["message_id"] else alone].append(row)
    out = {}
    for group in groups.values():
        best = {request: max(some, key=counts) for request, some in split(group, "request_id").items()}
        subs = dict(numbered([(name, tuple(one[p] or 0 for p in PROMPT)) for name, one in best.items()]))
        for unit in split([row | {"sub": subs[row["request_id"]]} for row in group], "sub").values():
            owner = min(unit, key=lambda row: (by_claim(row), row["line"]))
            texts = split([row | {"key": (row["uuid"], row["block"])} for row in unit], "key").values()
            held = sum(max(row["text_chars"] or 0 for row in some) for some in texts)
            replay = len({row["request_id"] for row in unit} - {None}) > 1
            out[max(unit, key=counts)["row"]] = owner["row"], held, replay
    return out


def counts(row: dict[str, Any]) -> list[tuple[bool, Any]]:
    place = tuple(-ord(letter) for letter in row["path"])
    names = ("output_tokens", "prompt", "ts", "line", "uuid")
    return [(row[name] is not None, row[name] if row[name] is not None else 0) for name in names] + [(True, place)]


def split(rows: list[dict[str, Any]], name: str) -> dict[Any, list[dict[str, Any]]]:
    out = defaultdict(list)
    for row in rows:
        out[row[name]].append(row)
    return out


@given(st.lists(RECORD, max_size=12))
def test_the_short_way_ends_where_the_full_order_does(records: list[dict[str, Any]]) -> None:
    raw = prepared(records)
    found = responses(raw["usage"], raw["api_requests"])
    got = {row["best"]: (row["owner"], row["held"], row["is_replay"]) for row in found.to_dicts()}
    assert got == expected(raw["usage"].to_dicts())
