"""The columns of the plain shapes are the rows of the per-record functions."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_transcripts import assistant, base, lines, session, usage, user

from measure.frames import load
from measure.reports.overview import count
from measure.reports.parts import overview
from measure.reports.read import source
from measure.transcripts import build
from measure.transcripts.extract import Reader
from measure.transcripts.find import Listing, listing
from measure.transcripts.raw import TABLES
from measure.transcripts.scan import scan
from measure.transcripts.sink import Sink

SHARED = Path(__file__).resolve().parents[4] / "shared"
odd = st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False), st.text(max_size=3), st.integers(-5, 2**66))
number = st.one_of(st.integers(0, 500), odd)
text = st.one_of(st.text(max_size=30), st.sampled_from(["\ud800x", "é→😀", "1\ta\n2\tb", "<persisted-output>\nx", ""]))


def block(draw: st.DrawFn) -> object:
    command = st.sampled_from(["cat a.txt", "ls", "sed -n '1,5p' b", "head c; tail d"])
    given_ = st.fixed_dictionaries(
        {},
        optional={
            "file_path": text,
            "command": command,
            "offset": number,
            "message": text,
            "edits": st.lists(st.fixed_dictionaries({"old": text}), max_size=2),
            "run_in_background": st.booleans(),
        },
    )
    return draw(
        st.one_of(
            st.fixed_dictionaries({"type": st.just("text"), "text": st.one_of(text, st.none())}),
            st.fixed_dictionaries({"type": st.just("thinking"), "thinking": text}),
            st.fixed_dictionaries(
                {
                    "type": st.just("tool_use"),
                    "id": st.sampled_from(["t1", "t2", "t3", None]),
                    "name": st.sampled_from(["Read", "Bash", "Edit", "SubagentHandback"]),
                    "input": st.one_of(given_, st.none(), st.just("x")),
                }
            ),
            st.fixed_dictionaries(
                {
                    "type": st.just("tool_result"),
                    "tool_use_id": st.sampled_from(["t1", "t2", "t3", None]),
                    "content": st.one_of(
                        text,
                        st.none(),
                        st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": text}), max_size=2),
                    ),
                    "is_error": st.one_of(st.none(), st.booleans()),
                }
            ),
            st.just("no block"),
        )
    )


@st.composite
def record(draw: st.DrawFn) -> dict[str, object]:
    at = draw(st.integers(0, 50))
    more: dict[str, object] = {}
    if draw(st.booleans()):
        more = {
            "isSidechain": draw(st.one_of(st.booleans(), st.none())),
            "agentId": draw(st.sampled_from(["a1", None])),
        }
    if draw(st.integers(0, 5)) == 0:
        more[draw(st.sampled_from(["cwd", "version", "uuid", "timestamp", "sessionId"]))] = draw(odd)
    content = draw(st.one_of(text, st.lists(st.builds(lambda x: x, st.composite(block)()), max_size=2)))
    if draw(st.booleans()):
        counters = usage(*(draw(number) for _ in range(4)))
        return assistant(at, draw(st.sampled_from(["m1", "m2", None])), content=content, usage=counters, **more)
    if draw(st.integers(0, 3)) == 0:
        return base(draw(st.sampled_from(["system", "mode", "attachment", "odd", "progress"])), at, **more)
    return user(at, content, **more)


def one_by_one(data: bytes) -> dict[str, pl.DataFrame]:
    sink = Sink()
    reader = Reader(sink, 0)
    reader.feed(data)
    reader.close()
    return build.concat([build.frames(sink.drain(), {})])


def of_reads(raw: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """`contents` may hold rows of other calls, where the result stands before the call: no frame looks at them."""
    reads = raw["tool_uses"].filter(pl.col("tool") == "Read")["tool_use_id"]
    return raw["contents"].filter(pl.col("tool_use_id").is_in(pl.concat([reads, raw["printed"]["tool_use_id"]])))


def same(path: Path) -> None:
    alone = [found for found in listing([path]).files if found.path == str(path)]
    by_column, by_record = scan(Listing(files=alone)), one_by_one(path.read_bytes())
    for raw in (by_column, by_record):
        raw["contents"] = of_reads(raw)
    for table in TABLES:
        if table.name in {"files", "metas", "journal"}:
            continue
        order = ["line", *(name for name in table.names if name != "line")]
        left, right = (frame.sort(order, nulls_last=True) for frame in (by_column[table.name], by_record[table.name]))
        assert left.equals(right), table.name


def same_sums(path: Path) -> None:
    whole, (told, sums) = load([path], store=False), overview(listing([path]))
    assert sums == count(whole)
    assert source(told) == source(whole)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(record(), min_size=1, max_size=8))
def test_columns_and_records_give_the_same_rows(tmp_path: Path, records: list[dict[str, object]]) -> None:
    path = session(tmp_path, [])
    path.write_bytes(lines([assistant(0), *(json.dumps(one) for one in records)]))
    same(path)
    same_sums(path)


@pytest.mark.shared
def test_columns_and_records_give_the_same_rows_of_real_transcripts() -> None:
    for found in listing([SHARED / "transcripts", SHARED / "corpus"]).files:
        path = Path(found.path)
        if "not_claude" in found.path or "codex" in found.path or path.name in {"hooks.jsonl", "journal.jsonl"}:
            continue
        same(path)


@pytest.mark.shared
@pytest.mark.parametrize("tree", ["transcripts", "corpus"])
def test_the_sums_of_real_transcripts_need_no_other_columns(tree: str) -> None:
    same_sums(SHARED / tree)
    for folder in (SHARED / tree).iterdir():
        if folder.is_dir():
            same_sums(folder)
