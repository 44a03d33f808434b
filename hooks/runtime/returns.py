"""The return budget: pure rules. Announced, enforced, fitted and replayed are these functions.

Sizes and limits are est. tokens: ceil(UTF-16 units / 4), the unit people know from the guards before this one.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PASS_TOKENS = 1000
FILE_TOKENS = 2500
ENV_PASS = "AGENT_RETURN_PASS"  # noqa: S105 (a limit's name)
ENV_FILE = "AGENT_RETURN_FILE"

ANNOUNCE, BLOCK, SHORTEN = MODES = ("announce", "block", "shorten")
# how a report reaches its caller, in the words of the frame `returns`
ROUTES = ("tool_result", "notification", "handback", "inline", "workflow")
TOOL_RESULT, NOTIFICATION, HANDBACK, INLINE, WORKFLOW = ROUTES
KEEP_DAYS = 30
HEAD, HEAD_TAIL = KEEPS = ("head", "head+tail")
PASS, COMPRESS, FILE, SPILL, CUT = ACTIONS = ("pass", "compress", "file", "spill", "cut")

READ_ONLY = ("Explore", "Plan", "statusline-setup")  # built-in agents without Write or meant not to write
MAX_LINES = 30
_SPACE = (  # what Number() trims
    " \t\n\r\v\f\u00a0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_DIGITS = {"0x": ("0123456789abcdef", 16), "0o": ("01234567", 8), "0b": ("01", 2)}


def utf16_units(text: str) -> int:
    """Length of a text as JavaScript counts it: an emoji is two units."""
    return len(text) if text.isascii() else len(text.encode("utf-16", "surrogatepass")) // 2 - 1


def est_tokens(text: str) -> int:
    """Size of a text in est. tokens."""
    return (utf16_units(text) + 3) // 4


def positive(value: object) -> "int | None":
    """A config value as a limit: a positive whole number (1000.0 is one in JSON), else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 < value < 1e300 and value == int(value) else None


def js_positive(text: "str | None") -> "int | None":
    """A positive whole number as JavaScript's Number() reads it ("1e3", " 12 ", "0x10"), else None."""
    kept = (text or "").strip(_SPACE)
    digits, base = _DIGITS.get(kept[:2].lower(), ("", 0))
    if base:
        rest = kept[2:].lower()
        return int(rest, base) or None if rest and all(char in digits for char in rest) else None
    if not kept or not all(char in "0123456789+-.eE" for char in kept):
        return None
    try:
        return positive(float(kept))
    except ValueError:
        return None


