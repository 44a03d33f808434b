"""The console script's first look at the command line: one question is answered before typer is imported.

`setpoint report overview --json` is what a status line or a script asks every few minutes. From the store it takes
less time than importing typer (90 ms), and where nothing was written since, less than importing the half of this
package that could make the answer; anything else, and any surprise, goes to `measure.cli`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as `typing` has it: nothing is imported that the last answer does not need
if TYPE_CHECKING:
    from measure.transcripts.walk import Tree


def main() -> None:
    """Entry point of the console script."""
    places = plain_overview(sys.argv[1:])
    try:
        if places is not None and _answer(places):
            return
        from measure import cli

        cli.main()
    except KeyboardInterrupt:  # while something is imported, which takes a while on a busy machine
        sys.stderr.write("setpoint: stopped.\n")
        sys.exit(130)


def plain_overview(arguments: list[str]) -> list[str] | None:
    """The places named in `report overview --json PLACE ...`, nothing else being asked; None for another question.

    A place must look like a path, so that no report's name is taken for one.
    """
    if arguments[:2] != ["report", "overview"] or not {"-j", "--json"} & set(arguments):
        return None
    rest = [argument for argument in arguments[2:] if argument not in {"-j", "--json"}]
    return rest if all(argument.startswith(("/", "./", "../", "~")) for argument in rest) else None


def _answer(named: list[str]) -> bool:
    try:
        from measure.store import place

        place.switch(on=True)
        if not place.is_on() or not (sys.stdout.encoding or "").lower().startswith("utf"):
            return False
        from measure.store import last

        if not last.is_any():
            return False
        tree = _walked(named)
        state = last.state_of(tree)
        text = last.look_up(tree, state)
        if text is None:
            text = _made(tree)
            if text is None:
                return False
            last.keep(tree, state, text)
    except Exception:  # whatever it is, the whole command will say it in its own words
        return False
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        from measure import cli

        cli.reader_gone()
    return True


def _walked(named: list[str]) -> Tree:
    from measure.transcripts.places import default_places, tidy
    from measure.transcripts.walk import walk

    places = [tidy(one) for one in named] or default_places()
    if not sys.stderr.isatty():
        return walk(places, named=bool(named))
    from measure.looking import Looking

    line = Looking()
    try:
        return walk(places, named=bool(named), looked=line.looked)
    finally:
        line.clear()


def _made(tree: Tree) -> str | None:
    """The text from the figures in the store and what was written since; None where only the frames can tell."""
    from measure.reports.machine import as_json
    from measure.reports.options import filters
    from measure.reports.overview import told
    from measure.store import quick

    found = quick.of_tree(tree)
    if found is None:
        return None
    asked = filters()
    return as_json([told(found[0], asked)], asked, found[1])
