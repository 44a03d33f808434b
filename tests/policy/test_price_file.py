import datetime as dt
from pathlib import Path

import pytest

from measure.errors import SetpointError
from policy.price_file import in_force

NOW = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
FULL = "input = 1\noutput = 5\nread = 0.1\nwrite_5m = 1.25\nwrite_1h = 2.0\n"


def write(tmp_path: Path, text: str) -> str:
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_file_adds_a_model_and_overrides_another_under_all_its_names(tmp_path: Path) -> None:
    text = f'[[price]]\nmodel = "glm-4.6"\n{FULL}[[price]]\nmodel = "claude-haiku-5-5-20260801"\n{FULL}'
    prices = in_force(write(tmp_path, text))
    for model, prompt in [("z-ai/glm-4.6", 10), ("claude-haiku-5-5", 10), ("claude-5-5-haiku[1m]", 500_000)]:
        rates = prices.at(model, NOW, prompt)
        assert rates is not None, model
        assert (rates.input, rates.output) == pytest.approx((1e-6, 5e-6))
    assert prices.overrides == ("claude-haiku-5-5", "glm-4-6")
    assert in_force(None).at("glm-4.6", NOW, 10) is None


def test_a_file_may_hold_tiers_and_days(tmp_path: Path) -> None:
    tier = FULL.replace("input = 1", "input = 3\ntier_start = 1000")
    later = FULL.replace("input = 1", "input = 2\nvalid_from = 2026-11-01")
    text = "".join(f'[[price]]\nmodel = "m"\n{body}' for body in (FULL, tier, later))
    prices = in_force(write(tmp_path, text))

    def input_rate(when: dt.datetime, prompt: int) -> float:
        rates = prices.at("m", when, prompt)
        assert rates is not None
        return round(rates.input * 1e6, 9)

    october = dt.datetime(2026, 10, 31, 23, tzinfo=dt.UTC)
    assert [input_rate(october, 1000), input_rate(october, 1001), input_rate(NOW, 5000)] == [1, 3, 2]
    assert prices.at("m", None, 10) is None or input_rate(NOW, 10) == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[price]\n", "not valid TOML"),
        ("", "[[price]] entries"),
        ("price = 3", "[[price]] entries"),
        (f'[[price]]\nmodel = "m"\n{FULL}[other]\n', "nothing else"),
        (f"[[price]]\n{FULL}", "needs a model name"),
        ('[[price]]\nmodel = "m"\ninput = 1\n', "lacks read, write_5m, write_1h, output"),
        (f'[[price]]\nmodel = "m"\n{FULL}cached = 2\n', "does not know cached"),
        (f'[[price]]\nmodel = "m"\n{FULL}web_search = "x"\n', "web_search must be a number"),
        (f'[[price]]\nmodel = "m"\n{FULL}fast_factor = -2\n', "fast_factor must be a number"),
        (f'[[price]]\nmodel = "m"\n{FULL}fast_factor = nan\n', "fast_factor must be a number"),
        (f'[[price]]\nmodel = "m"\n{FULL}valid_from = "2026-01-01"\n', "valid_from must be a date"),
        (f'[[price]]\nmodel = "m"\n{FULL}tier_start = 1000\n', "no row without tier_start"),
        (f'[[price]]\nmodel = "m"\n{FULL}[[price]]\nmodel = "M"\n{FULL}', "twice"),
    ],
)
def test_a_bad_file_is_one_sentence_that_names_it(tmp_path: Path, text: str, complaint: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(SetpointError) as caught:
        in_force(file)
    assert complaint in str(caught.value)
    assert file in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_or_binary_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetpointError, match="cannot be read"):
        in_force(str(tmp_path / "none.toml"))
    with pytest.raises(SetpointError, match="cannot be read"):
        in_force(str(tmp_path))
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SetpointError, match="not UTF-8"):
        in_force(str(tmp_path / "b.toml"))
