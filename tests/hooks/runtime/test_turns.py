import pytest

from hooks.runtime import turns


@pytest.mark.parametrize(
    ("used", "limit", "noted", "due"),
    [(3, 6, False, False), (4, 6, False, True), (5, 6, False, True), (6, 6, False, False), (4, 6, True, False)],
)
def test_the_note_comes_once_at_two_left(used: int, limit: int, noted: bool, due: bool) -> None:
    assert turns.decide(used, limit, 2, noted) is due


def test_nothing_for_agents_without_a_limit() -> None:
    assert turns.left(500, None) is None
    assert not turns.decide(500, None, 2, False)
    assert not turns.decide(500, 0, 2, False)


def test_bad_config_falls_back_to_two() -> None:
    assert [turns.turns_left_at(s) for s in (None, {"turnsLeftAt": 4}, {"turnsLeftAt": True}, {"turnsLeftAt": -1})] == [
        2,
        4,
        2,
        2,
    ]
