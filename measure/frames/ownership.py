"""Who owns a record that stands in several files: the first step from raw tables to frames, pure.

Resumed, forked and moved sessions, fork agents, asides and compactions copy records. Order of claims to a record:
the main file that holds it with `isSidechain` false, then a subagent's own file, then the main file (inline
sidechain), then a `progress` copy. Of several sessions: the file named like the record's sessionId (where copies keep
it), then the file whose FIRST timestamped record is earliest (a fork holds the old times inside), then the smaller id.
"""

from __future__ import annotations

import polars as pl

from measure.transcripts.build import RawFrames

AGENT_KINDS = ("agent", "workflow agent", "old agent")
# Order of rows inside one thread: files in the order of their first time, lines inside a file as they stand.
POSITION = ("file_ts", "path", "line")
THREAD = ("session_id", "agent_id")
# Best claim first; used with `nulls_last`: a file without any time claims last.
CLAIM = ("rank", "unnamed", "file_ts", "session_id", "path", "line")


def prepare(raw: RawFrames) -> RawFrames:
    """The raw tables with their threads named and their copies marked.

    Tables of records gain: `session_id` and `agent_id` are never missing where the file or the chain tells them;
    `rank` 0-3 and `unnamed` (the claims above), `path`, `file_ts`, `file_session` (as the file's place tells it), and
    `owned`: false for a copy of a record that another place owns (or an earlier line of the same file: a replay
    after a compaction).
    """
    files = _files(raw["files"])
    roots = _inline_roots(raw["sidelinks"])
    out = dict(raw)
    for name, table in raw.items():
        if "sidechain" in table.columns:
            out[name] = _mark_owned(_named(table, files, roots))
    return out


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


def _named(table: pl.DataFrame, files: pl.DataFrame, roots: pl.DataFrame) -> pl.DataFrame:
    """Fill missing thread keys and add the columns that a claim is judged by."""
    table = table.join(files, on="file", how="left").join(roots, on=["file", "uuid"], how="left")
    aside = pl.col("sidechain")
    copied = pl.col("from_progress") if "from_progress" in table.columns else pl.lit(value=False)
    agent = pl.coalesce("agent_id", pl.when("of_agent").then("file_agent"), "root")
    rank = pl.when(copied).then(3).when("of_agent").then(1).when(aside).then(2).otherwise(0)
    return table.with_columns(
        pl.when(aside | pl.col("of_agent")).then(agent).alias("agent_id"),
        rank.cast(pl.Int8).alias("rank"),
        (pl.col("session_id") != pl.col("file_session")).fill_null(value=False).alias("unnamed"),
        pl.coalesce("session_id", "file_session").alias("session_id"),
    ).drop("root", "file_agent", "of_agent")


def _mark_owned(table: pl.DataFrame) -> pl.DataFrame:
    """Add `owned`. Most records stand once: only the others are put in the order of their claims."""
    copied = table["uuid"].is_duplicated() & table["uuid"].is_not_null()
    if not copied.any():
        return table.with_columns(owned=pl.lit(value=True))
    claims = table.filter(copied).select("uuid", "file", *CLAIM)
    best = claims.sort(CLAIM, nulls_last=True).unique("uuid", keep="first", maintain_order=True)
    owner = best.select("uuid", pl.col("file").alias("owner_file"), pl.col("line").alias("owner_line"))
    same = (pl.col("file") == pl.col("owner_file")) & (pl.col("line") == pl.col("owner_line"))
    table = table.join(owner, on="uuid", how="left", maintain_order="left")
    owned = same | pl.col("owner_file").is_null()
    return table.with_columns(owned.alias("owned")).drop("owner_file", "owner_line")


def with_segment(rows: pl.DataFrame, boundaries: pl.DataFrame) -> pl.DataFrame:
    """`rows` (with thread and position columns) plus `segment`: the owned boundaries of the thread before each row."""
    marks = boundaries.filter("owned").select(*THREAD, *POSITION, pl.lit(1, pl.Int64).alias("mark"))
    if not marks.height:
        return rows.with_columns(pl.lit(0, pl.Int64).alias("segment"))
    numbered = rows.with_row_index("row")
    places = numbered.select(*THREAD, *POSITION, "row", pl.lit(0, pl.Int64).alias("mark"))
    both = pl.concat([places, marks.with_columns(pl.lit(None, pl.UInt32).alias("row"))], how="diagonal")
    both = both.sort(*POSITION, "mark", nulls_last=True)
    both = both.with_columns(pl.col("mark").cum_sum().over(THREAD).alias("segment"))
    segments = both.filter(pl.col("row").is_not_null()).select("row", "segment")
    return numbered.join(segments, on="row", how="left").sort("row").drop("row")
