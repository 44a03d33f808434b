"""A command group that imports a command only when it is called: `--help` and `--version` stay light."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command


class Mount(NamedTuple):
    """One command of the root: `target` is "module:attribute": a function is one command, a `typer.Typer` a group."""

    name: str
    target: str
    help: str


def plain_app(**settings: Any) -> typer.Typer:
    """A Typer in our house style: plain help and errors (no Rich import), our own handling of exceptions."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
        **settings,
    )


def as_command(target: typer.Typer | Callable[..., Any], name: str) -> Any:
    """The click command behind a Typer or a plain function."""
    if not isinstance(target, typer.Typer):
        app = plain_app()
        app.command(name)(target)
        target = app
    command = get_command(target)
    command.name = name
    return command


def resolve(target: str) -> Any:
    """The object that "module:attribute" names."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


class LazyGroup(TyperGroup):
    """Commands from `mounts`, in their order; listed with the help of the mount, so that listing imports nothing."""

    mounts: tuple[Mount, ...] = ()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order of the mounts."""
        return [mount.name for mount in self.mounts]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - click's signature
        """The command, imported now; None for an unknown name."""
        for mount in self.mounts:
            if mount.name == cmd_name:
                return as_command(resolve(mount.target), mount.name)
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words begin with; for a slip of the keyboard, the error names what was meant."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            close = get_close_matches(args[0], [mount.name for mount in self.mounts], n=1)
            if close:
                error.message = f"{error.message.rstrip('.')}. Did you mean '{close[0]}'?"
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - click's signature
        """The list of commands in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(mount.name, mount.help) for mount in self.mounts])
