"""Which files of a read cannot be told apart from each other: those that share a session, a response, a record, a call.

What the overview counts of one file depends on another one only through ids that stand in both, so files that share
none can be resolved apart. Digests of the ids are enough: two ids with one digest only join what need not be joined.

The nodes that are joined are numbers of files; the meta files come after the last one, in the order of their listing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from measure.frames.launches import INLINE, LAUNCHERS
from measure.frames.runs import same_as_before
from measure.transcripts.build import RawFrames
from measure.transcripts.find import Listing

_LOW = (1 << 32) - 1
# One seed a kind of id: a call is not joined with a record.
_SESSION, _RESPONSE, _RECORD, _CALL = range(4)


@dataclass(slots=True)
class Links:
    """What each group of nodes names: one row a `node`, with many a `digest`.

    `ids`, sessions and responses, join whatever has one in common. `marks`, records and calls, are many and join only
    where one is `asked` for, by a launch, an agent's result, a delivery or an inline chain: nothing else looks at who
    owns a record, and some servers number the calls of each conversation from 1. Of them half a digest is kept.
    """

    ids: pl.DataFrame
    marks: pl.DataFrame
    asked: pl.Series


def linked(raw: RawFrames, found: Listing) -> tuple[list[int], Links]:
    """The group of each node of `found`, and the links of the groups; `raw` is prepared (`ownership.prepare`)."""
    metas = raw["metas"].select(nodes(raw["metas"]["path"], found), "file", "session_id")
    ids = _ids(raw, metas)
    marks, asked = _marks(raw)
    beside = metas.select("node", "file").drop_nulls().rows()
    to = groups(len(found.files) + len(found.metas), [*beside, *_edges(ids), *_edges(_only(marks, asked))])
    return to, Links(_packed(ids, to), _packed(marks, to), asked)


def together(parts: Sequence[Links], starts: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of groups of several reads that join all that belong together; those of a read count from its start."""
    asked = pl.concat([part.asked for part in parts]).unique()
    placed = [(part, pl.col("node") + start) for part, start in zip(parts, starts, strict=True)]
    ids = pl.concat([_flat(part.ids).with_columns(node) for part, node in placed])
    return _edges(ids) + _edges(
        pl.concat([_only(_flat(part.marks), asked).with_columns(node) for part, node in placed])
    )


def groups(number: int, joined: Iterable[tuple[int, int]]) -> list[int]:
    """For each of `number` nodes the number of its group, in the order of their first nodes."""
    above = list(range(number))

    def top(node: int) -> int:
        while above[node] != node:
            above[node] = node = above[above[node]]
        return node

    for one, other in joined:
        low, high = sorted((top(one), top(other)))
        above[high] = low
    names: dict[int, int] = {}
    return [names.setdefault(top(node), len(names)) for node in range(number)]


def _ids(raw: RawFrames, metas: pl.DataFrame) -> pl.DataFrame:
    """Sessions, of which rows without one are one too: every record is in a span; and responses."""
    session = pl.when(pl.col("session_id").is_not_null()).then(pl.col("session_id").hash(_SESSION)).otherwise(0)
    named, alone = (raw["usage"].filter(which) for which in (pl.col("message_id") != "", _unnamed()))
    named = named.filter(~same_as_before(named["file"], named["message_id"]))
    return pl.concat(
        [
            raw["spans"].select(pl.col("file").alias("node"), session.alias("digest")),
            metas.select("node", session.alias("digest")),
            _digests(named, "message_id", _RESPONSE),
            _digests(alone, "uuid", _RECORD),  # what stands for the id that is missing (`responses.keys`)
        ]
    )


def _unnamed() -> pl.Expr:
    return pl.col("message_id").is_null() | (pl.col("message_id") == "")


def _marks(raw: RawFrames) -> tuple[pl.DataFrame, pl.Series]:
    """Records and calls, and those among them that are asked for. A call's record is also one of usage."""
    launching = raw["tool_uses"].filter(pl.col("tool").is_in(LAUNCHERS))
    telling = [launching, raw["agent_results"], raw["deliveries"]]
    inline = [raw[name].filter(pl.col("rank") == INLINE) for name in ("usage", "turns")]
    asked = [
        *(_digests(rows, "tool_use_id", _CALL) for rows in telling),
        *(_digests(rows, "uuid", _RECORD) for rows in (*telling, *inline, raw["tool_results"])),
    ]
    others = [_digests(raw[name], "tool_use_id", _CALL) for name in ("tool_uses", "tool_results")]
    others += [_digests(raw[name], "uuid", _RECORD) for name in ("usage", "turns")]
    low = (pl.col("digest") & _LOW).cast(pl.UInt32)
    return pl.concat([*asked, *others]).with_columns(low), pl.concat(asked).select(low.unique()).to_series()


def nodes(metas: pl.Series, found: Listing) -> pl.Series:
    """The nodes of meta files, by their paths; those are as `build.clean` has texts that are no UTF-8."""
    paths = [path.encode("utf-8", "replace").decode() for path in found.metas]
    numbers = {path: len(found.files) + at for at, path in enumerate(paths)}
    return pl.Series("node", [numbers[path] for path in metas], dtype=pl.Int64)


def _digests(rows: pl.DataFrame, column: str, seed: int) -> pl.DataFrame:
    """What rows name; null equals nothing."""
    rows = rows.select(pl.col("file").alias("node"), column).drop_nulls(column)
    return rows.select("node", pl.col(column).hash(seed).alias("digest"))


def _only(rows: pl.DataFrame, asked: pl.Series) -> pl.DataFrame:
    return rows.filter(pl.col("digest").is_in(asked.implode()))


def _edges(rows: pl.DataFrame) -> list[tuple[int, int]]:
    """Pairs of nodes that have a digest in common."""
    ordered = rows["digest"].sort()
    several = ordered.filter(ordered == ordered.shift()).unique()
    rows = _only(rows, several).sort("digest", "node")
    rows = rows.select(
        "node", "digest", before=pl.col("node").shift(), same=pl.col("digest") == pl.col("digest").shift()
    )
    return rows.filter("same").select("before", "node").unique().rows()


def _packed(rows: pl.DataFrame, to: Sequence[int]) -> pl.DataFrame:
    """One row a group."""
    to_group = pl.Series(to, dtype=pl.UInt32).gather(rows["node"])
    return rows.with_columns(node=to_group).group_by("node").agg("digest")


def _flat(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.explode("digest")
