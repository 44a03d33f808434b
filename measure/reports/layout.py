"""How a table finds room on a screen: texts give way, then columns go into further parts below; no number is cut."""

from __future__ import annotations

import re
from collections.abc import Sequence

from measure.reports.model import Kind
from measure.reports.words import tail

TEXT: frozenset[Kind] = frozenset({"text", "path", "id", "time", "day", "month"})
SQUEEZED: frozenset[Kind] = frozenset({"text", "path"})
WIDE = 80  # columns of a screen on which a table stays whole as long as it can
NARROWEST, NARROWEST_IN_PARTS, FIRST_IN_PARTS = 6, 12, 24  # below WIDE a further part is better than names cut alike
GAP = 2
FIGURE = re.compile(r"[-+$]?\d[\d.,%kMB ]*((to |-)[-+$\d.,%kMB ]+)?")  # an interval, a range: never to be cut


def parts(kinds: Sequence[Kind], lines: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Columns of each part of a table, one below the other; each begins with the columns that name its rows.

    One part where the table fits `width`; a part is wider only where one column beside the naming ones is.
    """
    least = _least(kinds, lines, width)
    everything = list(range(len(kinds)))
    if _taken(least, everything) <= width:
        return [everything]
    names = [0]
    while kinds[names[-1] + 1 :] and kinds[names[-1] + 1] in TEXT:
        more = [*names, names[-1] + 1]
        if any(FIGURE.fullmatch(line[more[-1]]) for line in lines) and kinds[more[-1]] in SQUEEZED:
            break
        if _taken(least, more) > width // 2:
            break
        names = more
    out = [list(names)]
    for index in everything[len(names) :]:
        if len(out[-1]) > len(names) and _taken(least, [*out[-1], index]) > width:
            out.append(list(names))
        out[-1].append(index)
    return out


def widths(kinds: Sequence[Kind], lines: Sequence[Sequence[str]], width: int) -> list[int]:
    """Width of each column: what texts are too wide for `width` share what is left, the widest giving way first."""
    found, least = _natural(kinds, lines), _least(kinds, lines, width)
    soft = [index for index, narrow in enumerate(least) if narrow < found[index]]
    while _taken(found, range(len(found))) > width and soft:
        widest = max(soft, key=lambda index: found[index])
        found[widest] -= 1
        if found[widest] <= least[widest]:
            soft.remove(widest)
    return found


def fit(text: str, kind: Kind, width: int) -> str:
    """A text cut to its column, never inside a number: a path keeps its end, another text its beginning."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    if kind == "path":
        return tail(text, width)
    kept = set_cell_size(text, width - 1)
    inside = kept[-1:].isdigit() and text[len(kept) :][:1] in "0123456789.,"
    return (kept.rstrip("0123456789.,") if inside else kept) + "…"


def _natural(kinds: Sequence[Kind], lines: Sequence[Sequence[str]]) -> list[int]:
    from rich.cells import cell_len

    return [max(cell_len(line[index]) for line in lines) for index in range(len(kinds))]


def _least(kinds: Sequence[Kind], lines: Sequence[Sequence[str]], width: int) -> list[int]:
    """Width below which a column does not go: that of its longest number; texts give way down to a few letters."""
    out = []
    for index, wide in enumerate(_natural(kinds, lines)):
        narrowest = NARROWEST if width >= WIDE else NARROWEST_IN_PARTS if index else FIRST_IN_PARTS
        figures = max((len(line[index]) for line in lines if FIGURE.fullmatch(line[index])), default=0)
        out.append(min(wide, max(narrowest, figures)) if kinds[index] in SQUEEZED else wide)
    return out


def _taken(each: Sequence[int], columns: Sequence[int] | range) -> int:
    return sum(each[index] for index in columns) + GAP * (len(columns) - 1) + 1
