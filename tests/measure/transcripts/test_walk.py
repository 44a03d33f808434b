"""Names of transcripts, and places as texts: what pathlib and patterns say, without them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.transcripts.places import settings_path, tidy
from measure.transcripts.walk import is_meta, is_transcript

names = st.from_regex(r"\A(agent-)?[a-z.]{0,3}(\.jsonl|\.JSONL|\.meta\.json)?(\.[0-9a]{0,2})?\Z")


@given(names)
def test_names_are_told_as_the_patterns_tell_them(name: str) -> None:
    assert is_transcript(name) == bool(re.search(r"\.jsonl(\.\d+)?\Z", name, re.IGNORECASE))
    assert is_meta(name) == bool(re.match(r"agent-.+\.meta\.json\Z", name))


@given(st.text(alphabet="/.~a\\", max_size=8))
def test_places_are_tidied_as_pathlib_does(text: str) -> None:
    named = text.startswith("~") and not text.startswith("~/") and text != "~"  # a user of that name
    assert tidy(text) == str(Path(text) if named or not text.startswith("~") else Path(text).expanduser())


@pytest.mark.parametrize("below", ["", "projects", "projects/p", "projects/p/s", "projects/p/s/subagents"])
def test_settings_are_those_of_the_config_folder_a_place_lies_in(tmp_path: Path, below: str) -> None:
    (tmp_path / "projects" / "p" / "s" / "subagents").mkdir(parents=True)
    assert settings_path(str(tmp_path / below)) == str(tmp_path / "settings.json")


def test_a_place_outside_any_config_folder_has_no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a" / "b" / "c" / "d" / "e"
    folder.mkdir(parents=True)
    assert settings_path(str(folder)) is None
    monkeypatch.chdir(folder)
    assert settings_path("x") is None
    assert settings_path("/") is None
