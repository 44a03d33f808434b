"""The console script's first look at the command line: one question is answered before typer is imported.

`setpoint report overview --json` is what a status line or a script asks every few minutes. From the store it takes
less time than importing typer (90 ms); anything else, and any surprise, goes to `measure.cli`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Entry point of the console script."""
    paths = plain_overview(sys.argv[1:])
    try:
        if paths is not None and _answer(paths):
            return
        from measure import cli

        cli.main()
    except KeyboardInterrupt:  # while something is imported, which takes a while on a busy machine
        sys.stderr.write("setpoint: stopped.\n")
        sys.exit(130)


def plain_overview(arguments: list[str]) -> list[Path] | None:
    """The places named in `report overview --json PLACE ...`, nothing else being asked; None for another question.

    A place must look like a path, so that no report's name is taken for one.
    """
    if arguments[:2] != ["report", "overview"] or not {"-j", "--json"} & set(arguments):
        return None
    rest = [argument for argument in arguments[2:] if argument not in {"-j", "--json"}]
    if all(argument.startswith(("/", "./", "../", "~")) for argument in rest):
        return [Path(argument).expanduser() for argument in rest]
    return None


def _answer(paths: list[Path]) -> bool:
    try:
        from measure.store import place

        place.switch(on=True)
        from measure.reports.machine import as_json
        from measure.reports.options import filters
        from measure.reports.overview import told
        from measure.store import quick

        found = quick.overview(paths) if place.is_on() else None
        if found is None:
            return False
        asked = filters()
        text = as_json([told(found[0], asked)], asked, found[1])
    except Exception:  # whatever it is, the whole command will say it in its own words
        return False
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader went away, which is no error; Python's own last flush would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True
