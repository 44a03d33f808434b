"""Lines that pictures and the page draw beside counts: the values come from policy, finished."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

BOUND, SECOND, PRICE = 1, 2, 3  # how a mark is drawn: dashed, dotted, dash-dotted


@dataclass(frozen=True, slots=True)
class Mark:
    """A line at `tokens`: a bound that is enforced, or the start of a price tier. `line` is BOUND, SECOND or PRICE."""

    tokens: int
    label: str
    line: int = BOUND


Marks = Callable[[bool, str | None, str | None], Sequence[Mark]]
"""The lines of a thread: is it the main thread, its agent type, its model."""


def no_marks(_main: bool, _agent_type: str | None, _model: str | None) -> Sequence[Mark]:
    """No line at all."""
    return ()
