"""The commands `setpoint plot` and `setpoint html`. Heavy imports stand inside the bodies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measure.commands import AgentTypes, Models, OrSample, Paths, Prices, Projects, Sessions, Since, Until, Zone
from measure.errors import SetpointError, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from measure.reports.model import Filters, Source
    from policy import prices as money

PLOTS = {
    "context": "context curves of one session, the newest or --session",
    "returns": "sizes of returns by agent type, with the limits",
    "growth": "growth of the context per request",
    "reads": "repeat reads per file",
    "cost-days": "cost over days by kind of token",
    "cost-agents": "cost share by agent type",
}
MOST_ROWS = 200
"""Rows of a table on the page, where --top says nothing."""

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="; ".join(f"{name}: {about}" for name, about in PLOTS.items()) + ".")
]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="File to write: .svg or .png.")]
Page = Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="File to write.")]
Open = Annotated[bool, typer.Option("--open", help="Open the page in the browser.")]
Top = Annotated[int, typer.Option("--top", min=0, metavar="N", help="First N rows of each table; 0 for all.")]


def plot(
    name: Name,
    out: Out,
    paths: Paths = None,
    since: Since = "",
    until: Until = "",
    timezone: Zone = "local",
    project: Projects = None,
    session: Sessions = None,
    agent_type: AgentTypes = None,
    model: Models = None,
    prices: Prices = "",
    or_sample: OrSample = False,
) -> None:
    """One picture of your sessions.

    Example: setpoint plot cost-days --out cost.svg --since 30d
    """
    _check_name(name)
    from measure.reports.options import filters
    from policy.outfile import check_picture, image, write
    from policy.price_file import in_force

    check_picture(out)
    chosen = filters(
        since=since,
        until=until,
        timezone=timezone,
        project=project,
        session=session,
        agent_type=agent_type,
        model=model,
        prices=prices or None,
    )
    frames, source = _read(paths or [], chosen, out, or_sample=or_sample)
    if not source.files_read:
        _nothing(source, out)
        return
    write(out, image(_figure(name, frames, in_force(chosen.prices), chosen), out.suffix.lower()))
    typer.echo(f"{out}")


def html(
    out: Page = Path("report.html"),
    paths: Paths = None,
    since: Since = "",
    until: Until = "",
    timezone: Zone = "local",
    project: Projects = None,
    session: Sessions = None,
    agent_type: AgentTypes = None,
    model: Models = None,
    top: Top = MOST_ROWS,
    prices: Prices = "",
    or_sample: OrSample = False,
    open_: Open = False,
) -> None:
    """All reports and the context curves on one page that needs no network.

    Example: setpoint html -o report.html --since 30d --open
    """
    from datetime import UTC, datetime

    from hooks.runtime.config import Config
    from measure.cli import reports
    from measure.html.page import render
    from measure.lazy import resolve
    from measure.reports.options import filters
    from policy.marks import context_marks
    from policy.outfile import check, write
    from policy.page import page
    from policy.price_file import in_force

    check(out)
    chosen = filters(
        since=since,
        until=until,
        timezone=timezone,
        project=project,
        session=session,
        agent_type=agent_type,
        model=model,
        top=top,
        prices=prices or None,
    )
    frames, source = _read(paths or [], chosen, out, or_sample=or_sample)
    if not source.files_read:
        _nothing(source, out)
        return
    table = in_force(chosen.prices)
    entries = sorted((entry for entry in reports() if not entry.separate), key=lambda entry: entry.name != "cost")
    built = [resolve(entry.target)(frames, chosen) for entry in entries]
    made = page(
        frames, built, source, table, context_marks(table, Config()), zone=chosen.timezone, now=datetime.now(UTC)
    )
    write(out, render(made).encode())
    typer.echo(f"{out}")
    if open_:
        import webbrowser

        if not webbrowser.open(out.resolve().as_uri()):
            raise SetpointError(f"no browser could be started: open {out} yourself.")


def _nothing(source: Source, out: Path) -> None:
    """Say where nothing was found, as a report does, and that there is no picture of it."""
    from measure.reports.foot import head

    typer.echo(f"setpoint: {' '.join(line for line in head(source) if line)} {out} was not written.", err=True)


def _check_name(name: str) -> None:
    if name not in PLOTS:
        from difflib import get_close_matches

        close = get_close_matches(name, PLOTS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(PLOTS)}."
        raise UsageError(f"there is no plot {name!r}: {hint}")


def _read(paths: list[Path], filters: Filters, out: Path, *, or_sample: bool) -> tuple[Any, Any]:
    """Filtered frames and their source; refuses to write into what is read."""
    from measure.reports.read import keep_out, read
    from measure.reports.select import select

    frames, source = read(paths, or_sample=or_sample)
    keep_out(out, frames, "--out")
    return select(frames, filters), source


def _figure(name: str, frames: Any, prices: money.Prices, filters: Filters) -> Figure:
    from hooks.runtime.config import Config
    from measure.plots import context, growth, reads, returns
    from policy import marks, plots
    from policy.cost import cost

    match name:
        case "context":
            lines = marks.context_marks(prices, Config())
            return context.context(frames.requests, frames.compactions, marks=lines)
        case "returns":
            return returns.returns(frames.returns, marks.return_limits(Config()))
        case "growth":
            return growth.growth(frames.requests)
        case "reads":
            return reads.reads(frames.reads)
        case "cost-days":
            return plots.cost_days(cost(frames.requests, prices), filters.timezone)
        case _:
            return plots.cost_agents(cost(frames.requests, prices))
