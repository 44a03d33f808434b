"""Limits in force and price steps, as lines for the pictures: every value from the rule that enforces or charges it."""

from __future__ import annotations

from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from hooks.runtime import compaction, context
from hooks.runtime.guard import policy_for
from measure.plots.marks import BOUND, PRICE, SECOND, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hooks.runtime.config import Config
    from measure.plots.marks import Marks
    from policy.prices import Prices


def price_steps(prices: Prices, model: str | None) -> list[Mark]:
    """Prompt sizes above which the newest price of `model` changes, with the factor on its input price."""
    name = prices.canonical(model)
    if name is None:
        return []
    rows = prices.rows.filter(pl.col("model") == name).sort("valid_from", "tier_start", nulls_last=False)
    newest = rows.filter(pl.col("valid_from").eq_missing(rows["valid_from"][-1])) if rows.height else rows
    tiers = newest.select(pl.col("tier_start").fill_null(0), "input").rows()
    return [
        Mark(start, f"price x{rate / before:.3g} above" if before else "price step", PRICE)
        for (_, before), (start, rate) in pairwise(tiers)
    ]


def context_marks(prices: Prices, config: Config) -> Marks:
    """Price steps of every thread; the context bound of agents and the forced compaction where they are switched on."""
    bounds, forced = config.section("context"), config.section("compaction")
    steps = cache(partial(price_steps, prices))

    def marks(main: bool, agent_type: str | None, model: str | None) -> Sequence[Mark]:
        found = list(steps(model))
        if _on(bounds) and not main:
            found.append(Mark(context.bound(bounds, model, agent_type), "context bound", BOUND))
        if _on(forced) and (at := _force_at(forced, main, agent_type, model)):
            found.append(Mark(at, "compaction forced", SECOND))
        return found

    return marks


def return_limits(config: Config) -> Callable[[str | None], Sequence[Mark]]:
    """The return limits of an agent type; without an enabled section the defaults, named as such."""
    section = config.section("returns")
    suffix = "" if _on(section) else " (default, not in force)"

    def limits(agent_type: str | None) -> Sequence[Mark]:
        rule = policy_for(section or {}, agent_type or "")
        if rule.exempt:
            return ()
        return (
            Mark(rule.pass_tokens, f"pass limit{suffix}", BOUND),
            Mark(rule.file_tokens, f"file limit{suffix}", SECOND),
        )

    return limits


def _on(section: dict[str, Any] | None) -> bool:
    return section is not None and section.get("enabled") is True


def _force_at(section: dict[str, Any] | None, main: bool, agent_type: str | None, model: str | None) -> int | None:
    found = section or {}
    types = found.get("byAgentType")
    own = types.get(agent_type) if isinstance(types, dict) and agent_type else None
    central = found.get("main" if main else "subagent")
    of_window, _ = compaction.window(model, found.get("windows"), None)
    values, _, _ = compaction.resolve([("byAgentType", own), ("config", central)], of_window)
    return values.get("forceAt")
