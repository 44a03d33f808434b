import pytest

from hooks.runtime.returns import Policy, decide


@pytest.mark.parametrize(
    ("size", "cut", "expected"),
    [
        (1000, False, "pass"),
        (1001, False, "pass"),
        (1800, False, "pass"),
        (1801, False, "compress"),
        (2500, False, "compress"),
        (2501, False, "file"),
        (1001, True, "cut"),
    ],
)
def test_a_report_a_little_too_long_is_not_worth_a_request(size: int, cut: bool, expected: str) -> None:
    policy = Policy({"enabled": True, "slackTokens": 800}, "reviewer", {})
    assert decide(policy, size, can_cut=cut) == expected


@pytest.mark.parametrize("bad", [None, True, -1, "800", 1.5, [800]])
def test_an_unusable_slack_is_none(bad: object) -> None:
    assert Policy({"enabled": True, "slackTokens": bad}, "x", {}).slack_tokens == 0


def test_a_type_may_have_its_own_slack() -> None:
    section = {"enabled": True, "slackTokens": 800, "byAgentType": {"Explore": {"slackTokens": 100}}}
    assert Policy(section, "Explore", {}).slack_tokens == 100
    assert Policy(section, "other", {}).slack_tokens == 800
