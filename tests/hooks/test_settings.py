"""What we put into settings comes out again, whatever stood there: pure functions, and texts byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooks.features import FEATURES, entries
from hooks.plan import hook_object, settings_after
from hooks.settings import Entry, Journal, Wanted, WrongShapeError, apply, is_ours, ours

SCRIPT = Path("/p/it's/.claude/setpoint/run.py")
FOREIGN = {"type": "command", "command": "node x.js"}


def hook(python: str = "/usr/bin/python3") -> dict[str, Any]:
    """One of our hook objects."""
    return hook_object(python, SCRIPT, 5)


def wanted(**more: Any) -> Wanted:
    """Everything that we know how to install, and one of each other kind."""
    rows = [(entry, hook()) for entry in entries(list(FEATURES))]
    return Wanted(rows, **more)


FULL = {
    "scalars": {("env", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"): "40", ("bashOutputMaxChars",): 4000, ("env", "b"): None},
    "members": {("permissions", "allow"): ["Bash(x)"], ("permissions", "deny"): ["A", "B"]},
}
NAMES = st.sampled_from(["SubagentStop", "PreToolUse", "Stop", "x", "é"])
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.just(FOREIGN), max_size=2)}, optional={"matcher": st.sampled_from(["", "Bash", ".+"])}
)
OTHER = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.text(max_size=5),
        "hooks": st.dictionaries(NAMES, st.lists(GROUP, max_size=3), max_size=3),
        "env": st.dictionaries(st.sampled_from(["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "b", "c"]), st.text(max_size=3)),
        "permissions": st.dictionaries(st.sampled_from(["allow", "deny"]), st.lists(st.sampled_from(["A", "é"]))),
        "bashOutputMaxChars": st.integers(),
        "other": OTHER,
    },
)
STYLES: list[dict[str, Any]] = [{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}]


def spelled(value: Any, data: st.DataObject) -> str:
    """The settings in a style that people and tools use."""
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()), **data.draw(st.sampled_from(STYLES)))
    text = text.replace("\n", data.draw(st.sampled_from(["\n", "\r\n"])))
    text = (
        text.replace("[]", data.draw(st.sampled_from(["[]", "[ ]"])))
        if "[]" not in json.dumps(value).strip("[]")
        else text
    )
    return data.draw(st.sampled_from(["", "\ufeff"])) + text + data.draw(st.sampled_from(["", "\n", "\r\n", "\n\n"]))


def after(path: Path, wish: Wanted, journal: Journal) -> Journal:
    """Bring the file to that wish."""
    _, text, journal = settings_after(path, wish, journal)
    if text is not None:
        path.write_bytes(text.encode())
    return Journal.load(json.loads(json.dumps(journal.dump())))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), SETTINGS)
def test_install_then_uninstall_restores_every_byte(tmp_path: Path, data: st.DataObject, value: dict[str, Any]) -> None:
    path = tmp_path / "settings.json"
    before = spelled(value, data).encode()
    path.write_bytes(before)
    journal = after(path, wanted(**FULL), Journal())
    once = path.read_bytes()
    assert not once.startswith(b"\xef\xbb\xbf")
    journal = after(path, wanted(**FULL), journal)
    assert path.read_bytes() == once
    after(path, Wanted(), journal)
    assert path.read_bytes() == before


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), SETTINGS)
def test_features_leave_one_by_one(tmp_path: Path, data: st.DataObject, value: dict[str, Any]) -> None:
    path = tmp_path / "settings.json"
    before = spelled(value, data).encode()
    path.write_bytes(before)
    steps = data.draw(st.permutations([wanted(), wanted(**FULL), Wanted(scalars=FULL["scalars"]), Wanted()]))
    journal = Journal()
    for step in [*steps, Wanted()]:
        journal = after(path, step, journal)
    assert path.read_bytes() == before


@settings(max_examples=40, deadline=None)
@given(SETTINGS, SETTINGS)
def test_what_others_change_meanwhile_stays(value: dict[str, Any], later: dict[str, Any]) -> None:
    """Whatever stands in the settings at the uninstall and is not ours is there afterwards."""
    journal = Journal()
    put = apply(value, wanted(), journal)
    merged = {**later, "hooks": {**put["hooks"]}}
    for event, groups in later.get("hooks", {}).items():
        merged["hooks"][event] = [*merged["hooks"].get(event, []), *groups]
    left = apply(merged, Wanted(), journal)
    assert not ours(left)
    for key, item in later.items():
        if key != "hooks":
            assert left[key] == item
    for event, groups in later.get("hooks", {}).items():
        for group in groups:
            assert group in left["hooks"][event]


def test_ours_is_known_by_its_script() -> None:
    assert is_ours(hook())
    assert is_ours({"command": "python C:\\Users\\x\\.claude\\setpoint\\run.py"})
    assert not is_ours({"command": "python /x/run.py", "args": ["/setpoint/run.sh", 5]})
    assert not is_ours({"command": None, "args": None})
    assert not is_ours("setpoint/run.py")


def test_one_group_of_our_own_for_each_event_and_matcher() -> None:
    put = apply({}, wanted(), Journal())
    for groups in put["hooks"].values():
        for group in groups:
            assert len(group["hooks"]) == 1
            assert group.get("matcher", "x") != ""


def test_uninstall_takes_one_hook_out_of_a_shared_group() -> None:
    """A user may move one of ours into a group of their own."""
    shared = {"hooks": {"SubagentStop": [{"matcher": "Explore", "hooks": [FOREIGN, hook(), FOREIGN]}]}}
    assert apply(shared, Wanted(), Journal())["hooks"] == {
        "SubagentStop": [{"matcher": "Explore", "hooks": [FOREIGN, FOREIGN]}]
    }


def test_an_upgrade_leaves_a_moved_hook_where_it_is() -> None:
    shared = {"hooks": {"SubagentStop": [{"matcher": "Explore", "hooks": [FOREIGN, hook("/old/python")]}]}}
    put = apply(shared, Wanted([(Entry("SubagentStop", ".+"), hook("/new/python"))]), Journal())
    assert put["hooks"]["SubagentStop"] == [{"matcher": "Explore", "hooks": [FOREIGN, hook("/new/python")]}]


def test_doubled_entries_become_one() -> None:
    group = {"matcher": ".+", "hooks": [hook()]}
    put = apply(
        {"hooks": {"SubagentStop": [group, {**group, "hooks": [hook()]}]}},
        Wanted([(Entry("SubagentStop", ".+"), hook())]),
        Journal(),
    )
    assert put["hooks"]["SubagentStop"] == [group]


def test_an_old_matcher_is_replaced() -> None:
    old = {"hooks": {"PostToolUse": [{"matcher": "Task", "hooks": [hook()]}]}}
    put = apply(old, Wanted([(Entry("PostToolUse", "^(Task|Agent)$"), hook())]), Journal())
    assert [group["matcher"] for group in put["hooks"]["PostToolUse"]] == ["^(Task|Agent)$"]


def test_empty_containers_of_others_stay() -> None:
    value = {"hooks": {"Stop": [], "SubagentStop": []}, "env": {}}
    journal = Journal(spellings={"/hooks/Stop": "[]", "/hooks/SubagentStop": "[]", "/env": "{}"})
    put = apply(value, wanted(**FULL), journal)
    assert apply(put, Wanted(), journal) == value


def test_without_a_journal_emptied_events_go() -> None:
    """The record may be lost: then what only our hooks filled is removed with them."""
    put = apply({"model": "x"}, wanted(), Journal())
    assert apply(put, Wanted(), Journal()) == {"model": "x"}


def test_a_scalar_changed_since_is_theirs() -> None:
    journal = Journal()
    put = apply({"bashOutputMaxChars": 9000}, Wanted(scalars={("bashOutputMaxChars",): 4000}), journal)
    put["bashOutputMaxChars"] = 5000
    assert apply(put, Wanted(), journal) == {"bashOutputMaxChars": 5000}


def test_a_member_that_was_there_stays() -> None:
    journal = Journal()
    value = {"permissions": {"allow": ["A"]}}
    put = apply(value, Wanted(members={("permissions", "allow"): ["A", "B"]}), journal)
    assert put == {"permissions": {"allow": ["A", "B"]}}
    assert apply(put, Wanted(), journal) == value


@pytest.mark.parametrize(
    "value",
    [
        {"hooks": []},
        {"hooks": "x"},
        {"hooks": {"SubagentStop": {}}},
        {"hooks": {"SubagentStop": None}},
        {"env": []},
        {"permissions": {"allow": {}}},
        {"permissions": 5},
    ],
)
def test_settings_of_another_shape_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(WrongShapeError):
        apply(value, wanted(**FULL), Journal())


@pytest.mark.parametrize(
    "value", [{"hooks": {"Stop": 5}}, {"hooks": {"Stop": [5, None, {"hooks": 5}, {"hooks": [5]}]}}]
)
def test_odd_things_of_others_are_left_alone(value: dict[str, Any]) -> None:
    journal = Journal()
    put = apply(value, Wanted([(Entry("SubagentStop", ".+"), hook())]), journal)
    assert put["hooks"]["Stop"] == value["hooks"]["Stop"]
    assert apply(put, Wanted(), journal) == value
