"""`setpoint store`: what is kept, where, and how to clear it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TypedDict

import typer

from measure.errors import SetpointError
from measure.lazy import plain_app
from measure.reports.words import counted
from measure.store.manifest import Manifest, discard
from measure.store.place import DATABASE, folder

app = plain_app(
    no_args_is_help=True,
    help="What is kept of the transcripts read: size, and how to clear it.",
    epilog="Example: setpoint store info",
)


@app.command()
def info(json: bool = typer.Option(False, "-j", "--json", help="JSON alone on stdout.")) -> None:
    """Where the store lies, and what it holds.

    Example: setpoint store info
    """
    told = facts(folder())
    if json:
        from json import dumps

        typer.echo(dumps(told, indent=2))
        return
    if not told["exists"]:
        typer.echo(f"Nothing is stored yet. The store will lie in {told['folder']}.")
        return
    typer.echo(
        f"{told['folder']}: {told['bytes'] / 1e6:,.1f} MB, rows of {counted(told['files'], 'file')} "
        f"({told['transcript_bytes'] / 1e6:,.1f} MB of transcripts) in {counted(told['segments'], 'segment')}."
    )
    typer.echo("It holds sizes, ids, paths and counts, no text. Clear it at any time: setpoint store clear.")


@app.command()
def clear() -> None:
    """Remove what is kept; the next report reads all anew.

    Example: setpoint store clear
    """
    place = folder()
    size = _size(place)
    discard(place)
    typer.echo(f"Cleared {size / 1e6:,.1f} MB from {place}.")


class Facts(TypedDict):
    """Folder, whether there is a store, its bytes, files known, bytes of transcripts they had, segments."""

    folder: str
    exists: bool
    bytes: int
    files: int
    transcript_bytes: int
    segments: int


def facts(place: Path) -> Facts:
    """What lies in the store's folder. Raises SetpointError where it cannot be read."""
    out = Facts(folder=str(place), exists=False, bytes=_size(place), files=0, transcript_bytes=0, segments=0)
    if not (place / DATABASE).exists():
        return out
    try:
        manifest = Manifest(place, repair=False)
        known, segments = manifest.files(), manifest.segments()
        manifest.close()
    except sqlite3.OperationalError as error:  # locked, or not to be read by this user: not damaged
        raise SetpointError(f"the store in {place} cannot be read now ({error}).") from error
    except sqlite3.Error as error:
        raise SetpointError(
            f"the store in {place} cannot be read ({error}). The next report builds it anew; setpoint store clear "
            "removes it."
        ) from error
    out["exists"], out["files"], out["segments"] = True, len(known), len(segments)
    out["transcript_bytes"] = sum(entry.size for entry in known.values())
    return out


def _size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