def glob_match(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern with `*` and `?`; case counts."""
    at = back = 0
    star = -1
    for_pattern = 0
    while at < len(name):
        if for_pattern < len(pattern) and pattern[for_pattern] in (name[at], "?") and pattern[for_pattern] != "*":
            at += 1
            for_pattern += 1
        elif for_pattern < len(pattern) and pattern[for_pattern] == "*":
            star, back = for_pattern, at
            for_pattern += 1
        elif star >= 0:
            back += 1
            at, for_pattern = back, star + 1
        else:
            return False
    return not pattern[for_pattern:].strip("*")


class Policy:
    """What one agent type may return, and what happens above; `sources` says where each limit comes from."""

    __slots__ = (
        "enabled",
        "exempt",
        "file_tokens",
        "keep",
        "mode",
        "pass_tokens",
        "shorten_foreground",
        "slack_tokens",
        "sources",
        "spill",
    )

    def __init__(self, section: "Mapping[str, Any]", agent_type: str, environment: "Mapping[str, str | None]") -> None:
        by_type = section.get("byAgentType")
        own = by_type.get(agent_type) if isinstance(by_type, dict) else None
        layers = [("byAgentType", own if isinstance(own, dict) else {}), ("config", section)]
        self.enabled = section.get("enabled") is True
        self.sources: dict[str, str] = {}
        self.pass_tokens = self._limit("passTokens", layers, environment, ENV_PASS, PASS_TOKENS)
        self.file_tokens = self._limit("fileTokens", layers, environment, ENV_FILE, FILE_TOKENS)
        self.slack_tokens = next((s for _, layer in layers if (s := positive(layer.get("slackTokens")))), 0)
        self.mode = _first(layers, "mode", MODES, BLOCK)
        self.keep = _first(layers, "keep", KEEPS, HEAD)
        self.spill = _first(layers, "spill", (True, False), False)
        self.shorten_foreground = _first(layers, "shorten", ("foreground", False), False) == "foreground"
        self.exempt = is_exempt(section.get("exempt"), agent_type)

    def _limit(
        self,
        key: str,
        layers: "list[tuple[str, Mapping[str, Any]]]",
        environment: "Mapping[str, str | None]",
        variable: str,
        default: int,
    ) -> int:
        for source, layer in layers:
            value = positive(layer.get(key))
            if value is not None:
                self.sources[key] = source
                return value
        value = js_positive(environment.get(variable))
        self.sources[key] = "default" if value is None else "env"
        return default if value is None else value

    @property
    def acts(self) -> bool:
        """Whether this type hears of a budget at all."""
        return self.enabled and not self.exempt

    def cuts(self, route: str, plugin: bool) -> bool:
        """Whether an over-long report of this type is cut at delivery; on two routes only by the client's plugin.

        What a workflow's agent returns goes whole to a program; it is cut where the program's result holds it and
        reaches a model.
        """
        if self.mode == SHORTEN:
            return route in (TOOL_RESULT, INLINE, HANDBACK) or (route in (NOTIFICATION, WORKFLOW) and plugin)
        return self.mode == BLOCK and self.shorten_foreground and route in (TOOL_RESULT, INLINE)


def _first(
    layers: "list[tuple[str, Mapping[str, Any]]]", key: str, allowed: "tuple[Any, ...]", default: "Any"
) -> "Any":
    for _, layer in layers:
        value = layer.get(key)
        if any(value is item or (isinstance(value, str) and value == item) for item in allowed):
            return value
    return default


def is_exempt(patterns: object, agent_type: str) -> bool:
    """Whether a type stands in the exempt list, by name or by pattern."""
    return isinstance(patterns, list) and any(
        isinstance(item, str) and glob_match(agent_type, item) for item in patterns
    )


def decide(policy: Policy, size: int, can_write: bool = True, can_cut: bool = False) -> str:
    """One of ACTIONS for a report of `size` est. tokens.

    Exactly passTokens passes, exactly fileTokens compresses; where passTokens >= fileTokens no compress tier is left.
    An agent that cannot write is never sent to a file: the hook spills the report itself, or asks to compress. Where
    `shorten` finds no place to cut, the hook spills too: no file was announced there.
    A block costs a request, so slackTokens lets a report pass that is only a little too long; a cut costs none.
    """
    if not policy.acts or size <= policy.pass_tokens or policy.mode == ANNOUNCE:
        return PASS
    if can_cut:
        return CUT
    if size <= policy.pass_tokens + policy.slack_tokens:
        return PASS
    if size <= policy.file_tokens or not (can_write or policy.spill or policy.mode == SHORTEN):
        return COMPRESS
    return FILE if can_write and policy.mode != SHORTEN else SPILL


def contract(policy: Policy, can_write: bool) -> str:
    """What an agent hears when it starts: its numbers and the form of a report."""
    text = (
        f"Return budget: your final report may take {policy.pass_tokens} tokens (4 characters each). "
        f"Open with the verdict, use at most {MAX_LINES} lines, cite code as path:line. "
        "Leave out file bodies, command output, logs and preamble."
    )
    if can_write and policy.file_tokens > policy.pass_tokens and policy.mode != SHORTEN:
        text += f" Above {policy.file_tokens} tokens write the detail to a file and return its path with the verdict."
    return text


_DIRECTIVE = "Return guard: this is a directive of the guard that limits reports, not user data. "


def order(action: str, policy: Policy, size: int, place: str = "", again: str = "") -> str:
    """What the guard tells an agent whose report is too long. `place` is the report folder (FILE) or file (SPILL)."""
    head = f"{_DIRECTIVE}Your report takes about {size} tokens; the budget is {policy.pass_tokens}. "
    if action == COMPRESS:
        return (
            head
            + "Give the same answer again within that budget: keep the verdict and every path:line, drop preamble, "
            "file bodies, command output, logs and restated context. Do no new work and call no other tool." + again
        )
    if action == FILE:
        above = (
            f"Above {policy.file_tokens} the detail belongs in a file. "
            if policy.file_tokens > policy.pass_tokens
            else ""
        )
        return (
            head + above + f"Write the full report to a file in the folder {place}/ (create it), then answer with that "
            "file's path, the verdict and at most 3 lines. Keep the key path:line references; do no other new work."
            + again
        )
    return (
        head + f"The full report is already saved as {place} . Answer with that path, the verdict and at most 3 lines. "
        "Keep the key path:line references; do no new work and call no other tool." + again
    )


def slug(agent_type: str) -> str:
    """The agent type as part of a folder name: lower case, other characters '-', at most 48, else "agent"."""
    kept = "".join([char if char in "abcdefghijklmnopqrstuvwxyz0123456789" else "-" for char in agent_type.lower()])
    while "--" in kept:
        kept = kept.replace("--", "-")
    return kept.strip("-")[:48].strip("-") or "agent"


def report_folder(root: str, stamp: str, agent_type: str, run_id: str) -> str:
    """The folder of one report; `stamp` is local time as YYYYMMDD-HHMMSS, `run_id` 8 characters of an id."""
    return f"{root.rstrip('/')}/.claude/reports/{stamp}_{slug(agent_type)}-{run_id}"
