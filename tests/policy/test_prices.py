import datetime as dt
import json
import random

import polars as pl
import pytest
from genai_prices import Usage, calc_price
from genai_prices.data import providers

from measure.columns import empty
from measure.sample import data
from policy.cost import KINDS, cost
from policy.model_ids import normalise
from policy.prices import load

NOW = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
BASE = json.loads(data("prices.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("claude-opus-5[1m]", "claude-opus-5"),
        ("Claude-Opus-4.5", "claude-opus-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
        ("anthropic/claude-opus-4.6", "claude-opus-4-6"),
        ("openrouter/anthropic/claude-opus-4.6:beta", "claude-opus-4-6"),
        ("anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("global.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"),
        ("bedrock/eu.anthropic.claude-opus-4-8", "claude-opus-4-8"),
        (
            "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0",
            "claude-sonnet-4",
        ),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("publishers/anthropic/models/claude-haiku-5-5@default", "claude-haiku-5-5"),
        ("vertex_ai/claude-opus-4-1@20250805", "claude-opus-4-1"),
        ("claude-v1", "claude-v1"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet"),
        ("claude-v2:1", "claude-v2"),
        ("glm-4.6[1m]", "glm-4-6"),
        ("deepseek-v3", "deepseek-v3"),
        ("ollama/qwen3:14b", "qwen3:14b"),
        ("gpt-4o-2024-08-06", "gpt-4o-2024-08-06"),
    ],
)
def test_ids_of_every_provider_come_down_to_the_bare_name(written: str, name: str) -> None:
    assert normalise(written) == name
    assert normalise(name) == name


@pytest.mark.parametrize("model", ["gpt-5", "opus", "claude-opus-9", "claude-haiku-5-6", "claude-opus-4-5-turbo", None])
def test_a_model_that_is_not_in_the_table_has_no_price_by_family(model: str | None) -> None:
    assert load().at(model, NOW, 1000) is None


def test_an_endless_model_id_costs_no_time() -> None:
    assert load().canonical("claude" + "-v1" * 1_000_000) is None


def test_without_a_time_only_a_steady_price_is_known() -> None:
    assert load().at("claude-opus-5", None, 10) is not None
    assert load().at("claude-opus-4-6", None, 10) is None


def test_one_lookup_gives_dollars_per_token() -> None:
    rates = load().at("claude-sonnet-5-5", NOW, 1000)
    assert rates is not None
    found = (rates.input, rates.read, rates.write_5m, rates.write_1h, rates.output)
    assert found == pytest.approx((2e-6, 1e-7, 2.5e-6, 4e-6, 1e-5), rel=1e-12)
    assert rates.web_search == 0.01
    assert (rates.write("1h"), rates.write("5m"), rates.write(None)) == (4e-6, 2.5e-6, 2.5e-6)


@pytest.mark.parametrize(("prompt", "rate"), [(0, 0.1), (99_999, 0.1), (100_000, 0.1), (100_001, 0.5), (900_000, 0.5)])
def test_a_tier_holds_strictly_above_its_start(prompt: int, rate: float) -> None:
    rates = load().at("claude-haiku-5-5", NOW, prompt)
    assert rates is not None
    assert rates.input == pytest.approx(rate * 1e-6)


@pytest.mark.parametrize(("day", "read"), [("2026-03-12T23:59:59", 1.0), ("2026-03-13T00:00:00", 0.5)])
def test_a_dated_price_changes_at_midnight_utc(day: str, read: float) -> None:
    rates = load().at("claude-opus-4-6", dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC), 300_000)
    assert rates is not None
    assert rates.read == pytest.approx(read * 1e-6)


def test_speed_batch_and_region_multiply_tokens_and_not_searches() -> None:
    def read(**how: str) -> float:
        rates = load().at("claude-opus-5-5", NOW, 1000, **how)
        assert rates is not None
        assert rates.web_search == 0.01
        return rates.read / 2e-7

    assert read(speed="standard", service_tier="standard", inference_geo="not_available") == pytest.approx(1)
    assert read(speed="fast") == pytest.approx(2)
    assert read(service_tier="batch") == pytest.approx(0.5)
    assert read(service_tier="priority") == pytest.approx(1)
    assert read(inference_geo="us") == pytest.approx(1.1)
    assert read(speed="fast", inference_geo="us") == pytest.approx(2.2)


def test_fast_mode_without_a_known_price_is_no_price() -> None:
    assert load().at("claude-haiku-4-5", NOW, 1000, speed="fast") is None


def random_requests(n: int) -> pl.DataFrame:
    """Requests whose price genai-prices can tell: batch and fast only where it knows such a price."""
    rng = random.Random(20261130)
    rows = []
    for _ in range(n):
        row = rng.choice(BASE["rows"])
        start = dt.datetime.fromisoformat(row["valid_from"] or "2026-01-01").replace(tzinfo=dt.UTC)
        ts = start + dt.timedelta(seconds=rng.choice([0, 1, rng.randrange(86400 * 20)]))
        edge = row["tier_start"] or rng.choice([1000, 50_000, 400_000])
        prompt = max(0, rng.choice([edge - 1, edge, edge + 1, rng.randrange(2 * edge)]))
        read = rng.randrange(prompt + 1)
        write = rng.randrange(prompt - read + 1)
        one_hour = rng.choice([0, write, rng.randrange(write + 1)])
        mode = rng.choice([m for m in ("standard", "batch", "fast") if m == "standard" or row[f"{m}_factor"]])
        rows.append(
            {
                "model": row["model"],
                "ts": ts,
                "input_tokens": prompt - read - write,
                "cache_read_tokens": read,
                "cache_write_tokens": write,
                "cache_write_1h_tokens": one_hour,
                "cache_write_5m_tokens": write - one_hour,
                "cache_write_unknown_tokens": 0,
                "output_tokens": rng.randrange(8000),
                "web_searches": rng.choice([0, 0, 3]) if row["web_search"] else 0,
                "service_tier": "batch" if mode == "batch" else "standard",
                "speed": "fast" if mode == "fast" else "standard",
            }
        )
    schema = {name: dtype for name, dtype in empty("requests").schema.items() if rows and name in rows[0]}
    return pl.concat([empty("requests"), pl.DataFrame(rows, schema=schema)], how="diagonal")


def by_genai_prices(row: dict[str, object]) -> float:
    written, read, fresh = (int(str(row[f"{k}_tokens"])) for k in ("cache_write", "cache_read", "input"))
    context = {"batch": {"processing": "batch"}}.get(str(row["service_tier"]), {})
    context = {"speed": "fast"} if row["speed"] == "fast" else context
    usage = Usage(
        input_tokens=fresh + read + written,
        cache_read_tokens=read,
        cache_write_tokens=written,
        cache_write_1h_tokens=row["cache_write_1h_tokens"],
        output_tokens=row["output_tokens"],
        web_searches=row["web_searches"],
    )
    price = calc_price(
        usage,
        str(row["model"]),
        provider_id="anthropic",
        genai_request_timestamp=row["ts"],
        price_context=context,
    )
    return float(price.total_price)


def compare(n: int) -> None:
    costs = cost(random_requests(n), load())
    assert costs["unpriced_reason"].null_count() == n
    worst = max(abs(by_genai_prices(row) - row["usd"]) for row in costs.iter_rows(named=True))
    assert worst < 1e-9
    assert set(costs["price_tier_start"].unique()) == {0, 100_000, 200_000}


def test_the_table_agrees_with_genai_prices() -> None:
    compare(1000)


@pytest.mark.slow
def test_the_table_agrees_with_genai_prices_on_ten_thousand_requests() -> None:
    compare(10_000)


def test_the_table_holds_every_claude_model_of_its_source() -> None:
    anthropic = next(p for p in providers if p.id == "anthropic")
    for model in anthropic.models:
        assert load().canonical(model.id), model.id


def test_the_table_is_what_the_script_writes() -> None:
    from scripts.prices import table

    fresh = table()
    assert {key: BASE[key] for key in fresh} == fresh


def test_kinds_add_up_and_unknown_writes_have_an_upper_bound() -> None:
    requests = pl.concat(
        [
            empty("requests"),
            pl.DataFrame(
                {
                    "model": ["claude-sonnet-5", "mystery"],
                    "ts": [NOW, NOW],
                    "input_tokens": [10, 10],
                    "cache_read_tokens": [None, 5],
                    "cache_write_tokens": [1000, 0],
                    "cache_write_5m_tokens": [0, 0],
                    "cache_write_1h_tokens": [0, 0],
                    "cache_write_unknown_tokens": [1000, 0],
                    "output_tokens": [100, 7],
                },
                schema_overrides={"ts": pl.Datetime("us", "UTC"), "cache_read_tokens": pl.Int64()},
            ),
        ],
        how="diagonal",
    )
    known, unknown = cost(requests, load()).iter_rows(named=True)
    assert known["cache_read_usd"] is None
    assert known["usd"] == pytest.approx(10 * 2e-6 + 1000 * 2.5e-6 + 100 * 1e-5)
    assert known["usd_upper_bound"] - known["usd"] == pytest.approx(1000 * 1.5e-6)
    assert known["usd"] == pytest.approx(sum(known[c] or 0 for c in KINDS.values()))
    assert unknown["usd"] is None
    assert unknown["unpriced_reason"] == "model not in the price table"


def test_an_empty_frame_keeps_the_money_columns() -> None:
    costs = cost(empty("requests"), load())
    assert costs.height == 0
    assert costs.schema["usd"] == pl.Float64()
