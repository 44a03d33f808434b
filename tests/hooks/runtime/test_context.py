import pytest

from hooks.runtime import context

HAIKU = "claude-haiku-5-5"


@pytest.mark.parametrize(
    ("section", "model", "agent_type", "expected"),
    [
        (None, None, None, 100_000),
        ({}, "claude-opus-5-5", "Explore", 100_000),
        ({}, HAIKU, "Explore", 85_000),
        ({}, "us.anthropic.claude-haiku-5-5-20260901", None, 85_000),
        ({"maxTokens": 60_000}, HAIKU, None, 60_000),
        ({"maxTokens": 150_000}, HAIKU, None, 85_000),
        ({"maxTokens": 150_000}, "claude-opus-5-5", None, 150_000),
        ({"byModel": {HAIKU: 90_000}}, HAIKU, None, 90_000),
        ({"byModel": {"opus": 70_000, "opus-5-5": 80_000}}, "claude-opus-5-5", None, 80_000),
        ({"byAgentType": {"reviewer": 150_000}}, "claude-opus-5-5", "reviewer", 150_000),
        ({"byAgentType": {"reviewer": {"maxTokens": 150_000}}}, HAIKU, "reviewer", 85_000),
        ({"byAgentType": {"reviewer": {"byModel": {HAIKU: 120_000}}}}, HAIKU, "reviewer", 120_000),
        ({"maxTokens": True, "byModel": [], "byAgentType": 3}, None, "x", 100_000),
        ({"maxTokens": "100k"}, None, None, 100_000),
    ],
)
def test_bound_takes_type_then_model_then_general(
    section: object, model: str | None, agent_type: str | None, expected: int
) -> None:
    assert context.bound(section, model, agent_type) == expected


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [(84_999, 0), (85_000, 1), (99_999, 1), (100_000, 2), (109_999, 2), (110_000, 3), (250_000, 17)],
)
def test_level_changes_exactly_at_its_edges(tokens: int, expected: int) -> None:
    assert context.level(tokens, 100_000, 15_000) == expected


def test_one_note_a_level_and_again_after_a_compaction() -> None:
    said, noted = [], 0
    for tokens in (50_000, 86_000, 95_000, 101_000, 104_000, 99_000, 111_000, 20_000, 90_000, 100_000):
        what, noted = context.decide(tokens, 100_000, 15_000, noted)
        said.append(what)
    assert said == ["none", "wrap-up", "none", "report", "none", "none", "report", "none", "wrap-up", "report"]


def test_a_fork_counts_from_its_own_first_request() -> None:
    assert context.decide(150_000, 100_000, 15_000, 0, fork_first=140_000) == ("none", 0)
    assert context.decide(240_000, 100_000, 15_000, 0, fork_first=140_000) == ("report", 2)


def test_early_line_can_be_switched_off_and_never_covers_everything() -> None:
    assert context.wrap_up_before({"wrapUpBefore": 0}) == 0
    assert context.wrap_up_before({"wrapUpBefore": "5"}) == 15_000
    assert context.level(99_999, 100_000, 0) == 0
    assert context.level(1, 10_000, 15_000) == 0
