"""The Python side of plugin_cases.json: each kind of case as a call of the runtime's rules. Values are plain JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hooks.runtime import config, reports, returns
from hooks.runtime.cut import shorten

Given = dict[str, Any]
STAMP, RUN_ID, ROOT = "20261130-154600", "90abcdef", "/p"


def text_of(parts: list[list[Any]]) -> str:
    """A text from [piece, times] pairs."""
    return "".join(piece * times for piece, times in parts)


def policy(given: Given) -> Given:
    """The fields that both sides know."""
    found = returns.Policy(given["rules"], given["agentType"], given["environment"])
    return {
        "acts": found.acts,
        "passTokens": found.pass_tokens,
        "fileTokens": found.file_tokens,
        "mode": found.mode,
        "keep": found.keep,
    }


def section(given: Given) -> Any:
    """The section `returns` of a config text."""
    from hooks.runtime.jsontext import loads

    try:
        value = loads(given["text"].encode())
    except ValueError:
        return None
    found = value.get("returns") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else None


def report(given: Given) -> Any:
    """The whole way of a report in the background: its cut and its file."""
    text, agent_type = text_of(given["text"]), given["agentType"]
    found = returns.Policy(given["rules"], agent_type, {})
    cuts = bool(agent_type) and found.cuts(returns.NOTIFICATION, plugin=True)
    if not cuts or returns.decide(found, returns.est_tokens(text), can_cut=True) != returns.CUT:
        return None
    path = f"{returns.report_folder(ROOT, STAMP, agent_type, RUN_ID)}/{reports.FILE_NAME}"
    return {"path": path, "text": shorten(text, found.pass_tokens, path, found.keep)}


ANSWERS: dict[str, Callable[[Given], Any]] = {
    "tokens": lambda given: returns.est_tokens(given["text"]),
    "positive": lambda given: returns.positive(given["value"]),
    "jsPositive": lambda given: returns.js_positive(given["text"]),
    "glob": lambda given: returns.glob_match(given["name"], given["pattern"]),
    "policy": policy,
    "section": section,
    "slug": lambda given: returns.slug(given["agentType"]),
    "runId": lambda given: reports.run_id(given["agentId"] or "", given["sessionId"]),
    "reportFile": lambda given: (
        f"{returns.report_folder(given['root'], given['stamp'], given['agentType'], given['id'])}/{reports.FILE_NAME}"
    ),
    "candidates": lambda given: config.candidates(given["root"], given["user"]),
    "cut": lambda given: shorten(text_of(given["text"]), given["limit"], given["path"], given["keep"]),
    "report": report,
}
