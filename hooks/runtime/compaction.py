"""The compaction policy of one party: sizes, windows, hold or pass, nudges, the client's ask point (pure).

Figures of the client (2.1.332, by experiment): it asks at W - 33,000 with W at least 100,000, lowered to
p % of W - 20,000 by CLAUDE_AUTOCOMPACT_PCT_OVERRIDE; three compactions that refill within three requests
end the agent; a blocked compaction at the real window ends it too.
"""

from __future__ import annotations

KEYS = ("enabled", "forceAt", "nudgeFrom", "nudgeEvery")
DEFAULTS = {"enabled": True, "forceAt": "60%", "nudgeFrom": "20%", "nudgeEvery": "10%"}
SMALL, LARGE = 200_000, 1_000_000
# Windows that the clients 2.1.323 to 2.1.332 gave other models (`modelUsage` of their result, tried one by one).
TRIED = {
    "claude-opus-5": LARGE,
    "claude-opus-4-8": LARGE,
    "claude-fable-5": LARGE,
    "claude-opus-4-6": SMALL,
    "claude-sonnet-4": SMALL,
}
FLOOR, MARGIN, OUTPUT = 100_000, 33_000, 20_000
SAFE_SHARE = 85  # percent of the window past which nothing is held
QUICK = 3  # requests: a compaction sooner after the last one is a refill that the client's breaker counts
MAX_QUICK = 1  # refills in a row that we let happen; the client ends the agent at three
HOLD, PASS = "hold", "pass"


def size(value: object, window: int) -> int | None:
    """Tokens that `value` names: a positive integer, "62k", "1.5m", "60_000" or "60%" of `window`; None if none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value > 0 else None
    if not isinstance(value, str):
        return None
    text = value.strip().replace("_", "").lower()
    factor = {"%": window / 100, "k": 1000, "m": 1_000_000}.get(text[-1:], 1)
    digits = text if factor == 1 else text[:-1].rstrip()
    # float() alone would take "inf", "nan", "1e9" and "+5"
    if not digits or not digits.replace(".", "", 1).isascii() or not digits.replace(".", "", 1).isdigit():
        return None
    number = float(digits)
    if text.endswith("%") and number > 100:
        return None
    tokens = int(number * factor)
    return tokens if tokens > 0 and (factor != 1 or number == tokens) else None


def flag(value: object) -> bool | None:
    """True or false as people write it (true/false, on/off, yes/no), else None."""
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    return True if word in ("true", "on", "yes") else False if word in ("false", "off", "no") else None


def window(model: str | None, windows: object, main_window: int | None) -> tuple[int, str]:
    """(context window in tokens, where the figure comes from) of `model`."""
    name = model or ""
    if isinstance(windows, dict):
        for key in sorted((k for k in windows if isinstance(k, str) and k and k in name), key=len, reverse=True):
            own = size(windows[key], LARGE)
            if own is not None:
                return own, "setpoint.json"
    if "[1m]" in name:
        return LARGE, "[1m]"
    if "claude" not in name:
        return SMALL, "unknown model"
    if "haiku" in name:
        return SMALL, "haiku"
    if "sonnet-5" in name:
        return LARGE, "sonnet 5"
    for key in sorted(TRIED, key=len, reverse=True):
        if name.startswith(key):
            return TRIED[key], "client"
    return (main_window, "main chat") if main_window else (SMALL, "default")


def resolve(
    sources: list[tuple[str, object]], of_window: int
) -> tuple[dict[str, int | bool], dict[str, str], list[str]]:
    """(values, source of each, complaints): per key the first source that has a usable value wins.

    `sources` are (name, mapping) in order: the agent's frontmatter, byAgentType, the central section; the
    defaults stand behind them. Sizes come out in tokens of `of_window`. A bare value in place of a mapping
    is `forceAt`; null and the empty text are unset; an unusable value is named and the next source used.
    """
    values: dict[str, int | bool] = {}
    origin: dict[str, str] = {}
    complaints: list[str] = []
    for name, given in [*sources, ("default", DEFAULTS)]:
        entry = given if isinstance(given, dict) else {"forceAt": given}
        for key in KEYS:
            raw = entry.get(key)
            if raw is None or raw == "" or key in values:
                continue
            value: int | bool | None = flag(raw) if key == "enabled" else size(raw, of_window)
            if value is None:
                complaints.append(key + " in " + name)
            else:
                values[key], origin[key] = value, name
    return values, origin, complaints


def ask_point(of_window: int, percent: int | None = None) -> int:
    """Context at which the client asks to compact: W - 33,000, or `percent` of W - 20,000 where that is lower."""
    w = max(FLOOR, of_window)
    natural = w - MARGIN
    return natural if percent is None else min(natural, (w - OUTPUT) * percent // 100)


def percent_for(points: list[tuple[int, int]]) -> tuple[int, list[int]]:
    """(highest CLAUDE_AUTOCOMPACT_PCT_OVERRIDE that asks in time for all, points it cannot reach).

    `points` are (smallest point in tokens, window) of each party. The setting is one whole percent for the
    whole process; a point below 1 % of the window cannot be asked at.
    """
    wanted = [(point, point * 100 // (max(FLOOR, w) - OUTPUT)) for point, w in points]
    best = min([p for _, p in wanted if p >= 1], default=1)
    return min(best, 100), [point for point, p in wanted if p < 1]


def nudge_level(tokens: int, start: int, step: int) -> int:
    """0 below `start`, 1 from it, one more for each further `step`."""
    return 0 if tokens < start else 1 + (tokens - start) // max(1, step)


def nudge(tokens: int, start: int, step: int, noted: int) -> tuple[bool, int]:
    """(whether a nudge is due, the level to remember). The caller forgets the level at a compaction."""
    now = nudge_level(tokens, start, step)
    return now > noted, max(now, noted)


def refills(quick: int, since: int | None) -> int:
    """Refills in a row after one more compaction, `since` requests after the last (None: it was the first)."""
    return quick + 1 if since is not None and since < QUICK else 0


def decide(
    trigger: str,
    tokens: int | None,
    of_window: int,
    force_at: int,
    *,
    natural: int,
    governed: bool = True,
    armed: bool = False,
    quick: int = 0,
    since: int | None = None,
) -> tuple[str, str]:
    """("hold" or "pass", why) for one request of the client to compact this party.

    `tokens` is the reading (None: nothing could be read), `natural` the client's own ask point without us,
    `governed` false where the policy is off, broken or leaves this party (Haiku) to the client, `quick` the
    refills in a row so far, `since` the requests since the last compaction.
    """
    if trigger != "auto":
        return PASS, "manual" if trigger == "manual" else "unknown trigger"
    if tokens is None:
        return PASS, "no reading"
    if tokens * 100 >= of_window * SAFE_SHARE:
        return PASS, "near the window"
    if not governed:
        return (PASS, "client's own point") if tokens >= natural else (HOLD, "below the client's own point")
    if refills(quick, since) > MAX_QUICK:
        return HOLD, "refill"
    if armed:
        return PASS, "armed"
    return (PASS, "forced") if tokens >= force_at else (HOLD, "below")
