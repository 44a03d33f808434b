"""`setpoint watch`: the sessions that run now, each thread's context against its limit, cost so far, last returns."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measure.commands import Paths
from measure.reports.words import counted, usd

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from measure.frames import Frames

ROWS = 20
RETURNS = 5
HEADS = ("session", "thread", "model", "context", "limit", "of it", "requests", "cost so far")
TEXTS = ("session", "thread", "model")
FIRST_TO_GO = ("requests", "model", "of it", "session", "limit")

Minutes = Annotated[
    float, typer.Option("--minutes", min=0.1, metavar="N", help="Sessions written to in the last N minutes.")
]
Every = Annotated[float, typer.Option("--every", min=0.2, metavar="SECONDS", help="Seconds between two looks.")]
Once = Annotated[bool, typer.Option("--once", help="Look once and end (also when stdout is no terminal).")]


def watch(paths: Paths = None, minutes: Minutes = 60, every: Every = 2, once: Once = False) -> None:
    """Follow the running sessions; Ctrl-C ends it.

    Example: setpoint watch --minutes 30
    """
    from rich.live import Live as Screen

    from measure.live import Live
    from measure.reports.read import check_places
    from measure.reports.render import console_for
    from measure.transcripts.find import default_roots

    console = console_for(sys.stdout)
    live = Live(paths or [], minutes)
    first = live.frames()
    check_places(first, [str(path) for path in paths or default_roots()])
    if once or not console.is_terminal:
        console.print(view(first, minutes, console.width))
        return
    try:
        with Screen(
            view(live.frames(), minutes, console.width), console=console, screen=True, auto_refresh=False
        ) as screen:
            while True:
                time.sleep(every)
                screen.update(view(live.frames(), minutes, console.width), refresh=True)
    except KeyboardInterrupt:
        return


def view(frames: Frames, minutes: float, width: int = 80) -> RenderableType:
    """What the screen shows."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    rows = threads(frames)
    if not rows:
        return Text(f"No session was written to in the last {minutes:g} minute{'' if minutes == 1 else 's'}.")
    lines = [_cells(row) for row in rows[:ROWS]]
    shown = kept(lines, width)
    table = Table(box=None, pad_edge=False)
    for index in shown:
        text = HEADS[index] in TEXTS
        table.add_column(HEADS[index], justify="left" if text else "right", no_wrap=not text, overflow="fold")
    for line in lines:
        table.add_row(*(line[index] for index in shown))
    parts: list[RenderableType] = [table]
    if len(rows) > ROWS:
        parts.append(Text(f"and {counted(len(rows) - ROWS, 'more thread')}"))
    parts += [Text(line) for line in returned(frames)]
    return Group(*parts)


def kept(lines: list[list[str]], width: int) -> list[int]:
    """Columns that find room in `width`: the least important go first, so that no number is cut."""
    shown = list(range(len(HEADS)))
    least = [
        max(
            len(HEADS[index]),
            *(min(len(line[index]), 8) if HEADS[index] in TEXTS else len(line[index]) for line in lines),
        )
        for index in shown
    ]
    for name in FIRST_TO_GO:
        if sum(least[index] + 2 for index in shown) - 2 <= width:
            break
        shown.remove(HEADS.index(name))
    return shown


def threads(frames: Frames) -> list[dict[str, Any]]:
    """One row a thread with a request, the last active first: context of its last request, its limit, dollars so far.

    `limit` is the bound of the section `context` of setpoint.json for its type and model; null for a main thread,
    which has none, and where the section is not enabled.
    """
    import polars as pl

    from policy.cost import cost
    from policy.price_file import in_force

    thread = ["session_id", "agent_id"]
    costs = cost(frames.requests, in_force(None))
    last = costs.group_by(thread, maintain_order=True).agg(
        pl.col("agent_type", "model", "project").last(),
        pl.col("context_tokens").drop_nulls().last(),
        pl.col("ts").max(),
        pl.len().alias("requests"),
        pl.when(pl.col("usd").count() > 0).then(pl.col("usd").sum()).alias("usd"),
    )
    rows = last.sort("ts", descending=True, nulls_last=True).to_dicts()
    sections: dict[str | None, Any] = {}
    for row in rows:
        project = row["project"]
        if project not in sections:
            sections[project] = _section(project)
        row["limit"] = _limit(sections[project], row)
    return rows


def _section(project: str | None) -> dict[str, Any] | None:
    from hooks.runtime.config import Config

    section = Config(project or "/").section("context")
    return section if section and section.get("enabled") is True else None


def _limit(section: dict[str, Any] | None, row: dict[str, Any]) -> int | None:
    from hooks.runtime.context import bound

    return bound(section, row["model"], row["agent_type"]) if section and row["agent_id"] else None


def _cells(row: dict[str, Any]) -> list[str]:
    context, limit = row["context_tokens"], row["limit"]
    share = f"{context / limit:.0%}" if context and limit else "-"
    thread = "main" if row["agent_id"] is None else row["agent_type"] or row["agent_id"]
    return [
        (row["session_id"] or "-")[:8],
        thread,
        (row["model"] or "-").removeprefix("claude-"),
        "-" if context is None else f"{context:,}",
        "-" if limit is None else f"{limit:,}",
        share,
        f"{row['requests']:,}",
        "-" if row["usd"] is None else f"${usd(row['usd'])}",
    ]


def returned(frames: Frames) -> list[str]:
    """The last returns, one line each."""
    rows: pl.DataFrame = frames.returns.sort("ts", nulls_last=False).tail(RETURNS)
    lines = [
        f"{row['ts']:%H:%M:%S} UTC  {row['agent_type'] or row['agent_id']}: "
        f"{row['est_tokens'] or 0:,} est. tokens ({row['route']})"
        for row in reversed(rows.to_dicts())
        if row["ts"] is not None
    ]
    return ["", "Last returns:", *lines] if lines else []
