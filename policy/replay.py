"""Past sessions through the very rule functions that the hooks call: what would have been decided, and where.

Nothing here knows a price. `hooks.runtime` decides; this module only feeds it what the transcripts hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from hooks.runtime import compaction, context, turns
from hooks.runtime import returns as budget
from policy.fit.runs import MAIN, Thread

SCHEMA = pl.Schema({"pass_tokens": pl.Int64(), "file_tokens": pl.Int64(), "action": pl.String()})


def return_decisions(
    returns: pl.DataFrame, section: Mapping[str, Any], environment: Mapping[str, str | None]
) -> pl.DataFrame:
    """The frame `returns` with the limits of each row's type and the guard's `action` on its first size.

    pass, compress, file, spill or cut; null where the first size is unknown. `section` is the section `returns` of
    setpoint.json. An agent that cannot write is known by its type alone here: transcripts hold no definitions. The
    client is taken for one that loads the plugin of mode shorten.
    """
    policies: dict[str, budget.Policy] = {}
    rows = []
    for kind, size, route in returns.select("agent_type", "first_est_tokens", "route").iter_rows():
        name = kind or ""
        policy = policies.get(name)
        if policy is None:
            policy = policies[name] = budget.Policy(section, name, environment)
        action = None
        if size is not None:
            cut = policy.cuts(route or "", plugin=True)
            action = budget.decide(policy, size, name not in budget.READ_ONLY, cut)
        rows.append((policy.pass_tokens, policy.file_tokens, action))
    return returns.hstack(pl.DataFrame(rows, schema=SCHEMA, orient="row"))


@dataclass(frozen=True, slots=True)
class Told:
    """What one subagent would have been told: steps (0-based requests) after which each note had come.

    A note needs a later request to be read in, so the last request is never one. `turns_left` is the step of the turns
    note, None where none came.
    """

    thread: Thread
    bound: int
    wrap_up: int | None
    report: tuple[int, ...]
    turns_left: int | None

    @property
    def stopped(self) -> int | None:
        """Step after which it was first told to report."""
        return self.report[0] if self.report else None


def context_decisions(runs: list[Thread], section: Mapping[str, Any], max_turns: int | None = None) -> list[Told]:
    """The notes of every subagent under the section `context`; `max_turns` is a limit to try (None: none)."""
    before, at = context.wrap_up_before(section), turns.turns_left_at(section)
    return [
        _told(run, context.bound(section, run.model, run.party), before, at, max_turns)
        for run in runs
        if run.party != MAIN
    ]


def _told(run: Thread, bound: int, before: int, at: int, max_turns: int | None) -> Told:
    noted, wrap_up, report, left = 0, None, [], None
    for step, tokens in enumerate(run.context[:-1].tolist()):
        what, noted = context.decide(int(tokens), bound, before, noted, run.fork_first)
        if what == context.WRAP_UP and wrap_up is None:
            wrap_up = step
        elif what == context.REPORT:
            report.append(step)
        if left is None and turns.decide(step + 1, max_turns, at, noted=False):
            left = step
    return Told(run, bound, wrap_up, tuple(report), left)


@dataclass(frozen=True, slots=True)
class Compacted:
    """Where one thread would have been compacted: steps whose context the policy let go, and asks that it held."""

    thread: Thread
    force_at: int
    window: int
    forced: tuple[int, ...]
    held: int


def compaction_decisions(
    threads: list[Thread], section: Mapping[str, Any], base: Mapping[str, float], ask_at: int | None = None
) -> list[Compacted]:
    """Every thread under the section `compaction`; the client asks whenever the context lies at or past the ask point.

    The thread grows by its own measured steps; after a compaction it starts over from `base` of its party.
    `ask_at` is the lowered ask point (None: the smallest nudge of the party).
    """
    return [_compacted(thread, section, base[thread.party], ask_at) for thread in threads]


def sources(section: Mapping[str, Any], party: str) -> list[tuple[str, object]]:
    """Where a party's policy is looked for, first wins; definitions are not in the transcripts."""
    types = section.get("byAgentType")
    own = types.get(party) if isinstance(types, dict) and party != MAIN else None
    central = section.get("main" if party == MAIN else "subagent")
    return [("byAgentType", own or {}), ("central", central or {})]


def _compacted(thread: Thread, section: Mapping[str, Any], base: float, ask_at: int | None) -> Compacted:
    window, _ = compaction.window(thread.model, section.get("windows"), None)
    if float(thread.context.max()) > window:
        window = compaction.LARGE  # a context above the small window proves the large one
    values, _, _ = compaction.resolve(sources(section, thread.party), window)
    force, natural = int(values["forceAt"]), compaction.ask_point(window)
    ask = min(natural, int(values["nudgeFrom"]) if ask_at is None else ask_at)
    governed = bool(values["enabled"]) and "haiku" not in (thread.model or "")
    forced: list[int] = []
    held, quick, since, shift = 0, 0, None, 0.0
    reached = thread.growth.cumsum().tolist()
    for step, total in enumerate(reached[:-1]):
        tokens = int(total - shift)
        since = None if since is None else since + 1  # this request is the first after a compaction, not none after it
        if tokens >= ask:
            what, _ = compaction.decide(
                "auto", tokens, window, force, natural=natural, governed=governed, quick=quick, since=since
            )
            if what == compaction.PASS:
                quick, since = compaction.refills(quick, since), 0
                forced.append(step)
                shift = total - base
                continue
            held += 1
    return Compacted(thread, force, window, tuple(forced), held)
