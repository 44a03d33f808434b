"""Which mode to take: surely better ones only, and block where the data say too little."""

from __future__ import annotations

from typing import Any

import pytest

from measure.errors import UsageError
from policy import asked
from policy.reports.replay_modes import recommend


def mode(name: str, saved: float, interval: list[float] | None, over: list[float] | None = None, **more: Any) -> Any:
    base = {"mode": name, "n": 100, "sessions": 20, "saved_usd": saved, "usd_interval": interval}
    return {**base, "usd_over_block": over, **more}


ANNOUNCE = mode("announce", 0.0, [0.0, 0.0], [-1.0, 3.0])


@pytest.mark.parametrize(
    ("rows", "taken"),
    [
        ([], "block"),
        ([ANNOUNCE, mode("block", -3.0, [-5.0, -1.0]), mode("shorten", 2.0, [1.0, 3.0], [3.0, 7.0])], "shorten"),
        ([ANNOUNCE, mode("block", 2.0, [1.0, 3.0]), mode("shorten", 1.0, [0.5, 3.0], [-2.0, 0.0])], "block"),
        ([ANNOUNCE, mode("block", -1.0, [-3.0, 1.0]), mode("shorten", 1.0, [-0.1, 3.0], [0.5, 4.0])], "shorten"),
        ([ANNOUNCE, mode("block", -1.0, [-3.0, 1.0]), mode("shorten", 1.0, [-0.1, 3.0], [-0.5, 4.0])], "block"),
        ([mode("announce", 0.0, [0.0, 0.0]), mode("block", -3.0, [-5.0, -1.0])], "announce"),
        ([mode("shorten", 9.0, [8.0, 10.0], [8.0, 10.0], n=29), mode("block", 0.0, None)], "block"),
        ([mode("shorten", 9.0, [8.0, 10.0], [8.0, 10.0], sessions=4), mode("block", 0.0, None)], "block"),
    ],
)
def test_the_recommendation(rows: list[Any], taken: str) -> None:
    assert recommend(rows)[0] == taken


def test_modes_of_a_command_line() -> None:
    assert asked.modes("") == []
    assert asked.modes("block") == ["block"]
    assert asked.modes("announce, block,shorten,block") == ["announce", "block", "shorten"]
    with pytest.raises(UsageError, match="loud"):
        asked.modes("loud")
