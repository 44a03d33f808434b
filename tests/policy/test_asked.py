import pytest

from measure.errors import UsageError
from policy import asked
from policy.fit.run import features_and_paths, share


def test_given_limits_hold_for_every_type() -> None:
    force = {
        "returns": {
            "passTokens": 1000,
            "byAgentType": {"Explore": {"passTokens": 600, "mode": "announce"}},
            "exempt": ["x"],
        },
        "context": {
            "maxTokens": 100_000,
            "byModel": {"m": 1},
            "byAgentType": {"Explore": 70_000, "Plan": {"maxTokens": 5}},
        },
        "compaction": {
            "main": {"forceAt": "60%", "nudgeEvery": 5},
            "byAgentType": {"Explore": {"forceAt": 1, "enabled": False}},
        },
    }
    made = asked.sections(force, asked.Tried(pass_tokens=800, bound=90_000, force_at="120k"))
    assert made["returns"] == {"passTokens": 800, "byAgentType": {"Explore": {"mode": "announce"}}, "exempt": ["x"]}
    assert made["context"] == {"maxTokens": 90_000, "byAgentType": {"Plan": {}}}
    assert made["compaction"]["main"] == {"forceAt": "120k", "nudgeEvery": 5}
    assert made["compaction"]["subagent"] == {"forceAt": "120k"}
    assert made["compaction"]["byAgentType"] == {"Explore": {"enabled": False}}
    assert force["returns"]["passTokens"] == 1000


def test_nothing_given_leaves_what_is_in_force() -> None:
    force = {"returns": {"passTokens": 7}, "context": {"byModel": {"m": 1}}, "compaction": {"main": {}}}
    assert asked.sections(force, asked.Tried()) == force


@pytest.mark.parametrize("text", ["", "0%", "100%", "1.5", "-20%", "many"])
def test_a_share_is_between_nothing_and_all(text: str) -> None:
    with pytest.raises(UsageError, match=r"write 20% or 0\.2"):
        share(text)


def test_shares_as_people_write_them() -> None:
    assert (share("20%"), share("0.2"), share(" 5 % ")) == (0.2, 0.2, 0.05)


def test_a_size_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="--force-at"):
        asked.sections({}, asked.Tried(force_at="lots"))


def test_features_and_places_in_any_order(tmp_path: object) -> None:
    entries, paths = features_and_paths(["cache", str(tmp_path), "returns"])
    assert [entry.name for entry in entries] == ["cache", "returns"]
    assert [str(path) for path in paths] == [str(tmp_path)]
    assert [entry.name for entry in features_and_paths([])[0]] == ["returns", "context", "compaction", "reads", "cache"]
    with pytest.raises(UsageError, match="did you mean returns"):
        features_and_paths(["return"])


def test_forms_exclude_each_other() -> None:
    assert asked.form(json=False, markdown=True, csv=False) == "markdown"
    with pytest.raises(UsageError, match="exclude"):
        asked.form(json=True, markdown=True, csv=False)
    with pytest.raises(UsageError, match="one feature"):
        asked.form(json=False, markdown=False, csv=True, count=2)
