"""Reports over frames: one module a report, listed here in reading order."""

from measure.reports.model import Entry

REPORTS: tuple[Entry, ...] = (
    Entry("overview", "measure.reports.overview:build", "What was used, by model, and what was read."),
    Entry("sessions", "measure.reports.sessions:build", "One line a session."),
    Entry("agents", "measure.reports.agents:build", "One line a thread: requests, context, total input."),
    Entry("returns", "measure.reports.returns:build", "Sizes of what agents hand back, by agent type."),
    Entry("reads", "measure.reports.reads:build", "Files read, and how often again unchanged."),
    Entry("tools", "measure.reports.tools:build", "Result sizes of each tool."),
    Entry("context", "measure.reports.context:build", "How the context of each thread grew."),
    Entry("start", "measure.reports.start:build", "The first request of each thread, by agent type."),
    Entry("compactions", "measure.reports.compactions:build", "Context before and after each compaction."),
    Entry("models", "measure.reports.models:build", "Tokens by model."),
    Entry("days", "measure.reports.days:build", "Tokens by day."),
    Entry("projects", "measure.reports.projects:build", "Tokens by project."),
    Entry("hooks", "measure.reports.hooks:build", "Runs, failures and duration of every hook seen."),
)

# Names that users know from ccusage and its kin.
ALIASES: dict[str, str] = {
    "daily": "days",
    "weekly": "weeks",
    "monthly": "months",
    "session": "sessions",
    "model": "models",
    "project": "projects",
    "subagents": "agents",
}
