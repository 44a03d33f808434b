"""The commands of `measure`: report and export. Heavy imports stand inside the bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from measure.errors import UsageError


def _known(incomplete: str) -> list[str]:
    """What may stand here, for the shell's completion: report names, and the files and folders there are."""
    from measure.cli import reports

    names = [entry.name for entry in reports() if entry.name.startswith(incomplete)]
    return names + [str(path) for path in Path().glob(f"{incomplete}*")] if _plain(incomplete) else names


def _plain(text: str) -> bool:
    return not text.startswith(("/", "~")) and not set(text) & set("*?[")


Words = Annotated[
    list[str] | None,
    typer.Argument(
        autocompletion=_known,
        metavar="[NAME ...] [PATH ...]",
        help="Report names and places to read, in any order. No name: overview. No path: your own transcripts.",
        show_default=False,
    ),
]
Since = Annotated[str, typer.Option("-s", "--since", metavar="DATE", help="First day: 2026-11-30, 20261130, 7d, 24h.")]
Until = Annotated[str, typer.Option("-u", "--until", metavar="DATE", help="Last day, included.")]
Zone = Annotated[str, typer.Option("-z", "--timezone", metavar="ZONE", help="IANA name, or local, for days and times.")]
Projects = Annotated[
    list[str] | None,
    typer.Option("-p", "--project", metavar="NAME", help="Folder name or path of a project; may be repeated."),
]
Sessions = Annotated[
    list[str] | None, typer.Option("--session", metavar="ID", help="Session id, or its beginning; may be repeated.")
]
AgentTypes = Annotated[
    list[str] | None,
    typer.Option("--agent-type", metavar="TYPE", help="Agent type; main is the main thread; may be repeated."),
]
Models = Annotated[
    list[str] | None, typer.Option("--model", metavar="NAME", help="Model, or a part of its name; may be repeated.")
]
Top = Annotated[int | None, typer.Option("--top", min=0, metavar="N", help="First N rows; 0 for all.")]
Over = Annotated[
    int, typer.Option("--over", min=0, metavar="N", help="returns: the line in est. tokens to count above.")
]
Above = Annotated[
    int, typer.Option("--above", min=0, metavar="N", help="cost: the context size in tokens to count above.")
]
Bound = Annotated[
    int | None,
    typer.Option("--bound", min=0, metavar="N", help="start: exit code 1 if a thread starts above N tokens."),
]
Prices = Annotated[
    str, typer.Option("--prices", metavar="FILE", help="Your own prices (TOML): see setpoint prices --help.")
]
Json = Annotated[bool, typer.Option("-j", "--json", help="JSON alone on stdout.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Markdown tables.")]
Csv = Annotated[bool, typer.Option("--csv", help="The rows of one report as CSV.")]
NoStore = Annotated[bool, typer.Option("--no-store", help="Read everything anew and keep nothing.")]
OrSample = Annotated[
    bool, typer.Option("--or-sample", help="Read the bundled sample when you have no transcripts of your own.")
]


def report(
    words: Words = None,
    since: Since = "",
    until: Until = "",
    timezone: Zone = "local",
    project: Projects = None,
    session: Sessions = None,
    agent_type: AgentTypes = None,
    model: Models = None,
    top: Top = None,
    over: Over = 800,
    above: Above = 150_000,
    bound: Bound = None,
    prices: Prices = "",
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
    or_sample: OrSample = False,
    no_store: NoStore = False,  # noqa: ARG001 - `cli.run` takes it off the line for every command; here for --help
) -> None:
    """Tables about your sessions. Without a name: the overview.

    Example: setpoint report overview returns --since 7d
    """
    from measure.cli import reports
    from measure.reports.options import filters
    from measure.reports.run import Form, names_and_paths, produce

    if json + markdown + csv > 1:
        raise UsageError("--json, --markdown and --csv exclude each other: choose one.")
    form: Form = "json" if json else "markdown" if markdown else "csv" if csv else "text"
    entries, paths = names_and_paths(words or [], reports())
    chosen = filters(
        since=since,
        until=until,
        timezone=timezone,
        project=project,
        session=session,
        agent_type=agent_type,
        model=model,
        top=top,
        over=over,
        above=above,
        bound=bound,
        prices=prices or None,
    )
    made = produce(entries, paths, chosen, form=form, or_sample=or_sample)
    if any(one.name == "start" and one.totals["above"] for one in made):
        raise typer.Exit(1)


Format = Annotated[
    Literal["parquet", "csv", "jsonl"], typer.Option("--format", metavar="FORMAT", help="parquet, csv or jsonl.")
]
To = Annotated[Path, typer.Option("--to", metavar="DIR", help="Folder to write into; made when missing.")]


def _place(word: str) -> Path:
    from measure.reports.run import place

    return place(word)


Paths = Annotated[
    list[Path] | None,
    typer.Argument(parser=_place, metavar="[PATH ...]", help="Places to read.", show_default=False),
]


def export(
    to: To,
    paths: Paths = None,
    format: Format = "parquet",  # noqa: A002 - the option's name
    no_store: NoStore = False,  # noqa: ARG001 - as above
) -> None:
    """Write every frame as DIR/FRAME.FORMAT.

    Example: setpoint export --to frames --format csv
    """
    from measure.reports import export

    export.export(paths or [], to, format)
