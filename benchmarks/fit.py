"""Fitting all limits on a gigabyte that the store holds already: CPU of the whole command, start included.

The corpus is the generated one plus copies of the bundled sample under ids of their own, for it is the sample whose
agents hand something back: about 5,000 returns in 700 sessions.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.corpus import Maker
from measure.sample import transcripts

BOUND_SECONDS = 3.0
SIZE, COPIES, ROUNDS = 1_000_000_000, 50, 5
COMMANDS = {
    "fit, all features": ["fit"],
    "fit returns": ["fit", "returns"],
    "fit context": ["fit", "context"],
    "fit compaction": ["fit", "compaction"],
    "replay": ["replay"],
}


# Message, call and request ids; an agent's id without its last four digits; a UUID's first four.
IDS = re.compile(rb"msg_|toolu_|req_|\ba[0-9a-f]{12}(?=[0-9a-f]{4}\b)|\b[0-9a-f]{4}(?=[0-9a-f]{4}-[0-9a-f]{4}-)")


def renamed(data: bytes, number: int) -> bytes:
    """The same with ids of its own: `number` in messages, calls, requests, agents, and every UUID's first digits."""
    tag = f"{number:04x}".encode()

    def own(found: re.Match[bytes]) -> bytes:
        return found[0] + tag if found[0].endswith(b"_") else found[0][:-4] + tag

    return IDS.sub(own, data)


def copy_sample(root: Path, number: int) -> int:
    """The sample's sessions once more, with ids of their own. Returns the bytes written."""
    sample = transcripts()
    size = 0
    for path in sample.rglob("*"):
        if path.is_file():
            own = renamed(str(path.relative_to(sample)).encode(), number).decode()
            target = root / "projects" / own
            target.parent.mkdir(parents=True, exist_ok=True)
            size += target.write_bytes(renamed(path.read_bytes(), number))
    return size


def corpus(root: Path, size: int = SIZE) -> Path:
    """About `size` bytes of transcripts below `root`, made once."""
    if not root.is_dir():
        copied = sum(copy_sample(root, number + 1) for number in range(COPIES))
        Maker(root).fill(size - copied)
    return root


def cpu_seconds(arguments: list[str], env: dict[str, str]) -> float:
    """User and system time of one command, in seconds."""
    command = [sys.executable, "-c", "from measure.cli import main; main()", *arguments]
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(command[0], command, env, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, arguments
    return used.ru_utime + used.ru_stime


def run(root: Path, rounds: int = ROUNDS) -> dict[str, float]:
    """Median CPU seconds of each command on the warm store; the first call fills it."""
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as home:
        env = {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "PATH": os.environ["PATH"]}
        env["PYTHONPATH"] = str(Path(__file__).resolve().parents[1])
        first = cpu_seconds(["fit", str(root), "--json"], env)
        print(f"filling the store and fitting once: {first:.1f} s CPU")
        spent: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for _ in range(rounds):
            for name, words in COMMANDS.items():
                spent[name].append(cpu_seconds([*words, str(root), "--json"], env))
    return {name: statistics.median(times) for name, times in spent.items()}


def main() -> int:
    """Print the table; 1 when the claim does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit", description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="?", help="folder that keeps the corpus for the next run")
    kept: Path | None = parser.parse_args().corpus
    folder = kept or Path(tempfile.mkdtemp(prefix="setpoint-corpus-")) / "corpus"
    try:
        found = run(corpus(folder))
    finally:
        if kept is None:
            shutil.rmtree(folder.parent, ignore_errors=True)
    for name, seconds in found.items():
        verdict = "ok" if seconds <= BOUND_SECONDS else "TOO SLOW"
        print(f"{name:<24} {seconds:6.2f} s CPU, bound {BOUND_SECONDS:.0f} s, warm: {verdict}")
    return 0 if max(found.values()) <= BOUND_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
