"""Fetch the charting library of the HTML page from the npm registry: `just vendor`.

uPlot (MIT) is 51 kB, plain Canvas, no dependency. Measured beside it: a page of bokeh's is 1.37 MB before any data
and bokeh adds 15 packages; plotly's script alone is 4.8 MB. To take a newer release: change VERSION and INTEGRITY
(`npm view uplot@VERSION dist.integrity`), run `just vendor`, look at the page in a browser.
"""

from __future__ import annotations

import base64
import hashlib
import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

VERSION = "1.6.32"
INTEGRITY = "sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="
TARGET = Path(__file__).resolve().parents[1] / "measure" / "html" / "vendor"
FILES = {
    "package/dist/uPlot.iife.min.js": "uPlot.iife.min.js",
    "package/dist/uPlot.min.css": "uPlot.min.css",
    "package/LICENSE": "uPlot.LICENSE",
}


def fetch() -> bytes:
    """The release's archive as npm packs it. Raises ValueError where it is not the one that was pinned."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", f"uplot@{VERSION}", "--silent", "--pack-destination", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - a fixed command
        archive = next(Path(folder).glob("*.tgz")).read_bytes()
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != INTEGRITY:
        raise ValueError(f"uplot {VERSION} is not the archive that was pinned: {found}")
    return archive


def main() -> None:
    """Write the three files, byte for byte."""
    with tarfile.open(fileobj=io.BytesIO(fetch())) as archive:
        for member, name in FILES.items():
            handle = archive.extractfile(member)
            if handle is None:
                raise ValueError(f"uplot {VERSION} has no {member}")
            (TARGET / name).write_bytes(handle.read())


if __name__ == "__main__":
    main()
