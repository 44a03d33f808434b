"""`just bench`: the table of claims, each measured in this run, interleaved with the peer."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks import claims, hooks, hooks_context, peer

ALONE = {
    "benchmarks.hooks": "CPU of a return hook against a bare Python start and node",
    "benchmarks.hooks_context": "CPU of the other hooks on large transcripts",
    "benchmarks.fit": "CPU of a fit of all limits on a gigabyte (not part of the table)",
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        epilog="Parts that run alone:\n"
        + "\n".join(f"  python -m {name:<27} {about}" for name, about in ALONE.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--size", type=float, default=1e9, help="bytes of the main corpus")
    parser.add_argument("--largest", type=float, default=5e9, help="bytes of the largest corpus; 0: leave scale out")
    parser.add_argument("--runs", type=int, default=5, help="rounds; the median counts")
    parser.add_argument("--work", type=Path, help="folder that keeps the corpora for the next run")
    given = parser.parse_args()
    with claims.work_folder(given.work) as work:
        bench = claims.Bench(work, int(given.size), given.runs)
        ccusage = peer.binary(work)
        print(
            f"{bench.size / 1e9:g} GB, medians of {bench.runs}, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
        )
        for line in lines(bench, ccusage, int(given.largest)):
            mark = {True: "met", False: "MISSED", None: "-"}[line.met]
            print(f"{line.claim:58} {line.reach:40} {line.measured:44} {mark}", flush=True)
        if ccusage:
            print("\n".join(peer.compare(ccusage, bench.root, totals(bench))))
    hooks.table(hooks.run() + hooks_context.run())


def lines(bench: claims.Bench, ccusage: Path | None, largest: int) -> Iterator[claims.Line]:
    """All rows, measured one after the other, each given as soon as it is known."""
    yield from claims.cold(bench, ccusage)
    yield from claims.warm(bench, ccusage)
    yield from claims.parallel(bench)
    if largest:
        yield from claims.scale(bench, [bench.size // 10, bench.size, largest])


def totals(bench: claims.Bench) -> dict[str, int]:
    """Our totals over the main corpus."""
    command = [claims.SETPOINT, "report", "overview", "--json", "--no-store", str(bench.root)]
    out = subprocess.run(command, capture_output=True, check=True).stdout
    found: dict[str, int] = json.loads(out)["totals"]
    return found


if __name__ == "__main__":
    main()
