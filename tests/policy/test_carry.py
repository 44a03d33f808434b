import pytest

from policy.calibrate import Calibration, Factor
from policy.carry import carry
from policy.cost import cost
from policy.prices import load

MODEL = "claude-sonnet-5"  # read 0.2, write 5m 2.5, write 1h 4, input 2 dollars per million
FOUR = Calibration({MODEL: Factor(MODEL, 4.0, 3.9, 4.1, 20.0, 100, 10)})
READ, WRITE = 0.2e-6, 2.5e-6


def texts_of(frame_of, *texts):
    columns = {"agent_id": "agent_id", "step": "result_step", "chars": "result_chars"}
    rows = [{"session_id": "s", "agent_id": None, **{columns[k]: v for k, v in text.items()}} for text in texts]
    frame = frame_of("tool_calls", rows)
    return frame.rename({"result_step": "step", "result_chars": "chars"})


def carried(frame_of, requests, *texts):
    return carry(texts_of(frame_of, *texts), cost(requests, load()), FOUR).to_dicts()


def test_a_text_is_written_once_and_read_by_each_later_request_of_the_segment(requests_of, frame_of) -> None:
    requests = requests_of(
        {"w5": 10_000, "o": 100},
        {"r": 10_000, "w5": 1_200, "o": 100},
        {"r": 11_200, "w5": 500, "o": 100},
        {"r": 11_700, "w5": 500, "o": 100},
        {"r": 3_000, "w5": 5_000, "segment": 1},
    )
    (row,) = carried(frame_of, requests, {"step": 1, "chars": 4_000})
    assert row["text_tokens"] == 1_000
    assert row["later_requests"] == 2
    assert row["first_usd"] == pytest.approx(1_000 * WRITE)
    assert row["carry_usd"] == pytest.approx(1_000 * (WRITE + 2 * READ))


def test_a_rebuilt_cache_pays_the_write_price_again_only_for_what_lies_behind_the_read_prefix(
    requests_of, frame_of
) -> None:
    requests = requests_of(
        {"w5": 10_000, "o": 100},
        {"r": 10_000, "w5": 1_100, "o": 100},  # the first text: 10,100 to 11,100
        {"r": 11_100, "w5": 2_100, "o": 100},  # the second: 11,200 to 13,200
        {"r": 11_150, "w5": 3_000, "o": 100},  # the prefix ends between them
        {"r": 0, "w1h": 14_000, "o": 100},  # all rebuilt, for an hour
        {"r": 14_000, "w5": 100, "o": 100},
    )
    first, second = carried(frame_of, requests, {"step": 1, "chars": 4_000}, {"step": 2, "chars": 8_000})
    assert first["carry_usd"] == pytest.approx(1_000 * (WRITE + 3 * READ + 4e-6))
    assert second["carry_usd"] == pytest.approx(2_000 * (WRITE + WRITE + READ + 4e-6))


def test_texts_of_one_step_stand_behind_each_other(requests_of, frame_of) -> None:
    requests = requests_of({"w5": 10_000, "o": 0}, {"r": 10_000, "w5": 3_000}, {"r": 11_500, "w5": 1_600})
    one, two = carried(frame_of, requests, {"step": 1, "chars": 4_000}, {"step": 1, "chars": 8_000})
    assert one["later_usd"] == pytest.approx(1_000 * READ)
    assert two["later_usd"] == pytest.approx(2_000 * WRITE)


def test_a_text_ends_within_what_its_request_cached(requests_of, frame_of) -> None:
    """The factor may say 1,200 tokens where the request wrote 1,000: the next full read still reaches past it."""
    requests = requests_of({"w5": 10_000, "o": 0}, {"r": 10_000, "w5": 1_000}, {"r": 11_000, "w5": 100})
    (row,) = carried(frame_of, requests, {"step": 1, "chars": 4_800})
    assert row["later_usd"] == pytest.approx(1_200 * READ)


def test_without_a_cache_every_request_pays_the_input_price(requests_of, frame_of) -> None:
    requests = requests_of({"i": 10_000}, {"i": 11_000}, {"i": 12_000})
    (row,) = carried(frame_of, requests, {"step": 1, "chars": 4_000})
    assert row["carry_usd"] == pytest.approx(1_000 * 2 * 2e-6)


def test_a_text_that_no_request_sent_cost_nothing_and_unknowns_stay_unknown(requests_of, frame_of) -> None:
    requests = requests_of(
        {"w5": 10_000},
        {"r": 10_000, "w5": 1_000},
        {"r": 11_000, "model": "mystery"},
        {"w5": 9_000, "agent_id": "a", "agent_type": "Explore", "step": 0},
    )
    rows = carried(
        frame_of,
        requests,
        {"step": None, "chars": 4_000},
        {"step": 1, "chars": None},
        {"step": 1, "chars": 4_000},
        {"step": 77, "chars": 4_000},
        {"step": 0, "chars": 4_000, "agent_id": "a"},
        {"step": 2, "chars": 4_000},
    )
    assert [row["carry_usd"] for row in rows[:4]] == [0.0, None, None, None]
    assert rows[4]["carry_usd"] == pytest.approx(1_000 * WRITE)
    assert rows[5]["carry_usd"] is None


def test_no_text_and_no_request_give_an_empty_table(requests_of, frame_of) -> None:
    assert carried(frame_of, requests_of()) == []
    assert carried(frame_of, requests_of({"w5": 1})) == []
    assert carried(frame_of, requests_of(), {"step": 3, "chars": 4})[0]["carry_usd"] is None
