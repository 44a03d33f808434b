"""`setpoint hooks`: install, check, change and remove the hooks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hooks.errors import HooksError

SCHEMA_VERSION = 1
# what to say before returns are installed: the root command line, which knows the transcripts, puts it here
advice: Callable[[], dict[str, Any] | None] | None = None
READING = ("status", "doctor", "snippet")

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)


@app.command()
def hooks(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODE [FEATURE ...]",
            help="status, install, upgrade, enable, disable, uninstall, purge, import, doctor or snippet; "
            "then features, a scope and the two limits in any order.",
            show_default=False,
        ),
    ] = None,
    scope: Annotated[
        str | None, typer.Option(metavar="project|global|both", help="Where: for this project, for all.")
    ] = None,
    pass_tokens: Annotated[
        int | None, typer.Option("--pass", min=1, metavar="N", help="Limit up to which a report passes.")
    ] = None,
    file_tokens: Annotated[
        int | None, typer.Option("--file", min=1, metavar="N", help="Limit above which a file is asked for.")
    ] = None,
    pass_for: Annotated[
        list[str] | None, typer.Option(metavar="TYPE=TOKENS", help="Pass limit of one agent type.")
    ] = None,
    file_for: Annotated[
        list[str] | None, typer.Option(metavar="TYPE=TOKENS", help="File limit of one agent type.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(metavar="announce|block|shorten", help="What a long report meets.")
    ] = None,
    shorten: Annotated[
        str | None, typer.Option(metavar="foreground|off", help="foreground: cut at delivery instead of a block.")
    ] = None,
    spill: Annotated[bool | None, typer.Option(help="Save the report of agents that cannot write.")] = None,
    exempt: Annotated[
        list[str] | None, typer.Option(metavar="TYPE", help="Agent types left alone (name or glob).")
    ] = None,
    sections: Annotated[
        Path | None, typer.Option("--sections", metavar="FILE", help="JSON file of sections to write, as fits print.")
    ] = None,
    local: Annotated[bool | None, typer.Option("--local/--shared", help="Entries in settings.local.json.")] = None,
    project: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Project folder instead of the one found from here.")
    ] = None,
    python: Annotated[
        str | None, typer.Option(metavar="FILE", help="Interpreter that runs the hooks (absolute path).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and the diff; change nothing.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Take the defaults for what was not said; do not ask.")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="With snippet: write it instead of printing it.")] = False,
    as_json: Annotated[bool, typer.Option("-j", "--json", help="JSON alone on stdout.")] = False,
) -> None:
    """Install, check, change and remove the hooks that enforce the limits.

    Example: setpoint hooks install returns --scope project --pass 1000 --file 2500
    """
    from hooks.limits import given_values
    from hooks.words import per_type, sort

    try:
        said = sort(words or [])
        numbers = [*said.numbers, None, None]
        given = given_values(
            pass_tokens=pass_tokens or numbers[0],
            file_tokens=file_tokens or numbers[1],
            by_type=per_type(pass_for or [], "passTokens"),
            by_type_file=per_type(file_for or [], "fileTokens"),
            mode=mode,
            shorten=shorten,
            spill=spill,
            exempt=exempt,
            sections=sections,
        )
        wanted_scope = scope or said.scope
        if apply and said.mode == "snippet":
            said.mode, said.features = "install", said.features or ["output"]
        if (said.mode or "status") in READING:
            report = _read(said.mode or "status", wanted_scope, said.features, project)
            _say(report, as_json)
            if report.get("failed"):
                raise typer.Exit(1)
            return
        from hooks.session import Session

        session = Session(str(said.mode), said.features, given, wanted_scope, project, local, python)
        _change(session, dry_run, yes, as_json)
    except HooksError as error:
        typer.echo(f"setpoint: {error}", err=True)
        raise typer.Exit(error.exit_code) from error


def _read(mode: str, scope: str | None, features: list[str], project: Path | None) -> dict[str, Any]:
    from hooks.scopes import BOTH, scopes

    places = scopes(scope or BOTH, project)
    if mode == "doctor":
        from hooks.doctor import examine

        return examine(places)
    if mode == "snippet":
        from hooks.session import snippets

        return snippets(scopes(scope or "project", project)[0], features)
    from hooks.status import status

    return status(places)


def _change(session: Any, dry_run: bool, yes: bool, as_json: bool) -> None:
    from hooks.install import carry_out
    from hooks.show import diff, plan_lines

    plans = session.plans()
    rows, lines = [], []
    for made in plans:
        told = plan_lines(made)
        row: dict[str, Any] = {
            "scope": made.scope.name,
            "folder": str(made.scope.folder),
            "features": list(made.request.features or made.features),
            "warnings": list(made.warnings),
            "plan": told,
            "changed": [str(change.path) for change in made.changed],
        }
        lines += told
        if dry_run:
            row["diff"] = diff(made).splitlines()
            lines += row["diff"]
        rows.append(row)
    said = advice() if advice is not None and session.mode == "install" and "returns" in session.features else None
    lines += said["lines"] if said is not None else []
    if not as_json:
        typer.echo("\n".join(lines))
    unknown = session.unknown()
    if not dry_run and unknown and not yes:
        _ask(unknown)
    if not dry_run:
        for made in plans:
            carry_out(made)
    end = "Nothing was changed (dry run)." if dry_run else session.farewell()
    if as_json:
        advised = {} if said is None else {"advice": {key: value for key, value in said.items() if key != "lines"}}
        report = {"report": f"hooks {session.mode}", "done": not dry_run, "scopes": rows, **advised}
        _say({**report, "lines": [*lines, end]}, True)
    else:
        typer.echo(end)


def _ask(unknown: list[str]) -> None:
    question = f"Not said: {', '.join(unknown)}. Go on as planned?"
    if not sys.stdin.isatty():
        raise HooksError(f"not said: {', '.join(unknown)}; add it, or --yes for the plan above. Nothing was changed.")
    if not typer.confirm(question):
        raise HooksError("nothing was changed.")


def _say(report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_enveloped(report), ensure_ascii=False, indent=1))
        return
    for line in report.get("lines", []):
        typer.echo(line)


def _enveloped(report: dict[str, Any]) -> dict[str, Any]:
    """`report` in the envelope of every JSON report; a row is a scope, and no transcripts are counted here."""
    if "scopes" not in report:
        return {"schema_version": SCHEMA_VERSION, **report}
    return {
        "schema_version": SCHEMA_VERSION,
        "report": report["report"],
        "filters": {},
        "totals": {"scopes": len(report["scopes"])},
        "rows": report["scopes"],
        "files": {"read": 0, "skipped": []},
        "records": dict.fromkeys(("read", "used", "bookkeeping", "unknown", "damaged"), 0),
        "horizon": None,
        **report,
    }
