"""The claims, one function each: what is measured, against what, and what was promised."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks import peer
from benchmarks.corpus import Maker, make
from benchmarks.run import Cost, cost, interleaved

PYTHON = sys.executable
SETPOINT = str(Path(PYTHON).with_name("setpoint"))
LOAD = "import sys; from measure.frames import load; load([sys.argv[1]], store=sys.argv[2] == 'store')"
FLOOR = [PYTHON, "-I", "-S", "-c", "pass"]


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table. `reach` is what the issue asks for; `met` None: nothing to hold it against."""

    claim: str
    reach: str
    measured: str
    met: bool | None


@dataclass(slots=True)
class Bench:
    """Where the corpora and the stores of this run are, and how often a figure is taken."""

    work: Path
    size: int
    runs: int

    @property
    def root(self) -> Path:
        """The main corpus."""
        return make(self.work, self.size)

    def env(self, name: str) -> dict[str, str]:
        """A store of its own."""
        return {"SETPOINT_CACHE_DIR": str(self.work / f"cache-{name}")}

    def clear(self, name: str) -> None:
        """Empty that store."""
        shutil.rmtree(self.work / f"cache-{name}", ignore_errors=True)


def load(bench: Bench, store: str, root: Path, **more: str) -> Cost:
    """Everything into frames, in a process of its own."""
    return cost([PYTHON, "-c", LOAD, str(root), store], bench.env("load") | more)


def overview(bench: Bench, *options: str, root: Path | None = None) -> Cost:
    """`report overview --json`, whole process."""
    return cost([SETPOINT, "report", "overview", "--json", str(root or bench.root), *options], bench.env("warm"))


def cold(bench: Bench, ccusage: Path | None) -> Iterator[Line]:
    """Reading everything for the first time."""

    def stored() -> Cost:
        bench.clear("load")
        return load(bench, "store", bench.root)

    def theirs() -> Cost:
        assert ccusage
        return cost(peer.command(ccusage), {"CLAUDE_CONFIG_DIR": str(bench.root)})

    takes = {
        "frames": lambda: load(bench, "none", bench.root),
        "stored": stored,
        "totals": lambda: overview(bench, "--no-store"),
    }
    if ccusage:
        takes["ccusage"] = theirs
    told = interleaved(bench.runs, **takes)
    base = told["ccusage"].cpu if ccusage else None
    for name, claim, reach, must in (
        ("frames", "cold, everything into frames, --no-store, CPU", "aim 1.0 x, must 1.5 x ccusage", 1.5),
        ("stored", "cold, everything, store written, CPU", "0.3 x more", 1.8),
        ("totals", "cold, report overview, --no-store, CPU", "aim 0.5 x, must 0.7 x ccusage", 0.7),
    ):
        one = told[name]
        ratio = f", {one.cpu / base:.2f} x ccusage ({base:.2f} s)" if base else ", no ccusage to hold it against"
        yield Line(claim, reach, f"{one.cpu:.2f} s{ratio}", one.cpu / base <= must if base else None)


def warm(bench: Bench, ccusage: Path | None) -> Iterator[Line]:
    """Asking again."""
    bench.clear("warm")
    overview(bench)
    told = interleaved(bench.runs, floor=lambda: cost(FLOOR), same=lambda: overview(bench))
    more = told["same"].cpu - told["floor"].cpu
    yield Line(
        "warm, unchanged, overview --json, CPU above the floor", "<= 150 ms", f"{more * 1000:.0f} ms", more <= 0.15
    )
    if ccusage:
        theirs = cost(peer.command(ccusage), {"CLAUDE_CONFIG_DIR": str(bench.root)}).cpu
        times = theirs / told["same"].cpu
        yield Line("likewise, against ccusage", ">= 15 x less at 1 GB", f"{times:.1f} x less", times >= 15)
    returns = [SETPOINT, "report", "returns", "--json", str(bench.root)]
    frames = interleaved(bench.runs, returns=lambda: cost(returns, bench.env("warm")))["returns"].cpu
    yield Line("warm, a report that needs frames (returns), CPU", "<= 600 ms", f"{frames * 1000:.0f} ms", frames <= 0.6)

    def longer() -> Cost:
        with grown(bench.root, 200_000):  # anew each time: a second question would find the first one's answer
            return overview(bench)

    told = interleaved(bench.runs, floor=lambda: cost(FLOOR), grown=longer)
    more = told["grown"].cpu - told["floor"].cpu
    yield Line(
        "warm, one file grown by 200 kB, CPU above the floor", "<= 190 ms", f"{more * 1000:.0f} ms", more <= 0.19
    )


@contextmanager
def grown(root: Path, size: int) -> Iterator[None]:
    """The largest main file of the corpus, longer by `size` bytes for a while."""
    path = max(root.glob("projects/*/*.jsonl"), key=lambda one: one.stat().st_size)
    before = path.stat()
    records = map(json.loads, path.read_bytes().splitlines()[:20])
    model = next(record["message"]["model"] for record in records if record["type"] == "assistant")
    lines: list[str] = []
    maker = Maker(root, seed=99)
    while sum(map(len, lines)) < size:
        lines += maker.response(path.stem, None, path.parent.name, model, 20_000, 500)
    with path.open("ab") as file:
        file.write(("\n".join(lines) + "\n").encode())
    try:
        yield
    finally:
        os.truncate(path, before.st_size)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def scale(bench: Bench, sizes: list[int]) -> Iterator[Line]:
    """Memory and CPU as the corpus grows."""
    taken: dict[int, Cost] = {}
    for size in sizes:
        root = make(bench.work, size)
        taken[size] = interleaved(min(bench.runs, 3), one=lambda root=root: overview(bench, "--no-store", root=root))[
            "one"
        ]
    peaks = ", ".join(f"{size / 1e9:g} GB {one.peak:.0f} MB" for size, one in taken.items())
    flat = taken[sizes[-1]].peak <= 1.15 * taken[sizes[-2]].peak if len(sizes) > 1 else True
    small = all(one.peak <= 400 for one in taken.values())
    yield Line("peak memory, overview", "<= 400 MB, the largest within 15 % of the one before", peaks, small and flat)
    per_gb = [(taken[b].cpu - taken[a].cpu) / (b - a) * 1e9 for a, b in pairwise(sizes)]
    if len(per_gb) > 1:
        spread = max(per_gb) / min(per_gb) - 1
        told = ", ".join(f"{one:.2f} s" for one in per_gb)
        yield Line("CPU per added GB", "linear within 10 %", f"{told} ({spread:.0%} apart)", spread <= 0.1)


def parallel(bench: Bench) -> Iterator[Line]:
    """Two processes instead of one."""
    told = interleaved(
        bench.runs,
        one=lambda: load(bench, "none", bench.root, SETPOINT_PROCESSES="1"),
        two=lambda: load(bench, "none", bench.root, SETPOINT_PROCESSES="2"),
    )
    ratio = told["two"].wall / told["one"].wall
    told_ = f"{ratio:.2f} x ({told['two'].wall:.1f} s against {told['one'].wall:.1f} s)"
    yield Line("2 processes, wall", "aim 0.65 x, must 0.8 x on free cores", told_, ratio <= 0.8)


@contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """The folder for corpora and stores; a temporary one is removed."""
    if given:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as made:
        yield Path(made)
