"""Whether the hook that must answer for a lowered ask point is still there."""

from .config import read
from .jsontext import dumps

PERCENT = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"
MARK = "/setpoint/run.py"


def unanswered(claude_folder: str) -> str:
    """A sentence that names the key to remove, where the ask point is lowered and no hook of ours answers; else empty.

    `claude_folder` is the `.claude` of a scope.
    """
    lowered, answered = "", False
    for name in ("/settings.json", "/settings.local.json"):
        settings = read(claude_folder + name) or {}
        env, hooks = settings.get("env"), settings.get("hooks")
        if isinstance(env, dict) and PERCENT in env:
            lowered = lowered or claude_folder + name
        groups = hooks.get("PreCompact") if isinstance(hooks, dict) else None
        answered = answered or (groups is not None and MARK in dumps(groups).replace("\\\\", "/"))
    if not lowered or answered:
        return ""
    return (
        f"setpoint: {PERCENT} in {lowered} lowers the point at which the client compacts, but the PreCompact hook "
        "that should hold it is gone. Run `setpoint hooks upgrade`, or remove that key from `env`."
    )
