"""The context curve of every thread of one session."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from measure.plots import style
from measure.plots.marks import Mark, Marks, no_marks
from measure.reports.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec

MOST_PANELS = 60
COLUMNS = 4
TITLE = "Context of each request"


@dataclass(frozen=True, slots=True)
class Thread:
    """One curve: `steps` (1-based request numbers), `contexts` (tokens) and where it was compacted."""

    agent_id: str | None
    agent_type: str | None
    model: str | None
    steps: list[int]
    contexts: list[int]
    segments: list[int]
    compacted_at: list[float]

    @property
    def name(self) -> str:
        return "main" if self.agent_id is None else self.agent_type or "(unknown)"

    @property
    def peak(self) -> int:
        return max(self.contexts)


def latest_session(requests: pl.DataFrame) -> str | None:
    """The session with the newest request; None where there is none."""
    last = requests.drop_nulls("session_id").group_by("session_id", maintain_order=True).agg(pl.col("ts").max())
    return str(last.sort("ts", nulls_last=False)["session_id"][-1]) if last.height else None


def threads(requests: pl.DataFrame, compactions: pl.DataFrame, session: str) -> list[Thread]:
    """Threads of `session` that have a request with a known context: main first, agents in order of their start."""
    rows = requests.filter(pl.col("session_id") == session).sort("step")
    cuts = compactions.filter(pl.col("session_id") == session)
    found: list[tuple[tuple[bool, float], Thread]] = []
    for (agent,), part in rows.group_by(["agent_id"], maintain_order=True):
        ended = cuts.filter(pl.col("agent_id").eq_missing(pl.lit(agent, pl.String)))["segment"].drop_nulls()
        at = [part.filter(pl.col("segment") <= segment).height + 0.5 for segment in ended]
        known = part.drop_nulls("context_tokens")
        if known.height:
            begun = known["ts"].min()
            order = (agent is not None, begun.timestamp() if begun is not None else math.inf)  # type: ignore[union-attr]
            found.append((order, _thread(agent, known, at)))
    return [thread for _, thread in sorted(found, key=lambda item: item[0])]


def _thread(agent: object, known: pl.DataFrame, at: list[float]) -> Thread:
    models = known["model"].drop_nulls().mode().sort()
    kinds = known["agent_type"].drop_nulls()
    return Thread(
        agent_id=None if agent is None else str(agent),
        agent_type=kinds[0] if len(kinds) else None,
        model=models[0] if len(models) else None,
        steps=(known["step"] + 1).to_list(),
        contexts=known["context_tokens"].to_list(),
        segments=known["segment"].fill_null(0).to_list(),
        compacted_at=at,
    )


def context(
    requests: pl.DataFrame,
    compactions: pl.DataFrame,
    session: str | None = None,
    marks: Marks = no_marks,
) -> Figure:
    """Context (tokens) over request number, one panel a thread of `session` (the newest without one).

    Compactions are dotted verticals with a triangle; `marks` gives the bounds and price steps of a thread.
    The main thread has its own scale, the agents share one. Beyond 60 agents the largest are shown, and it is said.
    """
    chosen = session or latest_session(requests)
    found = threads(requests, compactions, chosen) if chosen else []
    if not found:
        return style.message(TITLE, "No request with a known context here.")
    main = [thread for thread in found if thread.agent_id is None]
    agents = [thread for thread in found if thread.agent_id is not None]
    kept = sorted(agents, key=lambda thread: -thread.peak)[:MOST_PANELS]
    shown = [thread for thread in agents if thread in kept]
    return _draw(main, shown, _subtitle(chosen or "", main, agents, len(agents) - len(shown)), marks)


def _subtitle(session: str, main: list[Thread], agents: list[Thread], hidden: int) -> str:
    requests = sum(len(thread.steps) for thread in main + agents)
    text = f"session {session[:8]} · {counted(len(agents), 'agent')} · {counted(requests, 'request')}"
    if any(thread.compacted_at for thread in main + agents):
        text += " · dotted line and ▼: compaction"
    return f"{text} · {counted(hidden, 'smaller agent')} not shown" if hidden else text


def _draw(main: list[Thread], agents: list[Thread], subtitle: str, marks: Marks) -> Figure:
    rows = math.ceil(len(agents) / COLUMNS)
    heights = ([2.6] if main else []) + [1.75] * rows
    with style.house():
        fig = style.figure(sum(heights) + 0.9, TITLE, subtitle)
        grid = fig.add_gridspec(len(heights), COLUMNS, height_ratios=heights)
        if main:
            ax = fig.add_subplot(grid[0, :])
            _panel(ax, main[0], _of(main[0], marks), main[0].peak)
            ax.set_ylabel("context (tokens)")
            ax.set_xlabel("request")
        _agent_panels(fig, grid, agents, marks, first_row=len(heights) - rows)
    return fig


def _of(thread: Thread, marks: Marks) -> Sequence[Mark]:
    return marks(thread.agent_id is None, thread.agent_type, thread.model)


def _agent_panels(fig: Figure, grid: GridSpec, agents: list[Thread], marks: Marks, first_row: int) -> None:
    top = max((thread.peak for thread in agents), default=0)
    for place, thread in enumerate(agents):
        row, column = divmod(place, COLUMNS)
        ax = fig.add_subplot(grid[first_row + row, column])
        _panel(ax, thread, _of(thread, marks), top)
        ax.tick_params(labelsize=7.5)
        if column == 0:
            ax.set_ylabel("tokens", fontsize=7.5)
        else:
            ax.tick_params(labelleft=False)
        if place + COLUMNS >= len(agents):
            ax.set_xlabel("request", fontsize=7.5)


def _panel(ax: Axes, thread: Thread, marks: Sequence[Mark], top: int) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    small = thread.agent_id is not None
    for segment in sorted(set(thread.segments)):
        points = [
            (x, y) for x, y, s in zip(thread.steps, thread.contexts, thread.segments, strict=True) if s == segment
        ]
        dots = "o" if len(thread.steps) <= 40 else ""
        ax.plot(*zip(*points, strict=True), color=style.COLOURS[0], linewidth=1.4, marker=dots, markersize=2.2)
        if len(points) == 1:
            ax.plot(*zip(*points, strict=True), color=style.COLOURS[0], marker="o", markersize=3.5)
    inside = [mark for mark in marks if mark.tokens <= 2 * top]
    ceiling = 1.18 * max([top, *(mark.tokens for mark in inside)]) or 1
    ax.set_ylim(0, ceiling)
    ax.set_xlim(0.5, max([1.5, thread.steps[-1] + 0.5, *(x + 0.5 for x in thread.compacted_at)]))
    for x in thread.compacted_at:
        ax.axvline(x, color=style.QUIET, linewidth=0.9, linestyle=":")
        ax.plot([x], [ceiling * 0.97], marker="v", color=style.INK, markersize=4, clip_on=False)
    _marks(ax, inside, small=small)
    about = f"{counted(len(thread.steps), 'request')}, peak {style.thousands(thread.peak)}"
    above = [f"{mark.label} ({style.thousands(mark.tokens)})" for mark in marks if mark not in inside]
    if above and not small:
        about += f" · above this scale: {style.shown(', '.join(above), 80)}"
    name = style.shown(thread.name, 26 if small else 40)
    ax.set_title(f"{name}\n{about}" if small else f"{name} · {about}", fontsize=7.5 if small else 9.5, pad=3)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=4 if small else 12, integer=True, min_n_ticks=1))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=4 if small else 6))
    ax.yaxis.set_major_formatter(FuncFormatter(style.thousands))


def _marks(ax: Axes, inside: Sequence[Mark], *, small: bool) -> None:
    """Each line is named at its left end, where a curve is lowest."""
    from matplotlib.patheffects import withStroke

    size = 6.5 if small else 8
    for mark in inside:
        ax.axhline(mark.tokens, color=style.COLOURS[2], linewidth=1.0, linestyle=style.LINES[mark.line])
    for tokens, label in _apart(inside, 0.12 * ax.get_ylim()[1]):
        words = ax.text(
            0.01, tokens, style.shown(label, 34 if small else 90),
            transform=ax.get_yaxis_transform(), va="bottom", fontsize=size, color=style.INK,
        )  # fmt: skip
        words.set_path_effects([withStroke(linewidth=2, foreground="white")])


def _apart(marks: Sequence[Mark], least: float) -> list[tuple[int, str]]:
    """Labels with their places; lines closer than `least` tokens to each other share one label, at the highest."""
    found: list[tuple[int, str]] = []
    for mark in sorted(marks, key=lambda mark: mark.tokens):
        if found and mark.tokens - found[-1][0] < least:
            found[-1] = (mark.tokens, f"{found[-1][1]}, {mark.label}")
        else:
            found.append((mark.tokens, mark.label))
    return found
