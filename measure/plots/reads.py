"""Which files are read again although the context already holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from measure.names import short_path, short_project
from measure.plots import style
from measure.reports.words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Repeat reads per file"
MOST_FILES = 25
KINDS = ("same", "contained", "overlap")


def repeats(reads: pl.DataFrame) -> pl.DataFrame:
    """One row a file that was read again: path, project, reads, repeats, what each kind could have spared.

    The columns `same`, `contained` and `overlap` are est. tokens (characters / 4, rounded up per file).
    """
    again = pl.col("repeat").is_in(KINDS)
    spared = [
        (pl.col("avoidable_chars").filter(pl.col("repeat") == kind).sum() / 4).ceil().cast(pl.Int64).alias(kind)
        for kind in KINDS
    ]
    return (
        reads.drop_nulls("path")
        .group_by("project", "path")
        .agg(pl.len().alias("reads"), again.sum().alias("repeats"), *spared)
        .filter(pl.col("repeats") > 0)
        .with_columns(total=pl.sum_horizontal(KINDS))
        .sort("total", "path", descending=[True, False])
    )


def names(files: pl.DataFrame) -> list[str]:
    """A name for each row of `repeats`: the path in its project, after the project's name where there are several."""
    several = files["project"].n_unique() > 1
    return [
        f"{short_project(project)}: {short_path(path, project)}" if several and project else short_path(path, project)
        for path, project in files.select("path", "project").iter_rows()
    ]


def reads(frame: pl.DataFrame) -> Figure:
    """Est. tokens that repeat reads brought in again, one bar a file, stacked by kind of repeat; 25 files at most."""
    found = repeats(frame)
    if not found.height:
        return style.message(TITLE, "No file was read twice by one context here.")
    kept = found.head(MOST_FILES)
    subtitle = f"{counted(int(found['repeats'].sum()), 'repeat read')} of {counted(found.height, 'file')}"
    if found.height > MOST_FILES:
        subtitle += f" · the {MOST_FILES} files with the most shown"
    with style.house():
        fig = style.figure(style.room(kept.height, around=2.0), TITLE, subtitle)
        ax = fig.add_subplot()
        handles = []
        start = pl.Series([0] * kept.height)
        for place, kind in enumerate(KINDS):
            handles.append(
                ax.barh(
                    range(kept.height),
                    kept[kind],
                    left=start,
                    height=0.62,
                    color=style.COLOURS[(1, 3, 4)[place]],
                    hatch=style.HATCHES[place],
                    edgecolor=style.INK,
                    linewidth=0.7,
                    label=_WORDS[kind],
                )
            )
            start = start + kept[kind]
        for place, (total, again, all_) in enumerate(kept.select("total", "repeats", "reads").iter_rows()):
            ax.annotate(
                f"{again} of {counted(all_, 'read')}",
                (total, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
        style.name_rows(ax, names(kept))
        ax.set_xlim(0, 1.22 * max(1, *kept["total"]))
        ax.set_xlabel("read again (est. tokens: UTF-16 length / 4)")
        ax.xaxis.set_major_formatter(style.thousands)
        style.legend(fig, handles)  # type: ignore[arg-type]
    return fig


_WORDS = {"same": "same range", "contained": "inside a range already read", "overlap": "overlapping range"}
