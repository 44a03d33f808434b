"""The command line: `setpoint`. The only place that exits, and the only one that looks up to `policy` and `hooks`.

Heavy imports stand inside command bodies; the other packages are mounted by name and imported when called.
"""

from __future__ import annotations

import errno
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.main import get_command

from measure.errors import SetpointError
from measure.lazy import LazyGroup, Mount
from measure.store import place

TYPES = {  # what typer calls a value that it cannot read, and how we say it
    "int range": "is no whole number",
    "float range": "is no number",
    "int": "is no whole number",
    "float": "is no number",
}
FULL = (errno.ENOSPC, errno.EDQUOT)

# One line a command, in the order of `setpoint --help`.
MOUNTS: tuple[Mount, ...] = (
    Mount("report", "measure.commands:report", "Tables about your sessions: tokens, agents, returns, reads, cost."),
    Mount("fit", "policy.cli:fit", "Limits from your own data, each with its n and interval."),
    Mount("policy", "policy.policy_cli:app", "What holds for each party and each agent definition, and from where."),
    Mount("replay", "policy.cli:replay", "Past sessions under given limits: who is stopped, what it saves."),
    Mount("hooks", "hooks.cli:app", "Install, check, change and remove the hooks that enforce the limits."),
    Mount("plot", "policy.pictures:plot", "One picture as SVG or PNG: contexts, sizes, repeat reads, cost."),
    Mount("html", "policy.pictures:html", "Everything on one page: sortable tables, curves, no network."),
    Mount("watch", "policy.watch:watch", "The sessions that run now: context against limits, cost."),
    Mount("prices", "policy.cli:prices", "The prices in force: per million tokens, their date and source."),
    Mount("export", "measure.commands:export", "Write every frame as Parquet, CSV or JSON lines."),
    Mount("store", "measure.store.commands:app", "What is kept of the transcripts read: size, and how to clear it."),
)


class Root(LazyGroup):
    """The root's commands."""

    mounts = MOUNTS

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; the installer gets what it may not look up itself: advice from the user's transcripts."""
        if cmd_name == "hooks":
            from hooks import cli

            cli.advice = modes_advice
        return super().get_command(ctx, cmd_name)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the options; the reader of --help may go away too."""
        try:
            return super().parse_args(ctx, args)
        except BrokenPipeError:
            ctx.exit(reader_gone())

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a reader that went away (`| head`) is no error (typer would exit 1), and Ctrl-C is told."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            return reader_gone()
        except KeyboardInterrupt as stopped:  # typer would say nothing
            kept = getattr(stopped, "kept", False)  # as `measure.transcripts.scan.Stopped` has it
            return _say("stopped; what was read is kept for the next time." if kept else "stopped.", 130)
        return result


def modes_advice() -> dict[str, Any] | None:
    """What each mode of the return budget would have done to the user's own sessions, and which to take."""
    from datetime import UTC, datetime

    from measure.reports.read import load
    from policy.limits import in_force
    from policy.price_file import in_force as prices_in_force
    from policy.reports.replay import Options
    from policy.reports.replay_modes import advice

    try:
        force = in_force()
        options = Options(force.sections, force.environment, prices_in_force(None), datetime.now(UTC))
        return advice(load([]), options)
    except (SetpointError, OSError):
        return None  # an installation needs no advice to go on


def reader_gone() -> int:
    """The exit code when nobody reads on; Python's own last flush would complain again, and gets a place to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _prepare_streams() -> None:
    """A closed stream becomes devnull; what a stream's encoding lacks becomes a question mark, not an error."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for the process
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


app = typer.Typer(
    name="setpoint",
    cls=Root,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    epilog="Example: setpoint report overview returns --since 7d",
)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"setpoint {version('setpoint')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Measure agent sessions, fit limits, install the hooks that enforce them."""


def reports() -> tuple[Any, ...]:
    """Every report by name: measure's, with policy's of the same name in their place and policy's own after them."""
    from measure.reports import REPORTS as OURS
    from policy.reports import REPORTS as THEIRS

    by_name = {entry.name: entry for entry in OURS} | {entry.name: entry for entry in THEIRS}
    return tuple(by_name.values())


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code: 0, 1 expected, 2 usage, 3 our fault, 130 Ctrl-C."""
    place.switch(on="--no-store" not in arguments)
    arguments = [argument for argument in arguments if argument != "--no-store"]
    try:
        result = get_command(app).main(args=arguments, prog_name="setpoint", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except SetpointError as error:
        return _say(str(error), error.exit_code)
    except typer.TyperException as error:
        for name, plainer in TYPES.items():
            error.message = error.message.replace(f"is not a valid {name}", plainer)
        if not hasattr(error, "show"):
            return _say(error.format_message(), error.exit_code)
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _say("stopped.", 130)
    except BrokenPipeError:
        return reader_gone()
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            return _say(f"cannot write: {error.strerror}.", 1 + reader_gone())
        from measure.crash import keep

        return _say(keep(error), 3)


def _say(sentence: str, code: int) -> int:
    typer.echo(f"setpoint: {sentence}", err=True)
    return code


def main() -> None:
    """Entry point of the console script."""
    _prepare_streams()
    sys.exit(run(sys.argv[1:]))
