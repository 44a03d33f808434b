"""`setpoint replay --grid`: what each of many limits would have done, and the trade-off as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from measure.frames import Frames
from measure.reports.model import Report, Show, Table
from policy.fit import compaction_choice, context_choice, returns_choice
from policy.fit.folds import by_session, interval
from policy.fit.inputs import Priced, arrays, priced, valued
from policy.fit.quantiles import encode
from policy.fit.runs import Thread, threads
from policy.outfile import image, write
from policy.reports.fit_compaction import reread
from policy.reports.fit_context import callers_of
from policy.reports.replay import Options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = (
    Show("feature"),
    Show("limit"),
    Show("n"),
    Show("acted"),
    Show("acted_share", "share"),
    Show("saved_usd", "saved $"),
    Show("usd_low", "95 % from", "usd"),
    Show("usd_high", "to", "usd"),
)
Row = dict[str, Any]


def build(frames: Frames, options: Options) -> tuple[Report, list[Row]]:
    """The report and its rows: for each feature the limits of a grid, from strict to none."""
    data = priced(frames, options.prices, options.now)
    own = threads(data, options.prices) if set(options.features) & {"context", "compaction"} else []
    rows: list[Row] = []
    if "returns" in options.features:
        rows += returns(data)
    if "context" in options.features:
        rows += context(context_choice.agents_only(own), data, options)
    if "compaction" in options.features:
        rows += compaction(own, data)
    report = Report(
        name="replay",
        title="The trade-off over limits (dollars: an estimate, net of what acting costs)",
        rows=rows,
        tables=[Table("Limits from strict to lax", rows, COLUMNS)],
        totals={"limits": len(rows)},
        notes=["returns: compress above the limit, announced = enforced. context: all types. compaction: all threads."],
        extra={"grid": True},
        empty="Nothing to replay.",
    )
    return report, rows


def _row(feature: str, limit: float, acted: np.ndarray, usd: np.ndarray, codes: np.ndarray) -> Row:
    sums = by_session(usd[:, None], codes, int(codes.max()) + 1)[:, 0]
    low, high = interval(sums)
    return {
        "feature": feature,
        "limit": int(limit),
        "n": len(acted),
        "sessions": len(sums),
        "acted": int(acted.sum()),
        "acted_share": float(acted.mean()),
        "saved_usd": float(usd.sum()),
        "usd_low": low,
        "usd_high": high,
    }


def returns(data: Priced) -> list[Row]:
    """Each limit of the grid as passTokens, with a compress order above it."""
    rows = valued(data)
    if not len(rows):
        return []
    own, assumed = arrays(rows), returns_choice.assumptions(data.steps)
    out = []
    for limit in returns_choice.grid(own.est, (1000,)):
        hit = own.est > limit
        net = returns_choice.effect(own, "compress", limit, assumed).net_usd * hit
        out.append(_row("returns", limit, hit, net, own.codes))
    return out


def context(runs: list[Thread], data: Priced, options: Options) -> list[Row]:
    """Each bound of the grid, one for all subagents."""
    if not runs:
        return []
    from policy.fit import context as rule

    restart = context_choice.restart_of(runs, callers_of(data)(None))
    long, codes = context_choice.extended(runs), encode([r.session for r in runs])
    bounds = [b for b in context_choice.grid(long, restart, float(rule_default())) if b < context_choice.NEVER]
    made = [rule.replay_each(r, bounds, restart, options.lag, options.obey) for r in long]
    usd, stops = np.array([m[0] for m in made]), np.array([m[1] for m in made])
    return [_row("context", bound, stops[:, j] > 0, usd[:, j], codes) for j, bound in enumerate(bounds)]


def rule_default() -> int:
    """The bound of every type without a config."""
    from hooks.runtime.context import BOUND

    return BOUND


def compaction(own: list[Thread], data: Priced) -> list[Row]:
    """Each point of a grid, one for all threads, against no compaction at all."""
    if not own:
        return []
    from policy.fit import compaction as rule

    after = compaction_choice.After(base=compaction_choice.base_of(own, own)[0], **reread(data)["values"])
    cycle, codes = compaction_choice.cycle_of(own, after), encode([t.session for t in own])
    top = max(float(t.context.max()) for t in own)
    points = [float(round(p, -3)) for p in np.geomspace(after.base + 10_000, max(top, after.base + 20_000), 12)]
    steps = [rule.Steps(t.growth, t.price, t.rate) for t in own]
    made = [rule.replay_each(s, [*points, float("inf")], after.base, cycle.k0) for s in steps]
    spent, counts = np.array([m[0] for m in made]), np.array([m[1] for m in made])
    out = []
    for j, point in enumerate(points):
        out.append(_row("compaction", point, counts[:, j] > 0, spent[:, -1] - spent[:, j], codes))
    return out


def picture(rows: list[Row]) -> Figure:
    """Net dollars saved over the limit, one panel a feature, with the interval; the share acted on below it."""
    from matplotlib.ticker import LogLocator

    from measure.plots import style

    features = list(dict.fromkeys(row["feature"] for row in rows))
    title = "What each limit would have saved"
    if not rows:
        return style.message(title, "nothing to replay")
    with style.house():
        fig = style.figure(3.2 * len(features), title, "estimate, net of what acting costs; band: 95 % over sessions")
        axes = fig.subplots(len(features), 2, squeeze=False)
        for (left, right), feature in zip(axes, features, strict=True):
            own = [row for row in rows if row["feature"] == feature]
            x = [row["limit"] for row in own]
            low = [row["usd_low"] if np.isfinite(row["usd_low"]) else row["saved_usd"] for row in own]
            high = [row["usd_high"] if np.isfinite(row["usd_high"]) else row["saved_usd"] for row in own]
            left.fill_between(x, low, high, color=style.FAINT)
            left.plot(x, [row["saved_usd"] for row in own], color=style.COLOURS[0], marker="o", markersize=3)
            left.axhline(0, color=style.QUIET, linewidth=0.8)
            left.set_ylabel(f"{feature}: net saving (USD)")
            right.plot(x, [100 * row["acted_share"] for row in own], color=style.COLOURS[2], marker="s", markersize=3)
            right.set_ylabel("acted on (%)")
            right.set_ylim(0, 102)
            for ax in (left, right):
                ax.set_xscale("log")
                ax.set_xlabel(f"limit ({'est. tokens' if feature == 'returns' else 'tokens'}), n = {own[0]['n']}")
                ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
                ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
                ax.xaxis.set_minor_formatter(lambda *_: "")
    return fig


def save(rows: list[Row], path: Path) -> None:
    """Write the picture; the ending decides the kind."""
    write(path, image(picture(rows), path.suffix.lower()))
