import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="setpoint: compare")


@app.cell
def imports():
    from datetime import UTC, datetime, time
    from pathlib import Path

    import marimo as mo

    from measure.plots.growth import growth
    from measure.plots.returns import returns
    from measure.reports.foot import head
    from measure.reports.model import Filters
    from measure.reports.options import zone_name
    from measure.reports.read import read
    from measure.reports.render import as_markdown
    from measure.reports.select import select
    from policy.plots import cost_agents
    from policy.reports.compare import build as compare
    from policy.reports.cost import build
    from policy.reports.money import costed

    return (
        Filters,
        Path,
        UTC,
        as_markdown,
        build,
        compare,
        cost_agents,
        costed,
        datetime,
        growth,
        head,
        mo,
        read,
        returns,
        select,
        time,
        zone_name,
    )


@app.cell
def place(mo):
    title = mo.md(
        "# Before and after a day\nThe same sums and pictures on both sides, for example around an installation."
    )
    folder = mo.ui.text(
        value=str(mo.cli_args().get("path") or ""),
        label="Folder or file to read (empty: your own transcripts, or the bundled sample)",
        full_width=True,
    )
    mo.vstack([title, folder])
    return (folder,)


@app.cell
def data(Path, folder, head, mo, read):
    frames, source = read([Path(folder.value)] if folder.value else [], or_sample=True)
    mo.stop(not source.files_read, mo.md(" ".join(head(source))))
    return frames, source


@app.cell
def choose_day(UTC, datetime, frames, mo):
    middle = frames.requests["ts"].median() or datetime.now(UTC)
    day = mo.ui.date(value=middle.date(), label="First day of the second part (UTC)")
    day
    return (day,)


@app.cell
def parts(Filters, UTC, datetime, day, frames, select, time, zone_name):
    border = datetime.combine(day.value, time(), UTC)
    earlier = Filters(until=border, timezone=zone_name("local"))
    later = Filters(since=border, timezone=zone_name("local"))
    before, after = select(frames, earlier), select(frames, later)
    return after, before, earlier, later


@app.cell
def show_comparison(after, as_markdown, before, compare, earlier, mo):
    mo.md(as_markdown([compare([before, after], earlier)], earlier, None))
    return


@app.cell
def show_costs(after, as_markdown, before, build, earlier, later, mo):
    sides = {"before": as_markdown([build(before, earlier)], earlier, None)}
    sides["after"] = as_markdown([build(after, later)], later, None)
    mo.ui.tabs({name: mo.md(text) for name, text in sides.items()})
    return


@app.cell
def show_shares(after, before, cost_agents, costed, earlier, later, mo):
    mo.vstack([cost_agents(costed(before, earlier)[0]), cost_agents(costed(after, later)[0])])
    return


@app.cell
def show_growth(after, before, growth, mo):
    mo.vstack([growth(before.requests), growth(after.requests)])
    return


@app.cell
def show_returns(after, before, mo, returns):
    mo.vstack([returns(before.returns), returns(after.returns)])
    return


if __name__ == "__main__":
    app.run()
