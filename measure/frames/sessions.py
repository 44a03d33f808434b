"""The frame `sessions`: sums over a session's requests, and what the client's own totals hold beyond them."""

from __future__ import annotations

import polars as pl

from measure.columns import schema
from measure.frames.projects import project
from measure.frames.sums import whole
from measure.transcripts.build import RawFrames
from measure.transcripts.values import INT64_MAX

TOKENS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def sessions(raw: RawFrames, requests: pl.DataFrame, agents: pl.DataFrame, compactions: pl.DataFrame) -> pl.DataFrame:
    """One row a session that any record names, in the order of their starts. `raw` is prepared."""
    rows = _spans(raw)
    totals = requests.group_by("session_id").agg(pl.len().cast(pl.Int64).alias("requests"), *map(whole, TOKENS))
    launched = _count(agents.filter(pl.col("agent_id").is_not_null()), "agents")
    compacted = _count(compactions, "compactions")
    rows = rows.join(totals, on="session_id", how="left")
    forks = _forks(raw)
    for counted in (launched, compacted, forks, _untracked(raw, requests, forks)):
        rows = rows.join(counted, on="session_id", how="left")
    rows = rows.with_columns(pl.col("requests", "agents", "compactions", *TOKENS).fill_null(0))
    rows = rows.sort("started", "session_id", nulls_last=True)
    return rows.select(pl.col(name).cast(dtype) for name, dtype in schema("sessions").items())


def _count(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    return rows.group_by("session_id").agg(pl.len().cast(pl.Int64).alias(name))


def _spans(raw: RawFrames) -> pl.DataFrame:
    """Start (its FIRST timed record: a fork holds older times inside), end, folder and version of each session."""
    spans = raw["spans"].filter(pl.col("session_id").is_not_null()).sort("rank", "file_ts", "path", "line")
    main = pl.col("rank") == pl.col("rank").min()
    rows = spans.group_by("session_id", maintain_order=True).agg(
        pl.col("ts").filter(main).min().alias("started"),
        pl.col("last_ts").max().alias("ended"),
        pl.col("cwd").drop_nulls().first(),
        pl.col("version").drop_nulls().last(),
    )
    folders = {cwd: project(cwd) for cwd in rows["cwd"].unique()}
    return rows.with_columns(
        pl.col("cwd").replace_strict(list(folders), list(folders.values()), return_dtype=pl.String).alias("project")
    )


def _forks(raw: RawFrames) -> pl.DataFrame:
    """For each session whose main file copies records of another one: the owner of the LAST record it copied."""
    columns = ["uuid", "file_session", "session_id", "line", "owned", "copied", "rank"]
    doubtful = pl.col("copied") & pl.col("uuid").is_not_null() & (pl.col("rank") == 0)
    talk = pl.concat([raw[name].select(columns).filter(doubtful) for name in ("usage", "turns", "tool_results")])
    owners = talk.filter("owned").select("uuid", pl.coalesce("session_id", "file_session").alias("forked_from"))
    copies = talk.filter(~pl.col("owned")).join(owners.unique("uuid", keep="first", maintain_order=True), on="uuid")
    copies = copies.filter(pl.col("file_session") != pl.col("forked_from")).sort("line")
    last = copies.group_by("file_session", maintain_order=True).agg(pl.col("forked_from").last())
    return last.rename({"file_session": "session_id"})


def _untracked(raw: RawFrames, requests: pl.DataFrame, forks: pl.DataFrame) -> pl.DataFrame:
    """What the client's totals (`cost-state`) hold beyond the requests: compactions and side requests.

    The last totals of a session, minus those it was forked with (the parent's last totals that do not exceed the
    fork's first ones), minus the sum over its requests. One row a session with a cost-state.
    """
    states = _states(raw["costs"])
    parents = dict(forks.iter_rows())
    sums = {
        session: tokens for session, *tokens in requests.group_by("session_id").agg(*map(whole, TOKENS)).iter_rows()
    }
    rows = []
    for session, totals in states.items():
        inherited = _inherited(totals[0], states.get(parents.get(session), []))
        own = sums.get(session, [0] * len(TOKENS))
        beyond = (a - b - c for a, b, c in zip(totals[-1], inherited, own, strict=True))
        rows.append((session, *(max(-INT64_MAX, min(INT64_MAX, value)) for value in beyond)))
    names = {f"untracked_{name}": pl.Int64 for name in TOKENS}
    return pl.DataFrame(rows, schema={"session_id": pl.String, **names}, orient="row")


def _states(costs: pl.DataFrame) -> dict[str | None, list[tuple[int, ...]]]:
    """For each session its totals over all models, in the order of the records."""
    steps = costs.group_by("session_id", "file_ts", "path", "line").agg(*map(whole, TOKENS))
    states: dict[str | None, list[tuple[int, ...]]] = {}
    for session, _, _, _, *totals in steps.sort("session_id", "file_ts", "path", "line", nulls_last=True).iter_rows():
        states.setdefault(session, []).append(tuple(totals))
    return states


def _inherited(first: tuple[int, ...], parent: list[tuple[int, ...]]) -> tuple[int, ...]:
    fitting = [totals for totals in parent if all(a <= b for a, b in zip(totals, first, strict=True))]
    return fitting[-1] if fitting else (0,) * len(first)
