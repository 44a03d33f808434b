"""What a hook costs: CPU of the installed copy against a bare Python start and against node, in one interleaved run.

Medians of user + system time of the child (`os.wait4`), which the load of a shared machine moves little.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.runtime.returns import FILE_TOKENS
from hooks.scopes import Scope
from hooks.settings import ours

PASS_RATIO, ORDER_RATIO, NODE_RATIO = 1.4, 2.0, 0.3
SMALL, LARGE = 4_000, 200_000  # bytes of an event


@dataclass(frozen=True)
class Row:
    """One claim: the measured figure and the bound it must keep."""

    name: str
    ms: float
    ratio: float
    bound: float | None
    against: str = "python -I -S -c pass"

    @property
    def holds(self) -> bool:
        """Whether the claim is true in this run."""
        return self.bound is None or self.ratio <= self.bound


def cpu_ms(command: list[str], given: Path, env: dict[str, str]) -> float:
    """User and system time of one run, in milliseconds."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(given), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    pid = os.posix_spawn(command[0], command, env, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    assert status == 0, command
    return (used.ru_utime + used.ru_stime) * 1000


class Bench:
    """An installed copy in a project of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scope = Scope("project", folder / ".claude", folder)
        carry_out(plan(self.scope, Request("install", ("returns",))))
        hook = ours(json.loads(self.scope.settings().read_text()))[0][2]
        self.command = [hook["command"], *hook["args"]]
        self.env = {"CLAUDE_PROJECT_DIR": str(folder), "HOME": str(folder), "PATH": os.environ["PATH"]}
        self.count = 0

    def event(self, report: int, total: int, name: str = "SubagentStop") -> Path:
        """An event of about `total` bytes with a report of `report` characters, of an agent not seen before."""
        self.count += 1
        event = {
            "session_id": f"bench-{self.count}",
            "agent_id": f"a{self.count:016x}",
            "agent_type": "general-purpose",
            "hook_event_name": name,
            "stop_hook_active": False,
            "last_assistant_message": "x" * report,
        }
        event["background_tasks"] = ["y" * max(0, total - report - 300)]
        path = self.folder / "event.json"
        path.write_text(json.dumps(event), encoding="utf-8")
        return path


def cases(bench: Bench) -> dict[str, tuple[Callable[[], list[str]], Callable[[], Path]]]:
    """Name -> (command, event)."""
    order = FILE_TOKENS * 4 + 4
    node = shutil.which("node")
    null = Path(os.devnull)
    found: dict[str, tuple[Callable[[], list[str]], Callable[[], Path]]] = {
        "floor": (lambda: [bench.command[0], "-I", "-S", "-c", "pass"], lambda: null),
        "pass, 4 kB": (lambda: bench.command, lambda: bench.event(3_500, SMALL)),
        "pass, 200 kB": (lambda: bench.command, lambda: bench.event(3_500, LARGE)),
        "announce": (lambda: bench.command, lambda: bench.event(0, 0, "SubagentStart")),
        "order, 5 kB": (lambda: bench.command, lambda: bench.event(SMALL + 1_000, SMALL)),
        "order to a file, 11 kB": (lambda: bench.command, lambda: bench.event(order, SMALL)),
        "order, 200 kB": (lambda: bench.command, lambda: bench.event(LARGE, LARGE)),
    }
    if node is not None:
        script = str(Path(__file__).with_name("node_hook.mjs"))
        found["node, 4 kB"] = (lambda: [node, script], lambda: bench.event(3_500, SMALL))
        found["node, 200 kB"] = (lambda: [node, script], lambda: bench.event(3_500, LARGE))
    return found


def run(rounds: int = 25) -> list[Row]:
    """Measure every case, interleaved, and compare medians."""
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as name:
        bench = Bench(Path(name))
        times: dict[str, list[float]] = {case: [] for case in cases(bench)}
        for turn in range(rounds + 1):
            for case, (command, event) in cases(bench).items():
                spent = cpu_ms(command(), event(), bench.env)
                if turn:  # the first round warms the file cache
                    times[case].append(spent)
    return rows(times)


def rows(times: dict[str, list[float]]) -> list[Row]:
    """The claims: medians of the ratios within each round, so that a load that comes and goes touches both sides."""
    found = []
    for case, spent in times.items():
        bound = (
            PASS_RATIO if case.startswith("pass") else ORDER_RATIO if case.startswith(("order", "announce")) else None
        )
        found.append(Row(case, statistics.median(spent), paired(spent, times["floor"]), bound))
    for case, spent in times.items():
        node = times.get(f"node, {case.rpartition(', ')[2]}")
        if node is not None and not case.startswith("node"):
            # the bound is for the report that passes; an order comes once an agent at most
            bound = NODE_RATIO if case.startswith("pass") else None
            found.append(Row(f"{case}, against node", statistics.median(spent), paired(spent, node), bound, "node"))
    return found


def paired(spent: list[float], base: list[float]) -> float:
    """Median of the ratios round by round."""
    return statistics.median(one / other for one, other in zip(spent, base, strict=True))


def table(found: list[Row]) -> int:
    """Print the claims; 1 when one does not hold."""
    print(f"{'hook costs (CPU, median)':<36} {'ms':>7} {'ratio':>7} {'bound':>7}")
    for row in found:
        bound = f"{row.bound:.1f}" if row.bound is not None else "-"
        verdict = "" if row.bound is None else "  ok" if row.holds else "  TOO SLOW"
        print(f"{row.name:<36} {row.ms:>7.1f} {row.ratio:>6.2f}x {bound:>7}{verdict}")
    return 0 if all(row.holds for row in found) else 1


def main() -> int:
    """Print the table; 1 when a claim does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hooks", description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=25, help="rounds; the median counts (25)")
    return table(run(parser.parse_args().rounds))


if __name__ == "__main__":
    sys.exit(main())
