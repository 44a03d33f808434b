"""What an eye would object to in a figure: text that is cut, text on text."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from measure.plots import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox


def texts(fig: Figure) -> list[tuple[str, Bbox]]:
    """Every visible text of the drawn figure with its place in pixels."""
    with style.house():
        canvas = FigureCanvasAgg(fig)
        canvas.draw()
        renderer = canvas.get_renderer()
        unseen = _ticks(fig, drawn=False)
        found = [t for t in fig.findobj(Text) if t.get_visible() and t.get_text().strip() and id(t) not in unseen]
        return [(t.get_text(), t.get_window_extent(renderer)) for t in found]


def _ticks(fig: Figure, *, drawn: bool) -> set[int]:
    """Labels of the ticks that are (not) drawn: those outside the view keep their text."""
    found: set[int] = set()
    for axes in fig.axes:
        for axis in (axes.xaxis, axes.yaxis):
            shown = {id(tick) for tick in axis._update_ticks()}
            every = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
            found |= {id(label) for t in every if (id(t) in shown) == drawn for label in (t.label1, t.label2)}
    return found


def objections(fig: Figure) -> list[str]:
    """Texts that leave the figure, and pairs that stand on each other by more than two pixels both ways."""
    edge, found = fig.bbox, texts(fig)
    said = [
        f"cut: {text}"
        for text, box in found
        if box.x0 < edge.x0 - 1 or box.y0 < edge.y0 - 1 or box.x1 > edge.x1 + 1 or box.y1 > edge.y1 + 1
    ]
    for (a, box), (b, other) in combinations(found, 2):
        wide = min(box.x1, other.x1) - max(box.x0, other.x0)
        high = min(box.y1, other.y1) - max(box.y0, other.y0)
        if wide > 2 and high > 2:
            said.append(f"covered: {a} by {b}")
    return said
