"""`setpoint policy`: what holds for each party and each agent definition. Heavy imports stand inside the bodies."""

from __future__ import annotations

from typing import Annotated

import typer

from measure.commands import Csv, Json, Markdown
from measure.errors import UsageError
from measure.lazy import plain_app

DIFFERS = 1
app = plain_app(
    no_args_is_help=True,
    help="What holds for each party and each agent definition, and from where.",
    epilog="Example: setpoint policy show",
)
MainModel = Annotated[str, typer.Option("--model", metavar="NAME", help="Model of the main conversation.")]
ASSUMED = "claude-opus-5-5"


@app.command()
def show(model: MainModel = ASSUMED, json: Json = False, markdown: Markdown = False, csv: Csv = False) -> None:
    """Every party's compaction policy, and where each value comes from.

    Example: setpoint policy show
    """
    from measure.reports.model import Filters
    from measure.reports.run import write
    from policy.asked import form
    from policy.limits import in_force
    from policy.reports.parties import show as built

    write([built(in_force(), model)], Filters(), None, form(json=json, markdown=markdown, csv=csv))


@app.command()
def agents(
    apply: Annotated[bool, typer.Option("--apply", help="Write the report rule and the spare turn.")] = False,
    revert: Annotated[bool, typer.Option("--revert", help="Take out again what --apply wrote.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit code 1 where a copy of a limit differs.")] = False,
    callers: Annotated[
        bool, typer.Option("--callers", help="The rule for callers too, in the project's CLAUDE.md.")
    ] = False,
    model: MainModel = ASSUMED,
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """Every agent definition: turn limit, model, report rule and limits.

    Example: setpoint policy agents --apply --callers
    """
    from measure.reports.model import Filters
    from measure.reports.run import write
    from policy.asked import form
    from policy.limits import in_force
    from policy.reports.parties import agents_report

    if apply + revert + check > 1:
        raise UsageError("--apply, --revert and --check exclude each other: choose one.")
    if apply or revert:
        for line in _change(apply, callers):
            typer.echo(line)
        return
    report = agents_report(in_force(), model)
    write([report], Filters(), None, form(json=json, markdown=markdown, csv=csv))
    if check and report.totals["to_mend"]:
        raise typer.Exit(DIFFERS)


def _change(apply: bool, callers: bool) -> list[str]:
    from hooks.runtime.context import report_words
    from policy import definitions as own
    from policy.limits import in_force

    force = in_force()
    words = report_words(force.sections.get("context"))
    changes = [
        (one.path, one.text, own.applied(one, words) if apply else own.reverted(one)) for one in own.definitions(force)
    ]
    if callers:
        now, then = own.instructions_after(apply)
        if now is not None or apply:
            changes.append((own.instructions(), now or "", then))
    done = []
    for path, now, then in changes:
        if now != then:
            own.write(path, then)
            done.append(f"changed {path}")
    return done or ["Nothing to change."]
