"""Windows and compaction policies of parties that are only named, as the hook resolves them at run time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hooks.runtime.compaction import resolve
from hooks.runtime.parties import window_of as runtime_window

# What the short names in an agent definition stand for; only the family matters for a window.
ALIASES = {"opus": "claude-opus-5", "sonnet": "claude-sonnet-5", "haiku": "claude-haiku-5"}
MAIN = "main"


def model_of(name: object, main_model: str) -> str:
    """The model behind a definition's `model:`; inherit, or none, is the main conversation's."""
    text = str(name or "inherit").strip()
    return main_model if text == "inherit" else ALIASES.get(text, text)


def window_of(name: object, section: Mapping[str, Any], main_model: str) -> tuple[int, str]:
    """(window in tokens, source) of a definition's model."""
    return runtime_window(model_of(name, main_model), dict(section))


def policy_of(
    party: str, own: object, section: Mapping[str, Any], window: int
) -> tuple[dict[str, int | bool], dict[str, str], list[str]]:
    """(values, source of each, complaints) of a party's compaction policy; `own` is what its definition says."""
    if party == MAIN:
        return resolve([(MAIN, section.get(MAIN))], window)
    types = section.get("byAgentType")
    named = types.get(party) if isinstance(types, dict) else None
    given = [("frontmatter", own), ("byAgentType", named), ("subagent", section.get("subagent"))]
    return resolve(given, window)
