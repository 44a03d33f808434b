"""The command line: `setpoint`. Heavy imports stand inside command bodies."""

from __future__ import annotations

import typer

app = typer.Typer(name="setpoint", no_args_is_help=True)


@app.callback()
def root() -> None:
    """Measure agent sessions, fit limits, install the hooks that enforce them."""


def main() -> None:
    """Entry point of the console script."""
    app()
