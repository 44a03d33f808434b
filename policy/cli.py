"""The commands of `policy`: fits, replays, prices. Heavy imports stand inside the bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from measure.commands import (
    AgentTypes,
    Csv,
    Json,
    Markdown,
    Models,
    OrSample,
    Prices,
    Projects,
    Sessions,
    Since,
    Top,
    Until,
    Zone,
)
from measure.errors import UsageError

DRIFTED = 4
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FEATURE ...] [PATH ...]",
        help="returns, context, compaction, reads, cache, and places to read, in any order. No feature: all of them.",
        show_default=False,
    ),
]
ReplayWords = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FEATURE ...] [PATH ...]",
        help="returns, context, compaction, and places to read, in any order. No feature: all of them.",
        show_default=False,
    ),
]
Method = Annotated[
    Literal["percentile", "cost"],
    typer.Option("--method", metavar="percentile|cost", help="returns: by percentile (p50, p78) or by dollars."),
]
Objective = Annotated[
    Literal["usd", "context"],
    typer.Option("--objective", metavar="usd|context", help="returns by cost: save dollars, or callers' contexts."),
]
MaxBlocked = Annotated[
    str, typer.Option("--max-blocked", metavar="SHARE", help="--objective context: block at most this share.")
]
Obey = Annotated[
    float, typer.Option("--obey", min=0, max=1, metavar="SHARE", help="context: share of agents that obey the note.")
]
Lag = Annotated[int, typer.Option("--lag", min=0, metavar="N", help="context: requests from the note to the report.")]
Rework = Annotated[
    float, typer.Option("--rework-usd", min=0, metavar="DOLLARS", help="context: dollars of rework that a stop costs.")
]
Write = Annotated[bool, typer.Option("--write", help="Write the fitted limits with their evidence to setpoint.json.")]
Scope = Annotated[
    Literal["project", "global"],
    typer.Option("--scope", metavar="project|global", help="Where --write writes: this project, or for all."),
]
Drift = Annotated[
    bool, typer.Option("--drift", help="Compare the limits in force with a fresh fit; exit code 4 if one lies outside.")
]
Pass = Annotated[int | None, typer.Option("--pass", min=1, metavar="N", help="returns: passTokens to try.")]
File = Annotated[int | None, typer.Option("--file", min=1, metavar="N", help="returns: fileTokens to try.")]
Slack = Annotated[int | None, typer.Option("--slack", min=0, metavar="N", help="returns: slackTokens to try.")]
Mode = Annotated[
    str,
    typer.Option("--mode", metavar="MODE[,MODE...]", help="returns: announce, block or shorten; several side by side."),
]
Bound = Annotated[int | None, typer.Option("--bound", min=1, metavar="N", help="context: the bound to try, all types.")]
MaxTurns = Annotated[
    int | None, typer.Option("--max-turns", min=1, metavar="N", help="context: a turn limit to try, all types.")
]
ForceAt = Annotated[str, typer.Option("--force-at", metavar="SIZE", help="compaction: forceAt to try, as 120k or 60%.")]
NudgeFrom = Annotated[str, typer.Option("--nudge-from", metavar="SIZE", help="compaction: nudgeFrom to try.")]
ListRuns = Annotated[bool, typer.Option("--list", help="List the runs that would have been acted on.")]
Grid = Annotated[bool, typer.Option("--grid", help="The trade-off over a grid of limits instead of one set.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="--grid: save the picture as FILE (.svg or .png).")
]


def fit(
    words: Words = None,
    method: Method = "percentile",
    objective: Objective = "usd",
    max_blocked: MaxBlocked = "20%",
    obey: Obey = 1.0,
    lag: Lag = 2,
    rework_usd: Rework = 0.0,
    write: Write = False,
    scope: Scope = "project",
    drift: Drift = False,
    prices: Prices = "",
    since: Since = "",
    until: Until = "",
    timezone: Zone = "local",
    project: Projects = None,
    session: Sessions = None,
    agent_type: AgentTypes = None,
    model: Models = None,
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
    or_sample: OrSample = False,
) -> None:
    """Limits from your own transcripts, each with its n and interval, and what they would have saved.

    Example: setpoint fit returns --method cost
    """
    from datetime import UTC, datetime

    from measure.reports.options import filters
    from policy import asked
    from policy.fit.options import Options
    from policy.fit.run import features_and_paths, fit_all, share
    from policy.limits import in_force
    from policy.price_file import in_force as prices_in_force

    if write and drift:
        raise UsageError("--drift only compares: leave out --write.")
    entries, paths = features_and_paths(words or [])
    form = asked.form(json=json, markdown=markdown, csv=csv, count=len(entries))
    now = datetime.now(UTC)
    options = Options(
        prices=prices_in_force(prices or None),
        force=in_force(),
        now=now,
        method=method,
        objective=objective,
        max_blocked=share(max_blocked),
        obey=obey,
        lag=lag,
        rework_usd=rework_usd,
    )
    shown = filters(
        since=since, until=until, timezone=timezone, project=project, session=session, agent_type=agent_type,
        model=model, prices=prices or None,
    )  # fmt: skip
    act = "drift" if drift else scope if write else None
    if fit_all(entries, paths, shown, options, form=form, or_sample=or_sample, act=act):
        raise typer.Exit(DRIFTED)


def replay(
    words: ReplayWords = None,
    pass_tokens: Pass = None,
    file_tokens: File = None,
    slack: Slack = None,
    mode: Mode = "",
    bound: Bound = None,
    max_turns: MaxTurns = None,
    force_at: ForceAt = "",
    nudge_from: NudgeFrom = "",
    obey: Obey = 1.0,
    lag: Lag = 2,
    list_runs: ListRuns = False,
    grid: Grid = False,
    out: Out = None,
    prices: Prices = "",
    since: Since = "",
    until: Until = "",
    timezone: Zone = "local",
    project: Projects = None,
    session: Sessions = None,
    agent_type: AgentTypes = None,
    model: Models = None,
    top: Top = None,
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
    or_sample: OrSample = False,
) -> None:
    """Past sessions under the limits in force, or those given here: who is stopped, where, what it saves and costs.

    Example: setpoint replay returns --pass 800 --file 2000 --list
    """
    from datetime import UTC, datetime

    from measure.reports.options import filters
    from policy import asked
    from policy.limits import in_force
    from policy.outfile import check_picture
    from policy.price_file import in_force as prices_in_force
    from policy.reports.replay import Options
    from policy.reports.replay_run import replay_all

    if out and not grid:
        raise UsageError("--out saves the picture of --grid: add --grid.")
    if out:
        check_picture(out)
    features, paths = asked.replayed(words or [])
    now, force = datetime.now(UTC), in_force()
    modes = asked.modes(mode)
    tried = asked.Tried(
        pass_tokens, file_tokens, slack, modes[0] if len(modes) == 1 else None, bound, force_at, nudge_from
    )
    options = Options(
        sections=asked.sections(force.sections, tried),
        environment={} if pass_tokens or file_tokens else force.environment,
        prices=prices_in_force(prices or None),
        now=now,
        features=features,
        max_turns=max_turns,
        obey=obey,
        lag=lag,
        list_runs=list_runs,
    )
    shown = filters(
        since=since, until=until, timezone=timezone, project=project, session=session, agent_type=agent_type,
        model=model, prices=prices or None, top=top,
    )  # fmt: skip
    form = asked.form(json=json, markdown=markdown, csv=csv)
    replay_all(paths, shown, options, form=form, or_sample=or_sample, grid=grid, out=out, modes=modes)


AllPrices = Annotated[bool, typer.Option("--all", help="Former prices of each model too.")]
Files = Annotated[str, typer.Option("--prices", metavar="FILE", help="Your own prices, laid over the bundled ones.")]


def prices(
    prices: Files = "",
    model: Models = None,
    all_: AllPrices = False,
    json: Json = False,
    markdown: Markdown = False,
    csv: Csv = False,
) -> None:
    """The prices in force, in US dollars per million tokens, with their source and date.

    A file of your own (TOML) replaces all prices of the models that it names:

    \b
      [[price]]
      model = "my-model"
      input = 1.0              # dollars per million tokens
      output = 5.0
      read = 0.1
      write_5m = 1.25
      write_1h = 2.0
      # and where needed: valid_from = 2026-01-31, tier_start = 200000,
      # web_search = 10.0, fast_factor = 2.0, batch_factor = 0.5

    Example: setpoint prices --model opus --all
    """
    from measure.reports.model import Filters
    from measure.reports.run import Form, write
    from policy.price_file import in_force
    from policy.reports.price_list import build

    if json + markdown + csv > 1:
        raise UsageError("--json, --markdown and --csv exclude each other: choose one.")
    form: Form = "json" if json else "markdown" if markdown else "csv" if csv else "text"
    report = build(in_force(prices or None), tuple(model or ()), former=all_)
    write([report], Filters(models=tuple(model or ()), prices=prices or None), None, form)
