"""Which files of a read cannot be told apart from each other: those that share a session, a record, a response, a call.

What is counted of one file depends on another one only through ids that stand in both, so files that share none can
be resolved apart. Of all ids their digests are enough: two ids with one digest only join files that need not be.

The nodes that are joined are numbers of files; the meta files come after the last one, in the order of their listing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from measure.frames.launches import LAUNCHERS
from measure.transcripts.build import RawFrames
from measure.transcripts.find import Listing

_RECORDS = ("usage", "tool_uses", "tool_results", "turns", "agent_results", "deliveries")
_NOBODY = pl.lit(0, pl.UInt64)  # rows that name no session may be one thread all the same


@dataclass(slots=True)
class Links:
    """What each node names, once: `shared` joins the nodes of a digest, `calls` only where that call is `asked` for.

    A call's id alone joins nobody: some servers number the calls of every conversation from 1. It matters where a
    launch, a result that names an agent, or a delivery stands for it. `beside`: meta files and their transcripts.
    """

    shared: pl.DataFrame
    calls: pl.DataFrame
    asked: pl.Series
    beside: list[tuple[int, int]]

    def edges(self) -> list[tuple[int, int]]:
        """Pairs of nodes that join all that belong together."""
        calls = self.calls.filter(pl.col("digest").is_in(self.asked.implode()))
        return [*self.beside, *edges(self.shared), *edges(calls)]

    def moved(self, to: Sequence[int]) -> Links:
        """The same for groups of nodes: `to` has the group of each node."""
        groups = pl.Series("node", to, dtype=pl.UInt32)
        return Links(_moved(self.shared, groups), _moved(self.calls, groups), self.asked, [])


def links(raw: RawFrames, found: Listing) -> Links:
    """The links of the files of `raw`, which is prepared and read from `found`."""
    metas = raw["metas"].select(_nodes(raw["metas"]["path"], found), "file", "session_id")
    shared = [
        raw["spans"].select("file", session()),  # every record is in a span
        metas.select(pl.col("node").alias("file"), session()),
        _responses(raw["usage"]),
        *(_digests(raw[name], "uuid", 1) for name in _RECORDS),
    ]
    asked = [
        _digests(raw["tool_uses"].filter(pl.col("tool").is_in(LAUNCHERS)), "tool_use_id", 2),
        *(_digests(raw[name], "tool_use_id", 2) for name in ("agent_results", "deliveries")),
    ]
    calls = [_digests(raw[name], "tool_use_id", 2) for name in ("tool_uses", "tool_results")]
    beside = metas.select("node", "file").drop_nulls().rows()
    return Links(_once(shared), _once([*calls, *asked]), pl.concat(asked)["digest"].unique(), beside)


def together(parts: Sequence[Links], starts: Sequence[int]) -> Links:
    """The links of several reads as those of one; the nodes of each are counted from its start."""
    shared, calls = (
        pl.concat([rows.with_columns(pl.col("node") + start) for rows, start in zip(tables, starts, strict=False)])
        for tables in ([one.shared for one in parts], [one.calls for one in parts])
    )
    return Links(shared, calls, pl.concat([one.asked for one in parts]).unique(), [])


def edges(rows: pl.DataFrame) -> list[tuple[int, int]]:
    """Pairs of nodes that have a digest in common."""
    ordered = rows["digest"].sort()
    several = ordered.filter(ordered == ordered.shift()).unique()
    rows = rows.filter(pl.col("digest").is_in(several.implode())).sort("digest", "node")
    pairs = rows.select("node", before=pl.col("node").shift(), same=pl.col("digest") == pl.col("digest").shift())
    return pairs.filter("same").select("before", "node").unique().rows()


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


def session(column: str = "session_id") -> pl.Expr:
    """The digest of a session in `Links.shared`."""
    return pl.when(pl.col(column).is_null()).then(_NOBODY).otherwise(pl.col(column).hash(3)).alias("digest")


def _nodes(metas: pl.Series, found: Listing) -> pl.Series:
    """The nodes of meta files, by their paths; those are as `build.clean` has texts that are no UTF-8."""
    paths = [path.encode("utf-8", "replace").decode() for path in found.metas]
    numbers = {path: len(found.files) + at for at, path in enumerate(paths)}
    return pl.Series("node", [numbers[path] for path in metas], dtype=pl.Int64)


def _digests(rows: pl.DataFrame, column: str, seed: int) -> pl.DataFrame:
    """What rows name; null equals nothing."""
    return rows.select("file", column).drop_nulls(column).select("file", pl.col(column).hash(seed).alias("digest"))


def _responses(usage: pl.DataFrame) -> pl.DataFrame:
    """The ids of the responses. Where a record has none its uuid is the response's name, and joins files anyway."""
    return _digests(usage.filter(pl.col("message_id") != ""), "message_id", 4)


def _once(rows: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One row a node and digest."""
    found = pl.concat(rows).unique()
    return found.select(pl.col("file").cast(pl.UInt32).alias("node"), "digest")


def _moved(rows: pl.DataFrame, to: pl.Series) -> pl.DataFrame:
    return rows.select(to.gather(rows["node"]), "digest").unique()
