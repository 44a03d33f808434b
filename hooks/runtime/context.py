"""The context bound of a subagent, and when it is told (pure: values in, decision out).

`fit` proposes these bounds, `replay` runs past threads through `decide`, the hook calls the same function.
Imports nothing: it stands on the path of every tool batch.
"""

from __future__ import annotations

BOUND = 100_000
WRAP_UP_BEFORE = 15_000
# Haiku 5.5 costs five times more a request above 100K prompt tokens: room for the report's own turns.
MODEL_BOUNDS = {"claude-haiku-5-5": 85_000}
REPORT_MAX_WORDS = 400
NONE, WRAP_UP, REPORT = "none", "wrap-up", "report"


def positive(value: object) -> int | None:
    """`value` where it is a positive whole number (no bool, no text), else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def by_model(table: object, model: str | None) -> int | None:
    """Entry of `table` for `model`: the exact id, else the longest key inside it (dated and gateway ids)."""
    if not isinstance(table, dict) or not model:
        return None
    exact = positive(table.get(model))
    if exact is not None:
        return exact
    keys = [key for key in table if isinstance(key, str) and key and key in model and positive(table[key])]
    return positive(table[max(keys, key=len)]) if keys else None


def bound(section: object, model: str | None, agent_type: str | None) -> int:
    """Tokens of context at which a subagent of `agent_type` on `model` should report.

    `section` is the `context` section of setpoint.json. First of: the type's own `byModel`; then the smaller
    of what the type (`byAgentType`, a number or `{"maxTokens": N}`), else `maxTokens`, and the model
    (`byModel`, else the built-in price step) say, so that a type's number never lifts a model over its step.
    """
    config = section if isinstance(section, dict) else {}
    types = config.get("byAgentType")
    entry = types.get(agent_type) if isinstance(types, dict) and agent_type else None
    own = entry.get("maxTokens") if isinstance(entry, dict) else entry
    if isinstance(entry, dict):
        exact = by_model(entry.get("byModel"), model)
        if exact is not None:
            return exact
    general = positive(own) or positive(config.get("maxTokens")) or BOUND
    limit = by_model(config.get("byModel"), model) or by_model(MODEL_BOUNDS, model)
    if limit is None:
        return general
    # A model listed by the user replaces the general number; only a type's own number competes with it.
    listed = by_model(config.get("byModel"), model) is not None
    return limit if listed and positive(own) is None else min(general, limit)


def wrap_up_before(section: object) -> int:
    """Tokens below the bound at which the agent is asked to begin closing; 0 switches that line off."""
    value = section.get("wrapUpBefore") if isinstance(section, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else WRAP_UP_BEFORE


def own_bound(limit: int, fork_first: int | None) -> int:
    """Bound in the thread's own counting: a fork inherits a context, so its bound starts at its first request."""
    return limit + (fork_first or 0)


def level(tokens: int, limit: int, before: int, fork_first: int | None = None) -> int:
    """0 below the early line, 1 from `before` tokens below the bound, 2 at the bound, one more per further 10 %.

    A fork's early line keeps the same distance. The bound itself is a note: `tokens >= limit`.
    """
    over = tokens - own_bound(limit, fork_first)
    if over >= 0:
        return 2 + over * 10 // limit
    return 1 if before > 0 and over >= -before and limit > before else 0


def decide(tokens: int, limit: int, before: int, noted: int, fork_first: int | None = None) -> tuple[str, int]:
    """(what to say, the level to remember): "none", "wrap-up" or "report".

    `noted` is the level remembered from the last call (0 at the start). It falls back to 0 only when the
    context has dropped under half of the bound, which is a compaction and not a wobble.
    """
    if 2 * tokens < own_bound(limit, fork_first) and tokens > 0:
        noted = min(noted, level(tokens, limit, before, fork_first))
    now = level(tokens, limit, before, fork_first)
    if now <= noted:
        return NONE, noted
    return (REPORT if now >= 2 else WRAP_UP), now


def report_words(section: object) -> int:
    """The longest report asked for, in words."""
    value = section.get("reportMaxWords") if isinstance(section, dict) else None
    return positive(value) or REPORT_MAX_WORDS


def text(what: str, tokens: int, limit: int, words: int) -> str:
    """The note for "wrap-up" or "report"; `limit` counts as `own_bound` does."""
    head = f"Context guard: a program measured this agent's context at {tokens:,} tokens"
    if what == WRAP_UP:
        return f"{head}; its bound is {limit:,}. Begin to close: finish the item at hand and open no new one."
    return f"{head}, past its bound of {limit:,}. Report now, with what you have: verdict first, at most {words} words."
