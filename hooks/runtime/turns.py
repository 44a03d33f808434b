"""How many turns an agent has left before its limit stops it without a report (pure)."""

from __future__ import annotations

TURNS_LEFT_AT = 2


def turns_left_at(section: object) -> int:
    """Turns left at which the note comes, from the `context` section; 0 switches it off."""
    value = section.get("turnsLeftAt") if isinstance(section, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else TURNS_LEFT_AT


def left(turns: int, max_turns: int | None) -> int | None:
    """Turns left of `max_turns` after `turns` distinct responses since the latest prompt or resume; None unlimited."""
    return None if max_turns is None or max_turns <= 0 else max(0, max_turns - turns)


def decide(turns: int, max_turns: int | None, at: int, noted: bool) -> bool:
    """True when the one note of this run is due: at most `at` turns left, but one at least to report in."""
    rest = left(turns, max_turns)
    return rest is not None and not noted and 0 < rest <= at


def text(rest: int, max_turns: int, words: int) -> str:
    """The note to an agent with `rest` turns left of `max_turns`."""
    turns = "1 turn is" if rest == 1 else f"{rest} turns are"
    return (
        f"Turn guard: {turns} left of {max_turns}, and a run stopped at its limit returns nothing. "
        f"Report now: verdict first, at most {words} words."
    )
