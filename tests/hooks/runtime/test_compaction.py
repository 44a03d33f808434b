import random

import pytest

from hooks.runtime import compaction as c


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        (60_000, 60_000),
        ("60_000", 60_000),
        ("62k", 62_000),
        ("1.5M", 1_500_000),
        ("60%", 120_000),
        (" 12.5 % ", 25_000),
        ("100%", 200_000),
        ("101%", None),
        ("0%", None),
        (True, None),
        (-5, None),
        (0, None),
        (1.5, None),
        ("1.5", None),
        ("1e5", None),
        ("inf", None),
        ("nan%", None),
        ("+5k", None),
        ("k", None),
        ("", None),
        ("abc", None),
        (None, None),
    ],
)
def test_sizes_as_people_write_them(value: object, tokens: int | None) -> None:
    assert c.size(value, 200_000) == tokens


@pytest.mark.parametrize(
    ("model", "windows", "main", "expected"),
    [
        ("claude-haiku-5-5", {}, 1_000_000, (200_000, "haiku")),
        ("claude-sonnet-5-5", {}, None, (1_000_000, "sonnet 5")),
        ("claude-opus-5-5[1m]", {}, None, (1_000_000, "[1m]")),
        ("claude-opus-5-5", {}, 200_000, (1_000_000, "client")),
        ("claude-sonnet-4-6", None, 1_000_000, (200_000, "client")),
        ("claude-new-9", {}, 1_000_000, (1_000_000, "main chat")),
        ("claude-new-9", None, None, (200_000, "default")),
        ("gpt-6", {}, 1_000_000, (200_000, "unknown model")),
        (None, {}, 1_000_000, (200_000, "unknown model")),
        ("claude-opus-5-5", {"opus": "400k"}, 1_000_000, (400_000, "setpoint.json")),
        ("claude-new-9", {"new": "zero"}, 1_000_000, (1_000_000, "main chat")),
    ],
)
def test_window_of_a_model(model: str | None, windows: object, main: int | None, expected: tuple[int, str]) -> None:
    assert c.window(model, windows, main) == expected


def test_policy_takes_the_first_usable_value_per_key_and_names_the_bad_ones() -> None:
    values, origin, bad = c.resolve(
        [
            ("frontmatter", "50k"),
            ("byAgentType", {"forceAt": 70_000, "nudgeFrom": "lots"}),
            ("central", {"enabled": "off"}),
        ],
        200_000,
    )
    assert values == {"enabled": False, "forceAt": 50_000, "nudgeFrom": 40_000, "nudgeEvery": 20_000}
    assert origin == {"enabled": "central", "forceAt": "frontmatter", "nudgeFrom": "default", "nudgeEvery": "default"}
    assert bad == ["nudgeFrom in byAgentType"]


def test_ask_point_of_the_client() -> None:
    assert c.ask_point(100_000) == 67_000
    assert c.ask_point(30_000) == 67_000
    assert c.ask_point(1_000_000) == 967_000
    assert c.ask_point(100_000, 40) == 32_000


def test_highest_percent_at_or_below_the_smallest_nudge() -> None:
    percent, missed = c.percent_for([(200_000, 1_000_000), (40_000, 200_000)])
    assert (percent, missed) == (20, [])
    assert c.ask_point(1_000_000, percent) <= 200_000 < c.ask_point(1_000_000, percent + 1)
    assert c.percent_for([(5_000, 1_000_000)]) == (1, [5_000])


def test_nudges_come_once_a_level() -> None:
    due, noted = [], 0
    for tokens in (39_999, 40_000, 59_999, 60_000, 100_000, 99_000):
        now, noted = c.nudge(tokens, 40_000, 20_000, noted)
        due.append(now)
    assert due == [False, True, False, True, True, False]


@pytest.mark.parametrize(
    ("tokens", "extra", "expected"),
    [
        (119_999, {}, ("hold", "below")),
        (120_000, {}, ("pass", "forced")),
        (30_000, {"armed": True}, ("pass", "armed")),
        (30_000, {"trigger": "manual"}, ("pass", "manual")),
        (30_000, {"trigger": "precompute"}, ("pass", "unknown trigger")),
        (None, {}, ("pass", "no reading")),
        (166_999, {"governed": False}, ("hold", "below the client's own point")),
        (167_000, {"governed": False}, ("pass", "client's own point")),
        (130_000, {"quick": 0, "since": 1}, ("pass", "forced")),
        (130_000, {"quick": 1, "since": 1}, ("hold", "refill")),
        (130_000, {"quick": 1, "since": 3}, ("pass", "forced")),
        (170_000, {"quick": 2, "since": 0}, ("pass", "near the window")),
    ],
)
def test_hold_or_pass(tokens: int | None, extra: dict[str, object], expected: tuple[str, str]) -> None:
    arguments: dict[str, object] = {"trigger": "auto", "natural": 167_000, **extra}
    assert c.decide(arguments.pop("trigger"), tokens, 200_000, 120_000, **arguments) == expected  # type: ignore[arg-type]


def test_random_curves_keep_every_promise() -> None:
    rng = random.Random(7)
    for _ in range(300):
        window = rng.choice([200_000, 1_000_000])
        force = rng.randrange(5_000, window)
        tokens, quick, since, in_a_row = 10_000, 0, None, 0
        for _ in range(200):
            tokens += rng.randrange(0, 40_000)
            if tokens < c.ask_point(window, 1):
                since = None if since is None else since + 1
                continue
            what, _why = c.decide("auto", tokens, window, force, natural=c.ask_point(window), quick=quick, since=since)
            if tokens >= 0.85 * window or (tokens >= force and (since is None or since >= c.QUICK)):
                assert what == "pass"
            elif tokens < force:
                assert what == "hold"
            if what == "pass":
                quick, in_a_row = c.refills(quick, since), quick + 1 if since is not None and since < c.QUICK else 0
                near = tokens >= 0.85 * window
                assert near or in_a_row <= c.MAX_QUICK
                tokens, since = rng.randrange(5_000, 60_000), 0
            elif since is not None:
                since += 1
