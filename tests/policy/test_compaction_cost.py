import pytest

from policy.compaction_cost import compaction_costs
from policy.cost import cost
from policy.fit.compaction_choice import SUMMARY_PRIOR
from policy.prices import load

# claude-sonnet-5: read 0.2, write 5m 2.5, output 10 micro-dollars a token


def frames(requests_of, frame_of, totals):
    requests = requests_of(
        {"w5": 60_000, "o": 100},
        {"r": 60_000, "w5": 20_000, "o": 100},
        {"r": 9_000, "w5": 6_000, "o": 100, "segment": 1},
        {"r": 15_000, "w5": 5_000, "o": 100, "segment": 1},
    )
    rows = [
        {"session_id": "s", "segment": 0, "pre_tokens": 80_500, "post_tokens": 14_000, "requests_since_last": 2},
        {"session_id": "s", "segment": 1, "pre_tokens": 20_000, "requests_since_last": 2},
    ]
    names = ("input", "cache_read", "cache_write", "output")
    counters = dict(zip((f"untracked_{name}_tokens" for name in names), totals, strict=True))
    sessions = frame_of("sessions", [{"session_id": "s"} | counters])
    return compaction_costs(frame_of("compactions", rows), cost(requests, load()), sessions).to_dicts()


def test_the_rewrite_is_what_the_first_request_after_it_wrote(requests_of, frame_of) -> None:
    first, second = frames(requests_of, frame_of, (None, None, None, None))
    assert (first["context_before"], first["context_after"], first["rewrite_tokens"]) == (80_000, 15_000, 6_000)
    assert first["rewrite_usd"] == pytest.approx(6_000 * 2.5e-6)
    assert (second["context_after"], second["rewrite_usd"]) == (None, None)


def test_without_the_clients_totals_the_request_is_an_estimate(requests_of, frame_of) -> None:
    for totals in ((None, None, None, None), (0, 0, 0, 0)):
        first, _ = frames(requests_of, frame_of, totals)
        assert first["request_basis"] == "estimate"
        assert first["request_usd"] == pytest.approx(80_500 * 0.2e-6 + SUMMARY_PRIOR * 10e-6)


def test_the_clients_totals_are_shared_by_size(requests_of, frame_of) -> None:
    first, second = frames(requests_of, frame_of, (10, 100_500, 1_000, 2_000))
    whole = 10 * 2e-6 + 100_500 * 0.2e-6 + 1_000 * 2.5e-6 + 2_000 * 10e-6
    assert first["request_basis"] == "client's totals"
    assert first["request_usd"] == pytest.approx(whole * 80_500 / 100_500)
    assert first["request_usd"] + second["request_usd"] == pytest.approx(whole)
