"""What the quick overview adds is what the frames would say; where it is not sure, it leaves it to them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from checked_store import checked, grow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_transcripts import agent, assistant, session, usage, user

from measure.store import growth, quick
from measure.transcripts import build
from measure.transcripts.values import INT64_MAX


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))


def response(at: int, **more: Any) -> dict[str, Any]:
    return assistant(at, f"x{at}", request=f"q{at}", **more)


def test_groups_stand_in_the_order_of_their_new_sums(tmp_path: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), response(2, model="a"), response(3, model="a"), response(4, model="b")])
    other = agent(root, [response(5, model="b", isSidechain=True, agentId="a1", usage=usage(3, 1, 1))])
    assert [row["agent_type"] for row in checked_counts(root)["by_thread"]] == ["main", "(unknown)"]
    grow(path, [response(6, model="b"), response(7, model="b")])
    assert [row["model"] for row in checked_counts(root, grown=True)["by_model"]] == ["b", "a"]
    grow(other, [response(8, model="b", isSidechain=True, agentId="a1", usage=usage(3, 1, 100_000))])
    assert [row["agent_type"] for row in checked_counts(root, grown=True)["by_thread"]] == ["(unknown)", "main"]


def checked_counts(root: Path, *, grown: bool = False) -> dict[str, Any]:
    """The counts, held against those of the frames; `grown`: the quick overview must dare to tell them."""
    if grown:
        assert quick.overview([root]) is not None
    return dict(quick.facts(checked(root))["counts"])


@pytest.mark.parametrize("before", [INT64_MAX - 300, INT64_MAX, 2**70])
def test_sums_beyond_int64_are_those_of_the_frames(tmp_path: Path, before: int) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), response(2, usage=usage(3, 10, before))])
    checked(root)
    for at in range(3, 7):
        grow(path, [response(at, usage=usage(3, 10, 90))])
        checked(root)


@pytest.mark.parametrize(
    "time",
    ["1969-12-31T23:59:59.000Z", "1970-01-01T12:00:00.000Z", "2999-01-01T00:00:00.001Z", "9999-12-31T23:59:59.999Z"],
)
def test_times_that_no_transcript_can_have_are_unknown_here_too(tmp_path: Path, time: str) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), response(2)])
    checked(root)
    grow(path, [response(3, timestamp=time)])
    checked(root)
    grow(path, [response(4)])
    checked(root)


def test_bounds_of_times_are_those_of_the_frames() -> None:
    assert tuple(time.strftime("%Y-%m-%dT%H:%M:%S.000Z") for time in (build.EARLIEST, build.LATEST)) == (
        growth.EARLIEST,
        growth.LATEST,
    )


@pytest.mark.parametrize("time", ["2026-11-01T00:00:00.000Z", "2026-99-99T00:00:00.000Z", "yesterday", None])
def test_a_time_that_moves_the_horizon_is_left_to_the_frames(tmp_path: Path, time: str | None) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1), response(2)])
    checked(root)
    grow(path, [user(3, timestamp=time)])
    told = quick.overview([root])
    whole = checked(root)
    assert told is None or told[1].horizon["oldest"] == whole.horizon.as_dict()["oldest"]


def test_nothing_with_a_time_before_is_no_error(tmp_path: Path) -> None:
    root = tmp_path / "r"
    path = session(root, [user(1, timestamp=None), response(2, timestamp=None)])
    checked(root)
    grow(path, [response(3)])
    checked(root)


NUMBERS = st.sampled_from([0, 1, 500, INT64_MAX - 400, INT64_MAX, 2**65, None, -1, 1.5])
TIMES = st.sampled_from(["2026-11-02T08:00:09.000Z", "2026-11-03T08:00:00Z", "1960-01-01T00:00:00.000Z", "x", None])
RESPONSES = st.builds(
    lambda name, request, model, numbers, time: {
        "message_id": name,
        "request": request,
        "model": model,
        "usage": usage(numbers[0], numbers[1], numbers[2], numbers[3]),
        **({"timestamp": time} if time != "x" else {}),
    },
    st.sampled_from(["m1", "m2", "m3"]),
    st.sampled_from(["r1", "r2"]),
    st.sampled_from(["a", "b"]),
    st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS),
    TIMES,
)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RESPONSES, min_size=2, max_size=6), st.integers(1, 4))
def test_any_responses_in_any_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drawn: list[dict[str, Any]], steps: int
) -> None:
    root = tmp_path / f"{random.random()}"
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(root / "cache"))
    records = [assistant(20 + at, **one) for at, one in enumerate(drawn)]
    path = session(root, [user(1), response(2, model="a"), response(3, model="b")])
    checked(root)
    for at in range(0, len(records), steps):
        grow(path, records[at : at + steps])
        checked(root)
