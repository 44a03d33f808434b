"""`setpoint hooks`: install, check, change and remove the hooks."""

from __future__ import annotations

import typer

app = typer.Typer(name="hooks", no_args_is_help=True, help="Install, check, change and remove the hooks.")
