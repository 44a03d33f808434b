"""Who owns a record that stands in several files: the first step from raw tables to frames, pure.

Resumed, forked and moved sessions, fork agents, asides and compactions copy records. Order of claims to a record:
the main file that holds it with `isSidechain` false, then a subagent's own file, then the main file (inline
sidechain), then a `progress` copy. Of several sessions: the file named like the record's sessionId (where copies keep
it), then the file whose FIRST timestamped record is earliest (a fork holds the old times inside), then the smaller id.
"""

from __future__ import annotations

import polars as pl

from measure.frames.runs import pairs, runs, seat_of
from measure.transcripts.build import RawFrames

AGENT_KINDS = ("agent", "workflow agent", "old agent")
# Best claim first; used with `nulls_last`: a file without any time claims last.
CLAIM = ("rank", "unnamed", "file_ts", "session_id", "path", "line")
_ORIGIN = ("file", "session_id", "agent_id", "sidechain", "from_progress", "root")


def prepare(raw: RawFrames) -> RawFrames:
    """`raw` with its threads named and its copies marked, in place: two of all tables would be half of the memory.

    Tables of records gain: `session_id` and `agent_id` are never missing where the file or the chain tells them;
    `rank` 0-3 and `unnamed` (the claims above), `path`, `file_ts`, `file_session` (as the file's place tells it),
    `thread` and `seat` (`runs.seats`), `copied`: its uuid is missing or stands in several rows, and `owned`: false
    for a copy of a record that another place owns (or an earlier line of the same file: a replay after a compaction).
    """
    names = [name for name, table in raw.items() if "sidechain" in table.columns]
    records = pl.concat([_origin(raw[name], at) for at, name in enumerate(names)])
    roots = _inline_roots(raw["sidelinks"])
    if roots.height:
        records = records.join(roots, on=["file", "uuid"], how="left", maintain_order="left")
    run, heads = runs(records, [name for name in _ORIGIN if name in records.columns])
    heads = _claims(heads, _files(raw["files"]))
    copied = _in_doubt(records)
    named = heads.hstack(pairs(heads).get_columns())[run].with_columns(seat_of(records["line"]), copied=copied)
    named, at = named.drop("pair").with_columns(_owned(records, named)), 0
    del records
    for name in names:
        height = raw[name].height
        # In one piece: of a frame whose columns are cut differently every operation makes a whole copy first.
        raw[name] = raw[name].rechunk().with_columns(named[at : at + height].get_columns())
        at += height
    return raw


def _origin(table: pl.DataFrame, number: int) -> pl.DataFrame:
    """What tells the thread and the claims of each row of the table of that number."""
    progress = pl.col("from_progress") if "from_progress" in table.columns else pl.lit(value=False)
    names = ("file", "session_id", "agent_id", "sidechain", "uuid", "line")
    return table.select(*names, pl.lit(number, pl.UInt64).alias("table"), progress.alias("from_progress"))


def _in_doubt(records: pl.DataFrame) -> pl.Series:
    """Whether a record's uuid is missing or may stand in several rows of its table: two uuids of one hash pass too."""
    known = records["uuid"].is_not_null()
    return (records["uuid"].hash() + records["table"]).is_duplicated() | ~known


def _files(files: pl.DataFrame) -> pl.DataFrame:
    return files.filter(pl.col("skipped").is_null()).select(
        "file",
        "path",
        pl.col("kind").is_in(AGENT_KINDS).alias("of_agent"),
        pl.col("session_id").alias("file_session"),
        pl.col("agent_id").alias("file_agent"),
        pl.col("first_ts").alias("file_ts"),
    )


def _inline_roots(links: pl.DataFrame) -> pl.DataFrame:
    """For each inline sidechain record the uuid of the first record of its chain: the name of its agent."""
    parents = dict(zip(zip(links["file"], links["uuid"], strict=True), links["parent_uuid"], strict=True))
    roots: dict[tuple[int, str], str] = {}
    for file, uuid in parents:
        chain: list[str] = []
        at = uuid
        while (file, at) not in roots:
            chain.append(at)
            parent = parents[file, at]
            if parent is None or parent in chain or (file, parent) not in parents:
                roots[file, at] = at
                break
            at = parent
        root = roots[file, at]
        roots.update({(file, one): root for one in chain})
    rows = [(file, uuid, root) for (file, uuid), root in roots.items()]
    schema = {"file": pl.Int64, "uuid": pl.String, "root": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _claims(heads: pl.DataFrame, files: pl.DataFrame) -> pl.DataFrame:
    """Fill missing thread keys and add the columns that a claim is judged by."""
    aside = pl.col("sidechain")
    chain = pl.col("root") if "root" in heads.columns else pl.lit(None, pl.String)
    agent = pl.coalesce("agent_id", pl.when("of_agent").then("file_agent"), chain)
    rank = pl.when("from_progress").then(3).when("of_agent").then(1).when(aside).then(2).otherwise(0)
    return heads.join(files, on="file", how="left", maintain_order="left").select(
        pl.coalesce("session_id", "file_session").alias("session_id"),
        pl.when(aside | pl.col("of_agent")).then(agent).alias("agent_id"),
        "path",
        "file_session",
        "file_ts",
        rank.cast(pl.Int8).alias("rank"),
        (pl.col("session_id") != pl.col("file_session")).fill_null(value=False).alias("unnamed"),
    )


def _owned(records: pl.DataFrame, named: pl.DataFrame) -> pl.Series:
    """Whether each record is no copy. Most stand once: only the others are put in the order of their claims."""
    owned = pl.repeat(value=True, n=records.height, eager=True).alias("owned")
    doubtful = (named["copied"] & records["uuid"].is_not_null()).arg_true()
    if not doubtful.len():
        return owned
    claims = records.select("table", "uuid", "file", "line")[doubtful]
    claims = claims.hstack(named.select(name for name in CLAIM if name != "line")[doubtful].get_columns())
    best = claims.sort(CLAIM, nulls_last=True).unique(("table", "uuid"), keep="first", maintain_order=True)
    owner = best.select("table", "uuid", pl.col("file").alias("owner"), pl.col("line").alias("owner_line"))
    claims = claims.join(owner, on=("table", "uuid"), how="left", maintain_order="left")
    same = (claims["file"] == claims["owner"]) & (claims["line"] == claims["owner_line"])
    return owned.scatter(doubtful, same)
