"""Files read into a context, and how often again although the context already held them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.metrics import usage
from measure.reports.model import Filters, Report, Show, Table, money
from measure.reports.rows import asked, cut, rest, share_of

if TYPE_CHECKING:
    from measure.frames import Frames

REPEATS = ("same", "contained", "overlap")
FILES = (
    Show("path"),
    Show("reads"),
    Show("repeats"),
    Show("main_repeats", "in main"),
    Show("chars", "chars", "short"),
    Show("avoidable_chars", "avoidable", "short"),
)
VIA = (
    Show("via"),
    Show("reads"),
    Show("repeats"),
    Show("chars", "chars", "short"),
    Show("avoidable_chars", "avoidable", "short"),
)
KINDS = (
    Show("repeat"),
    Show("reads"),
    Show("reads_share", "share"),
    Show("chars", "chars", "short"),
    Show("avoidable_chars", "avoidable", "short"),
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:  # noqa: ARG001 - the protocol's signature
    """The frame `reads`, in order of time."""
    return frames.reads.sort("ts", nulls_last=True, maintain_order=True)


def by_file(reads: pl.DataFrame) -> pl.DataFrame:
    """One row a path: reads, repeats of any kind, those in main threads, sizes; most avoidable first."""
    again = pl.col("repeat").is_in(REPEATS)
    return (
        reads.group_by("path")
        .agg(
            pl.len().cast(pl.Int64).alias("reads"),
            again.sum().cast(pl.Int64).alias("repeats"),
            (again & pl.col("agent_id").is_null()).sum().cast(pl.Int64).alias("main_repeats"),
            pl.col("chars", "avoidable_chars").sum(),
            *usage.money(),
        )
        .sort("avoidable_chars", "repeats", "reads", "path", descending=[True, True, True, False])
    )


def by_via(reads: pl.DataFrame) -> pl.DataFrame:
    """One row a way in (Read, Bash): reads, repeats of any kind, sizes; most characters first."""
    again = pl.col("repeat").is_in(REPEATS)
    sums = (pl.col("chars", "avoidable_chars").sum(), *usage.money())
    rows = reads.group_by("via").agg(
        pl.len().cast(pl.Int64).alias("reads"), again.sum().cast(pl.Int64).alias("repeats"), *sums
    )
    return rows.sort("chars", "via", descending=[True, False])


def by_kind(reads: pl.DataFrame) -> pl.DataFrame:
    """One row a kind of repeat (none, same, contained, overlap): reads, their share, sizes."""
    order = pl.Enum(["none", *REPEATS])
    return (
        reads.group_by("repeat")
        .agg(pl.len().cast(pl.Int64).alias("reads"), pl.col("chars", "avoidable_chars").sum(), *usage.money())
        .with_columns(share_of("reads", "reads_share"))
        .sort(pl.col("repeat").cast(order, strict=False), nulls_last=True)
    )


def build(frames: Frames, filters: Filters, table: pl.DataFrame | None = None) -> Report:
    """The report `reads`."""
    table = rows(frames, filters) if table is None else table
    files, kinds, ways = by_file(table), by_kind(table), by_via(table)
    repeats = int(table["repeat"].is_in(REPEATS).sum())
    totals = {
        "reads": len(table),
        "repeats": repeats,
        "files": files.height,
        "chars": table["chars"].sum(),
        "avoidable_chars": table["avoidable_chars"].sum(),
    }
    return Report(
        name="reads",
        title="Reads of files (Read, and Bash commands that only print one)",
        rows=asked(table, filters),
        tables=[
            Table("By kind of repeat", kinds, (*KINDS, *money(kinds.columns))),
            Table("By way in", ways, (*VIA, *money(ways.columns))),
            Table("By file", cut(files, filters), (*FILES, *money(files.columns))),
        ],
        totals=totals,
        notes=[
            "A repeat: the same part of the thread between compactions already held that range, unchanged.",
            "Sizes are UTF-16 units; avoidable: content that was really sent again.",
            *rest(files, filters, "file"),
        ],
        extra={"by_file": files.to_dicts(), "by_kind": kinds.to_dicts(), "by_via": ways.to_dicts()},
        empty="No reads found.",
    )
