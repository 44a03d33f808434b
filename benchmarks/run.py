"""Run a command and say what it cost: CPU seconds, wall seconds and peak memory of the child and its children."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU (user and system) and wall in seconds, peak resident memory in MB."""

    cpu: float
    wall: float
    peak: float


def cost(command: Sequence[str], env: Mapping[str, str] | None = None) -> Cost:
    """One run. Raises RuntimeError when the command fails: a failure is no figure."""
    # Compiling our own modules at every run is what this variable asks for, and no installed copy does.
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | dict(env or {})
    began = time.perf_counter()
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        child = subprocess.Popen(command, stdout=nothing, stderr=subprocess.PIPE, env=own)
        errors = child.stderr.read() if child.stderr else b""
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{command[0]}: exit {child.returncode}: {errors[-300:].decode(errors='replace')}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024)


def interleaved(runs: int, **takes: Callable[[], Cost]) -> dict[str, Cost]:
    """Medians over `runs` rounds; each round takes every measurement once, so that a busy minute hits all alike."""
    taken: dict[str, list[Cost]] = {name: [] for name in takes}
    for _ in range(runs):
        for name, take in takes.items():
            taken[name].append(take())
    return {
        name: Cost(*(median(getattr(one, part) for one in costs) for part in ("cpu", "wall", "peak")))
        for name, costs in taken.items()
    }
