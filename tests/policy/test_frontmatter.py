"""Text edits of agent definitions: what they add, and that they take it back out byte for byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy import frontmatter as edit

TEXT = "---\nname: worker\nmaxTurns: 30\ntools: Read\n---\nYou read files.\n"
BODY = "End with a report of at most 400 words."


def test_the_spare_turn_is_added_once_and_says_so() -> None:
    once = edit.with_spare_turn(TEXT)
    assert "maxTurns: 31 # setpoint: 30 and one spare turn for the report\n" in once
    assert edit.with_spare_turn(once) == once
    assert edit.without_spare_turn(once) == TEXT


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: x\n---\nmaxTurns: 3 in the body\n",
        "maxTurns: 3\n",
        "---\nmaxTurns: many\n---\n",
        "",
    ],
)
def test_a_definition_without_a_limit_is_left_alone(text: str) -> None:
    assert edit.with_spare_turn(text) == text


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        TEXT + "\n\n",
        TEXT.rstrip("\n"),
        TEXT.replace("\ntools", "\r\ntools"),
    ],
)
def test_both_edits_keep_everything_else(text: str) -> None:
    changed = edit.with_block(edit.with_spare_turn(text), "report", BODY)
    assert edit.block_of(changed, "report") == BODY
    assert edit.without_spare_turn(edit.without_block(changed, "report")) == text
    assert ("\r" in text) == ("\r" in changed)
    assert changed.startswith("\ufeff") == text.startswith("\ufeff")


def test_a_block_is_brought_up_to_date_where_it_stands() -> None:
    first = edit.with_block(TEXT, "report", BODY) + "More of the user's.\n"
    second = edit.with_block(first, "report", BODY.replace("400", "300"))
    assert second.endswith("More of the user's.\n")
    assert edit.words_in(edit.block_of(second, "report") or "") == 300
    assert second.count("setpoint:report") == 2


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab-: \n#3"), max_size=60), st.booleans())
def test_any_text_comes_back(text: str, windows: bool) -> None:
    given_text = text.replace("\n", "\r\n") if windows else text
    changed = edit.with_block(edit.with_spare_turn(given_text), "report", BODY)
    assert edit.without_spare_turn(edit.without_block(changed, "report")) == given_text
