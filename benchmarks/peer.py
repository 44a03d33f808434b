"""ccusage, the fastest peer: where its binary is, its totals, and how ours differ from them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any


def binary(work: Path) -> Path | None:
    """The native binary of npm's ccusage (SETPOINT_CCUSAGE names another); None where there is none.

    npm unpacks it without the right to run it; its launcher sets that at its first start, we run a copy.
    """
    given = os.environ.get("SETPOINT_CCUSAGE")
    places = (
        [Path(given)]
        if given
        else sorted(Path("~/.cache/ccusage").expanduser().glob("node_modules/@ccusage/*/bin/ccusage"))
    )
    for place in places:
        if place.is_file():
            copy = work / "ccusage"
            shutil.copy(place, copy)
            copy.chmod(0o755)
            return copy
    return None


def command(ccusage: Path) -> list[str]:
    """Its fastest report on Claude's files, without the network."""
    return [str(ccusage), "claude", "session", "--json", "--offline"]


def compare(ccusage: Path, root: Path, ours: dict[str, Any]) -> list[str]:
    """Each total beside the peer's, with the reason where they differ."""
    env = {**os.environ, "CLAUDE_CONFIG_DIR": str(root)}
    out = subprocess.run(command(ccusage), capture_output=True, env=env, check=True).stdout
    theirs = json.loads(out)["totals"]
    pairs = (
        ("input", "input_tokens", "inputTokens"),
        ("cache read", "cache_read_tokens", "cacheReadTokens"),
        ("cache write", "cache_write_tokens", "cacheCreationTokens"),
        ("output", "output_tokens", "outputTokens"),
    )
    lines = []
    for name, mine, peer in pairs:
        difference = ours[mine] - theirs[peer]
        told = "equal" if not difference else f"{difference:+,} (ours - theirs)"
        lines.append(f"{name:12} ours {ours[mine]:>18,}   ccusage {theirs[peer]:>18,}   {told}")
    return lines
