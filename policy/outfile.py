"""Writing a file that the user named: whole or not at all, and one sentence when it cannot be."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure.errors import SetpointError, UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png")


def check(target: Path) -> None:
    """Raise SetpointError now where `target` could not be written later: before minutes of reading, not after."""
    place = target.resolve()
    if place.is_dir():
        raise SetpointError(f"cannot write {target}: it is a folder.")
    if not place.parent.is_dir():
        raise SetpointError(f"cannot write {target}: there is no folder {target.parent}.")
    if not os.access(place if place.exists() else place.parent, os.W_OK):
        raise SetpointError(f"cannot write {target}: permission denied.")


def check_picture(target: Path) -> None:
    """`check`, and UsageError where the ending names no kind of picture that we write."""
    if target.suffix.lower() not in FORMATS:
        raise UsageError(f"--out {target.name}: the name must end in .svg or .png.")
    check(target)


def image(figure: Figure, suffix: str) -> bytes:
    """A figure as the bytes of an SVG or PNG, the same for the same figure."""
    import io

    from measure.plots.style import house

    target = io.BytesIO()
    with house():
        if suffix == ".svg":
            figure.savefig(target, format="svg", metadata={"Date": None})
        else:
            figure.savefig(target, format="png", dpi=120)
    return target.getvalue()


def write(target: Path, content: bytes) -> None:
    """Write `content` to `target` through a file beside it. Raises SetpointError."""
    check(target)
    place = target.resolve()
    try:
        if place.exists() and not place.is_file():  # /dev/stdout, a pipe: nothing to rename over
            place.write_bytes(content)
            return
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask()
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(content)
            Path(name).chmod(mode)
            Path(name).replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise SetpointError(f"cannot write {target}: {(error.strerror or 'an error').lower()}.") from None


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found
