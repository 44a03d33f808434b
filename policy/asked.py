"""What a command line asked for, checked: the form of the output, and the sections to replay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.runtime import compaction
from hooks.runtime.returns import MODES
from measure.errors import UsageError
from measure.reports.model import Entry
from measure.reports.run import Form, names_and_paths

REPLAYED = ("returns", "context", "compaction")


def form(*, json: bool, markdown: bool, csv: bool, count: int = 1) -> Form:
    """The one form asked for; CSV holds the rows of one report only."""
    if json + markdown + csv > 1:
        raise UsageError("--json, --markdown and --csv exclude each other: choose one.")
    if csv and count > 1:
        raise UsageError("--csv writes the rows of one fit: name one feature.")
    return "json" if json else "markdown" if markdown else "csv" if csv else "text"


def replayed(words: Iterable[str]) -> tuple[tuple[str, ...], list[Path]]:
    """Features and places to read, in any order; no feature: all."""
    entries, paths = names_and_paths(words, [Entry(name, "", "") for name in REPLAYED], default=REPLAYED)
    return tuple(entry.name for entry in entries), paths


def modes(text: str) -> list[str]:
    """The modes that a comma-separated text names."""
    found = [part.strip() for part in text.split(",") if part.strip()]
    for name in found:
        if name not in MODES:
            raise UsageError(f"--mode {name!r} is none of {', '.join(MODES)}.")
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Tried:
    """Limits to try in the place of those in force; None and "" leave what is in force."""

    pass_tokens: int | None = None
    file_tokens: int | None = None
    slack_tokens: int | None = None
    mode: str | None = None
    bound: int | None = None
    force_at: str = ""
    nudge_from: str = ""


def sections(in_force: dict[str, dict[str, Any]], tried: Tried) -> dict[str, dict[str, Any]]:
    """The sections to replay. A limit that is given holds for every agent type: `byAgentType` and `byModel` lose it."""
    returns, context, compact = (dict(in_force.get(name, {})) for name in REPLAYED)
    given = {"passTokens": tried.pass_tokens, "fileTokens": tried.file_tokens, "slackTokens": tried.slack_tokens}
    given |= {"mode": tried.mode}  # type: ignore[dict-item]
    returns = overlaid(returns, {key: value for key, value in given.items() if value is not None})
    if tried.bound is not None:
        # A price step of a model stays a fact: the smaller of the two holds, as in the hook.
        context = overlaid(context, {"maxTokens": tried.bound})
        context.pop("byModel", None)
    points = {"forceAt": tried.force_at, "nudgeFrom": tried.nudge_from}
    chosen = {key: checked_size(key, value) for key, value in points.items() if value}
    if chosen:
        compact = overlaid(compact, {}, tuple(chosen))
        for party in ("main", "subagent"):
            compact[party] = (compact.get(party) or {}) | chosen
    return {"returns": returns, "context": context, "compaction": compact}


def overlaid(section: dict[str, Any], values: dict[str, Any], keys: tuple[str, ...] = ()) -> dict[str, Any]:
    """`section` with `values`, and without the same keys in its types."""
    dropped = {*values, *keys}
    types = section.get("byAgentType")
    out = section | values
    if isinstance(types, dict) and dropped:
        out["byAgentType"] = {
            kind: {key: value for key, value in own.items() if key not in dropped}
            for kind, own in types.items()
            if isinstance(own, dict)
        }
    return out


def checked_size(key: str, text: str) -> int | str:
    """A size as the hook reads it, as it stands."""
    value: int | str = int(text) if text.isdecimal() else text
    if compaction.size(value, compaction.SMALL) is None:
        raise UsageError(
            f"--{'force-at' if key == 'forceAt' else 'nudge-from'} {text!r} is no size: 120000, 120k or 60%."
        )
    return value
