import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="setpoint: explore")


@app.cell
def imports():
    from pathlib import Path

    import marimo as mo

    from hooks.runtime.config import Config
    from measure.columns import FRAMES
    from measure.lazy import resolve
    from measure.plots.context import context
    from measure.plots.growth import growth
    from measure.plots.reads import reads
    from measure.plots.returns import returns
    from measure.reports import REPORTS
    from measure.reports.foot import head
    from measure.reports.model import Filters
    from measure.reports.options import zone_name
    from measure.reports.read import read
    from measure.reports.render import as_markdown
    from policy.cost import cost
    from policy.marks import context_marks, return_limits
    from policy.plots import cost_agents, cost_days
    from policy.prices import load
    from policy.reports import REPORTS as PRICED

    return (
        Config,
        FRAMES,
        Filters,
        PRICED,
        Path,
        REPORTS,
        as_markdown,
        context,
        context_marks,
        cost,
        cost_agents,
        cost_days,
        growth,
        head,
        load,
        mo,
        read,
        reads,
        resolve,
        return_limits,
        returns,
        zone_name,
    )


@app.cell
def place(mo):
    title = mo.md(
        "# What your sessions hold\n"
        "Every table and picture here is one that `setpoint report` and `setpoint plot` make."
    )
    folder = mo.ui.text(
        value=str(mo.cli_args().get("path") or ""),
        label="Folder or file to read (empty: your own transcripts, or the bundled sample)",
        full_width=True,
    )
    mo.vstack([title, folder])
    return (folder,)


@app.cell
def data(Config, Filters, Path, cost, folder, head, load, mo, read, zone_name):
    frames, source = read([Path(folder.value)] if folder.value else [], or_sample=True)
    mo.stop(not source.files_read, mo.md(" ".join(head(source))))
    filters = Filters(timezone=zone_name("local"), top=15)
    prices, config = load(), Config()
    costs = cost(frames.requests, prices)
    return config, costs, filters, frames, prices, source


@app.cell
def choose_report(PRICED, REPORTS, mo):
    entries = {entry.name: entry for entry in (*REPORTS, *PRICED) if not entry.separate}
    report = mo.ui.dropdown(options=entries, value="overview", label="Report")
    report
    return (report,)


@app.cell
def show_report(as_markdown, filters, frames, mo, report, resolve, source):
    mo.md(as_markdown([resolve(report.value.target)(frames, filters)], filters, source))
    return


@app.cell
def choose_session(frames, mo):
    sessions = frames.sessions.sort("started", descending=True, nulls_last=True)["session_id"].to_list()
    session = mo.ui.dropdown(options=sessions, value=sessions[0] if sessions else None, label="Session")
    session
    return (session,)


@app.cell
def show_context(config, context, context_marks, frames, prices, session):
    context(frames.requests, frames.compactions, session.value, context_marks(prices, config))
    return


@app.cell
def show_returns(config, frames, return_limits, returns):
    returns(frames.returns, return_limits(config))
    return


@app.cell
def show_growth(frames, growth):
    growth(frames.requests)
    return


@app.cell
def show_reads(frames, reads):
    reads(frames.reads)
    return


@app.cell
def show_days(cost_days, costs, filters):
    cost_days(costs, filters.timezone)
    return


@app.cell
def show_agents(cost_agents, costs):
    cost_agents(costs)
    return


@app.cell
def choose_frame(FRAMES, mo):
    name = mo.ui.dropdown(options=list(FRAMES), value="requests", label="Frame")
    name
    return (name,)


@app.cell
def show_frame(FRAMES, frames, mo, name):
    words = "\n".join(f"- `{column.name}` ({column.unit or 'text'}): {column.doc}" for column in FRAMES[name.value])
    mo.vstack([frames.frame(name.value), mo.accordion({"Columns": mo.md(words)})])
    return


if __name__ == "__main__":
    app.run()
