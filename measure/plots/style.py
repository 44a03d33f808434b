"""The house style of every picture: readable in black and white, no text cut, the same words everywhere.

Figures are made without pyplot: no global state, no window, and half a second less at start.
Colours come from the Okabe-Ito set in an order of rising lightness, so they stay apart in grey; a hatch or a line
style says the same once more.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from measure.plots import cachedir

cachedir.provide()

import matplotlib as mpl  # noqa: E402 - it looks for its cache once it is used
from matplotlib.figure import Figure  # noqa: E402

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

COLOURS = ("#0b3954", "#0072b2", "#d55e00", "#56b4e9", "#e69f00", "#f0e442")
HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "")
LINES: tuple[tuple[float, Sequence[float]], ...] = ((0, ()), (0, (5, 2)), (0, (1, 1.5)), (0, (7, 2, 1, 2)))
INK, QUIET, FAINT = "#1a1a1a", "#595959", "#d0d0d0"
WIDTH = 9.6  # inches: a page's width, and 1152 pixels in a PNG

_RC: Any = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "text.parse_math": False,  # a "$" in a path is a dollar, not a formula
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "setpoint",
}


def house() -> AbstractContextManager[None]:
    """The settings in force while a figure is drawn or saved; matplotlib's own are untouched outside."""
    return mpl.rc_context(_RC)


def figure(height: float, title: str, subtitle: str = "") -> Figure:
    """An empty figure of the house's width (inches) with its title and, in smaller type, what it is about."""
    fig = Figure(figsize=(WIDTH, height), layout="constrained")
    text = shown(title, 100)
    fig.suptitle(
        f"{text}\n{shown(subtitle, 130)}" if subtitle else text, x=0.01, ha="left", fontsize=10.5, linespacing=1.5
    )
    return fig


def message(title: str, text: str) -> Figure:
    """A figure that says in words why there is nothing to draw."""
    with house():
        fig = figure(2.4, title)
        fig.text(0.5, 0.4, text, ha="center", va="center", color=QUIET, fontsize=11)
    return fig


@functools.cache
def _drawable() -> frozenset[int]:
    from matplotlib import font_manager

    found = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    return frozenset(found.get_charmap())


def shown(text: str, longest: int = 40) -> str:
    """`text` fit for a label: shortened in the middle, and characters the font does not have as a hollow box."""
    if len(text) > longest:
        keep = longest - 1
        text = text[: keep // 2] + "…" + text[len(text) - (keep - keep // 2) :]
    return "".join(char if ord(char) in _drawable() and char.isprintable() else "□" for char in text)


def thousands(value: float, _position: object = None) -> str:
    """Axis label of a count: 950, 12k, 1.5k, 3M. For display only."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def dollars(value: float, _position: object = None) -> str:
    """Axis label of an amount of money. For display only."""
    if value and abs(value) < 0.1:
        return f"${value:.{1 - math.floor(math.log10(abs(value)))}f}"
    return f"${value:,.2f}" if abs(value) < 100 else f"${value:,.0f}"


def legend(fig: Figure, handles: Sequence[Artist]) -> None:
    """A legend under the axes, where it covers nothing."""
    if handles:
        columns = len(handles) if len(handles) <= 5 else -(-len(handles) // 2)
        fig.legend(handles=handles, loc="outside lower left", ncols=columns, fontsize=8.5)


def room(rows: int, each: float = 0.32, around: float = 1.7) -> float:
    """Height in inches of a figure with `rows` horizontal rows."""
    return around + each * max(rows, 2)


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Put `names` beside the rows 0, 1, 2... of a horizontal plot, the first on top."""
    ax.set_yticks(range(len(names)), [shown(name, 44) for name in names])
    ax.set_ylim(max(len(names), 2) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
