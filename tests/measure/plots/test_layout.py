"""Every picture of counts, with 40 agents, one point and none: nothing cut, nothing on top of something else."""

import polars as pl
import pytest
from look import objections
from made_frames import made, nothing

from measure.plots import style
from measure.plots.context import context
from measure.plots.growth import growth
from measure.plots.marks import PRICE, SECOND, Mark
from measure.plots.reads import reads
from measure.plots.returns import returns

MARKS = [Mark(100_000, "limit"), Mark(104_000, "price x5 above", PRICE), Mark(967_000, "asks to compact")]
LIMITS = [Mark(1_000, "pass limit"), Mark(2_500, "file limit", SECOND)]
DRAW = {
    "context": lambda frames: context(frames["requests"], frames["compactions"], marks=lambda *_: MARKS),
    "returns": lambda frames: returns(frames["returns"], lambda _: LIMITS),
    "growth": lambda frames: growth(frames["requests"]),
    "reads": lambda frames: reads(frames["reads"]),
}
FRAMES = {"40 agents": made(1, 40, 90), "one point": made(1, 1, 1), "none": nothing()}


@pytest.mark.parametrize("case", FRAMES)
@pytest.mark.parametrize("name", DRAW)
def test_no_text_is_cut_or_covered(name: str, case: str) -> None:
    fig = DRAW[name](FRAMES[case])
    assert objections(fig) == []


@pytest.mark.parametrize("name", DRAW)
def test_an_empty_frame_is_told_in_words(name: str) -> None:
    fig = DRAW[name](nothing())
    assert not fig.axes
    assert any(text.get_text().startswith("No ") for text in fig.texts)


def test_types_with_long_or_odd_names_stay_inside() -> None:
    odd = "x" * 90 + "$a_b$ \U0001f600 \n 日本"
    frame = FRAMES["40 agents"]["returns"].with_columns(
        pl.concat_str(pl.lit(odd), pl.col("agent_id")).alias("agent_type")
    )
    fig = returns(frame, lambda _: LIMITS)
    assert objections(fig) == []


@pytest.mark.parametrize(
    ("value", "text"), [(0.000_012, "$0.000012"), (0.025, "$0.025"), (0.5, "$0.50"), (1234.0, "$1,234"), (0, "$0.00")]
)
def test_a_small_amount_keeps_two_significant_digits_on_a_picture(value: float, text: str) -> None:
    assert style.dollars(value) == text


def test_house_style_leaves_matplotlib_as_it_was() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    growth(FRAMES["one point"]["requests"])
    assert dict(mpl.rcParams) == before
