"""`setpoint policy show` and `setpoint policy agents`: the limits of every party, and where each comes from."""

from __future__ import annotations

import os
from typing import Any

from hooks.runtime import agents
from hooks.runtime.compaction import ask_point
from hooks.runtime.context import report_words
from hooks.runtime.parties import natural_point
from hooks.runtime.paths import project_root
from measure.reports.model import Report, Show, Table
from policy.definitions import Definition, definitions, row
from policy.limits import InForce
from policy.windows import MAIN, model_of, policy_of, window_of

BUILT_IN = ("general-purpose", "Explore", "Plan")
PERCENT = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
SHOW = (
    Show("party"),
    Show("window_tokens", "window"),
    Show("window_source", "by"),
    Show("force_at_tokens", "forced at"),
    Show("nudge_from_tokens", "nudges from"),
    Show("nudge_every_tokens", "every"),
    Show("sources", "from"),
)
AGENTS = (
    Show("agent_type", "agent"),
    Show("model"),
    Show("max_turns", "turns"),
    Show("report_words", "words"),
    Show("pass_tokens", "pass"),
    Show("file_tokens", "file"),
    Show("bound_tokens", "bound"),
    Show("force_at_tokens", "forced at"),
    Show("found", "to mend"),
)


def parties(force: InForce, main_model: str) -> list[dict[str, Any]]:
    """One row a party: main, the built-in types, every type in setpoint.json, every definition."""
    section = force.sections.get("compaction", {})
    known = {one.name: one for one in definitions(force)}
    types = section.get("byAgentType")
    names = [MAIN, *BUILT_IN, *(types if isinstance(types, dict) else {}), *known]
    return [_party(name, known.get(name), section, main_model) for name in dict.fromkeys(names)]


def _party(name: str, one: Definition | None, section: dict[str, Any], main_model: str) -> dict[str, Any]:
    model = one.head.get("model") if one else None
    window, source = window_of(model, section, main_model)
    own = agents.nested(one.text, "autoCompact") if one else None
    values, origin, complaints = policy_of(name, own, section, window)
    asked = {place for key, place in origin.items() if place in ("frontmatter", "byAgentType")}
    left_alone = "haiku" in model_of(model, main_model) and not asked
    on = section.get("enabled") is True and values["enabled"] is True and not left_alone
    return {
        "party": name,
        "model": model_of(model, main_model),
        "governed": on,
        "window_tokens": window,
        "window_source": source,
        "force_at_tokens": int(values["forceAt"]) if on else None,
        "nudge_from_tokens": int(values["nudgeFrom"]) if on else None,
        "nudge_every_tokens": int(values["nudgeEvery"]) if on else None,
        "origin": origin,
        "sources": ", ".join(dict.fromkeys(origin.values())) if on else "client",
        "complaints": complaints,
    }


def show(force: InForce, main_model: str) -> Report:
    """Every party's compaction policy."""
    rows = parties(force, main_model)
    enabled = force.sections.get("compaction", {}).get("enabled") is True
    window = rows[0]["window_tokens"]
    natural = natural_point(f"{project_root()}/.claude/setpoint", window)
    now = os.environ.get(PERCENT)
    asked = ask_point(window, int(now)) if now and now.isdigit() else None
    notes = [
        f"Without us the client asks about main at {natural:,} tokens"
        + (f"; the environment lowers that to {asked:,}." if asked is not None else "."),
        "Haiku is left to the client unless its type is named. Windows: --model names the main conversation's model.",
        *[f"{one['party']}: {text} is no size and was passed over." for one in rows for text in one["complaints"]],
    ]
    return Report(
        name="policy",
        title=f"Compaction policy of each party ({'on' if enabled else 'off'})",
        rows=rows,
        tables=[Table("", rows, SHOW)],
        totals={"parties": len(rows), "governed": sum(one["governed"] for one in rows)},
        notes=notes,
        extra={"natural_ask_point": natural, "main_model": main_model},
    )


def agents_report(force: InForce, main_model: str) -> Report:
    """Every agent definition with its limits, and the copies of limits that do not match setpoint.json."""
    rows = [row(one, force, main_model) for one in definitions(force)]
    shown = [{**one, "found": ", ".join(one["problems"])} for one in rows]
    words = report_words(force.sections.get("context"))
    return Report(
        name="policy agents",
        title="Agent definitions and their limits",
        rows=rows,
        tables=[Table("", shown, AGENTS)],
        totals={"definitions": len(rows), "to_mend": sum(bool(one["problems"]) for one in rows)},
        notes=[
            f"Words: the report rule in the body ({words} in setpoint.json). pass, file, bound, forced at: tokens.",
            "--apply writes the rule and a spare turn, --revert takes them out again, --check only compares.",
        ],
        empty="No agent definitions found (.claude/agents of the project or of the user).",
    )
