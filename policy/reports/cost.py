"""What it cost: by kind of token, thread kind, model, project and day; cache rebuilds; other cache lives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from measure.reports.model import Filters, Report, Show, Table
from measure.reports.rows import asked, cut
from measure.reports.words import counted, short, usd
from policy.cost import KINDS
from policy.rebuilds import THREAD, by_reason, other_ttl, rebuilds, steps
from policy.reports.money import USD, costed, extra, money_table, notes, warnings
from policy.spend import above, by, hit_ratio, over_time, total

if TYPE_CHECKING:
    from measure.frames import Frames

KEYS = ("day", "project", "model", "thread_kind")
TOKENS = {
    "input": "input_tokens",
    "cache_read": "cache_read_tokens",
    "cache_write_5m": "cache_write_5m_tokens",
    "cache_write_1h": "cache_write_1h_tokens",
    "cache_write_unknown": "cache_write_unknown_tokens",
    "output": "output_tokens",
    "web_search": "web_searches",
}
TITLES = {
    "input": "uncached input",
    "cache_read": "cache read",
    "cache_write_5m": "cache write, 5 minutes",
    "cache_write_1h": "cache write, 1 hour",
    "cache_write_unknown": "cache write, unknown life",
    "output": "output",
    "web_search": "web searches",
}
REBUILDS = (
    Show("reason"),
    Show("requests"),
    Show("rebuilt_tokens", "tokens"),
    Show("write_usd", "written for $"),
    Show("extra_usd", "over a read $"),
)
OTHER_TTL = (
    Show("thread_kind", "thread"),
    USD,
    Show("usd_5m", "all 5 minutes $", "usd"),
    Show("usd_1h", "all 1 hour $", "usd"),
)
REBUILD_MEANS = (
    "Cache rebuild: at least 2,000 tokens and a tenth of a prompt written although the request before held them; the "
    "first request of a thread or after a compaction has nothing to reuse but a shared prefix."
)
TTL_MEANS = (
    "One cache life: writes repriced, prefixes lost or kept over idle times of 5 to 60 minutes, all else as it was."
)


def rows(frames: Frames, filters: Filters) -> pl.DataFrame:
    """One row per day, project, model and thread kind, with `policy.spend.sums`: every table groups these requests."""
    return by(costed(frames, filters)[0], *KEYS)


def build(frames: Frames, filters: Filters) -> Report:
    """The report `cost`."""
    costs, prices = costed(frames, filters)
    whole = total(costs)
    thread_steps = known_steps(frames, filters, costs)
    reasons = by_reason(rebuilds(thread_steps))
    ttl = other_ttl(thread_steps)
    line = above(costs, filters.above)
    table = by(costs, *KEYS)
    return Report(
        name="cost",
        title="Cost in US dollars",
        rows=asked(table, filters),
        tables=tables(costs, whole, reasons, ttl, filters),
        totals=whole | {"cache_hit_ratio": hit_ratio(whole)},
        lead=[lead(whole, line), *warnings(costs)],
        notes=[*notes(costs, prices), *meanings(reasons, ttl), *untracked(frames)],
        extra=extra(costs, prices)
        | {
            "by_kind": by_kind(whole),
            "by_model": by(costs, "model").select("model", "usd", "requests").to_dicts(),
            "by_thread_kind": dict(by(costs, "thread_kind").select("thread_kind", "usd").iter_rows()),
            "by_project": by(costs, "project").select("project", "usd", "requests").to_dicts(),
            "by_day": over_time(costs, "day").select("day", "usd", "requests").to_dicts(),
            "above": line,
            "rebuilds": reasons.to_dicts(),
            "other_ttl": ttl.to_dicts(),
        },
        empty="No requests found.",
    )


def known_steps(frames: Frames, filters: Filters, costs: pl.DataFrame) -> pl.DataFrame:
    """`policy.rebuilds.steps` of the requests shown: what came before each may lie outside the filters."""
    if frames.unfiltered is None:
        return steps(costs)
    return steps(costed(frames.unfiltered, filters)[0]).join(costs, on=[*THREAD, "step"], how="semi", nulls_equal=True)


def lead(whole: dict[str, Any], line: dict[str, Any]) -> str:
    """The answer in one line."""
    if not whole["requests"]:
        return "$0: there are no requests."
    ratio = hit_ratio(whole)
    hits = "" if ratio is None else f"; {ratio:.1%} of all prompt tokens were read from the cache"
    if whole["usd"] is None:
        return f"No price for any of {counted(whole['requests'], 'request')}{hits}."
    share = line["usd_share"]
    size = (
        "" if share is None else f"; {share:.1%} of the money went into contexts above {short(line['context_tokens'])}"
    )
    return f"${usd(whole['usd'])} for {counted(whole['requests'], 'request')}{hits}{size}."


def tables(
    costs: pl.DataFrame, whole: dict[str, Any], reasons: pl.DataFrame, ttl: pl.DataFrame, filters: Filters
) -> list[Table]:
    """The tables for people; each adds up to the same total."""
    amount = whole["usd"]
    kinds = pl.DataFrame(
        {
            "kind": [TITLES[kind] for kind in KINDS],
            "tokens": [costs[name].sum() if costs[name].count() else None for name in (TOKENS[kind] for kind in KINDS)],
            "usd": [whole[column] for column in KINDS.values()],
        },
        schema={"kind": pl.String(), "tokens": pl.Int64(), "usd": pl.Float64()},
    ).filter((pl.col("tokens") > 0) | pl.col("usd").is_null())
    requests = Show("requests")
    threads = by(costs, "thread_kind").with_columns(hit())
    kinds_table = money_table("By kind", kinds, Show("kind"), Show("tokens", "tokens", "short"), whole=amount)
    days = over_time(costs, "day").sort("day", descending=True, nulls_last=True)
    thread = Show("thread_kind", "thread")
    found = [
        replace(kinds_table, total={"kind": "total", "usd": amount}),
        money_table("By thread", threads, thread, requests, Show("cache_hit_share", "cache hits"), whole=amount),
        money_table("By model", by(costs, "model"), Show("model"), requests, whole=amount),
        money_table("By project", cut(by(costs, "project"), filters, 10), Show("project"), requests, whole=amount),
        money_table("By day", cut(days, filters, 14), Show("day"), requests, whole=amount),
        Table("Cache rebuilds", reasons, REBUILDS),
        Table("With one cache life throughout (estimate)", ttl, OTHER_TTL),
    ]
    return [each for each in found if len(each.rows)]


def by_kind(whole: dict[str, Any]) -> dict[str, float | None]:
    """Dollars of each kind; null only when nothing could be priced, for a kind that no record names costs nothing."""
    nothing = None if whole["usd"] is None else 0.0
    return {kind: nothing if whole[column] is None else whole[column] for kind, column in KINDS.items()}


def hit() -> pl.Expr:
    """Share of prompt tokens read from the cache."""
    prompt = pl.col("input_tokens") + pl.col("cache_read_tokens") + pl.col("cache_write_tokens")
    return pl.when(prompt > 0).then(pl.col("cache_read_tokens") / prompt).alias("cache_hit_share")


def meanings(reasons: pl.DataFrame, ttl: pl.DataFrame) -> list[str]:
    """How the derived tables are meant."""
    return [REBUILD_MEANS] * bool(len(reasons)) + [TTL_MEANS] * bool(len(ttl))


def untracked(frames: Frames) -> list[str]:
    """What no transcript holds, and so no total here."""
    sessions = frames.sessions.filter(pl.col("untracked_output_tokens").is_not_null())
    names = ("input", "cache_read", "cache_write", "output")
    tokens = sum(int(sessions[f"untracked_{name}_tokens"].sum()) for name in names)
    if not tokens:
        return []
    what = "compactions and side requests that only the client's own totals know (see report compactions)"
    return [f"Not in these dollars: {short(tokens)} tokens of {what}."]
