import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="setpoint: refit")


@app.cell
def imports():
    from datetime import UTC, datetime
    from pathlib import Path

    import marimo as mo

    from hooks.runtime.config import Config
    from measure.lazy import resolve
    from measure.plots.returns import returns
    from measure.reports.foot import head
    from measure.reports.model import Filters
    from measure.reports.options import zone_name
    from measure.reports.read import read
    from measure.reports.render import as_markdown
    from policy.fit import FITS
    from policy.fit.inputs import priced
    from policy.fit.options import Options
    from policy.fit.run import drift_row
    from policy.limits import drift, in_force
    from policy.marks import return_limits
    from policy.prices import load

    return (
        Config,
        FITS,
        Filters,
        Options,
        Path,
        UTC,
        as_markdown,
        datetime,
        drift,
        drift_row,
        head,
        in_force,
        load,
        mo,
        priced,
        read,
        resolve,
        return_limits,
        returns,
        zone_name,
    )


@app.cell
def place(mo):
    title = mo.md(
        "# Limits from your own data\n"
        "What `setpoint fit` proposes, with the choices that move it. Only `setpoint fit --write` writes."
    )
    folder = mo.ui.text(
        value=str(mo.cli_args().get("path") or ""),
        label="Folder or file to read (empty: your own transcripts, or the bundled sample)",
        full_width=True,
    )
    mo.vstack([title, folder])
    return (folder,)


@app.cell
def data(Filters, Path, folder, head, mo, read, zone_name):
    frames, source = read([Path(folder.value)] if folder.value else [], or_sample=True)
    mo.stop(not source.files_read, mo.md(" ".join(head(source))))
    filters = Filters(timezone=zone_name("local"))
    return filters, frames, source


@app.cell
def choose(FITS, mo):
    feature = mo.ui.dropdown(options={entry.name: entry for entry in FITS}, value="returns", label="Feature")
    method = mo.ui.radio(options=["percentile", "cost"], value="percentile", label="Returns: method")
    objective = mo.ui.radio(options=["usd", "context"], value="usd", label="Returns by cost: objective")
    obey = mo.ui.slider(0, 1, 0.05, value=1, label="Context: share of agents that obey the note", show_value=True)
    lag = mo.ui.slider(0, 10, 1, value=2, label="Context: requests from the note to the report", show_value=True)
    rework = mo.ui.number(0, 100, 0.01, value=0, label="Context: dollars of rework that a stop costs")
    mo.vstack([feature, mo.hstack([method, objective], justify="start"), obey, lag, rework])
    return feature, lag, method, obey, objective, rework


@app.cell
def options(Options, UTC, datetime, in_force, lag, load, method, obey, objective, rework):
    asked = Options(
        prices=load(),
        force=in_force(),
        now=datetime.now(UTC),
        method=method.value,
        objective=objective.value,
        obey=obey.value,
        lag=lag.value,
        rework_usd=rework.value,
    )
    return (asked,)


@app.cell
def fit(asked, feature, frames, priced, resolve):
    fitted = resolve(feature.value.target)(priced(frames, asked.prices, asked.now), asked)
    return (fitted,)


@app.cell
def show_fit(as_markdown, filters, fitted, mo, source):
    mo.md(as_markdown([fitted.report], filters, source))
    return


@app.cell
def show_drift(drift, drift_row, fitted, mo):
    against = [drift_row(each) for each in drift(fitted.limits)]
    compared = mo.ui.table(against) if against else mo.md("No limit has an interval to compare with.")
    mo.vstack([mo.md("## Against the limits in force"), compared])
    return


@app.cell
def show_returns(Config, frames, return_limits, returns):
    returns(frames.returns, return_limits(Config()))
    return


if __name__ == "__main__":
    app.run()
