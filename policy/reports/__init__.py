"""Reports with money or limits. A name that `measure` has too replaces that report (the same table, more columns)."""

from measure.reports.model import Entry

REPORTS: tuple[Entry, ...] = (
    Entry("sessions", "policy.reports.priced:sessions", "One line a session, with its cost."),
    Entry("agents", "policy.reports.priced:agents", "One line a thread: requests, context, total input, cost."),
    Entry("models", "policy.reports.priced:models", "Tokens and cost by model."),
    Entry("days", "policy.reports.priced:days", "Tokens and cost by day."),
    Entry("projects", "policy.reports.priced:projects", "Tokens and cost by project."),
    Entry(
        "returns", "policy.reports.carried:returns", "Sizes of what agents hand back, and what they cost the caller."
    ),
    Entry("reads", "policy.reports.carried:reads", "Files read, how often again unchanged, and what they cost."),
    Entry("tools", "policy.reports.carried:tools", "Result sizes of each tool, and which cost most."),
    Entry("compactions", "policy.reports.compactions:build", "Context before and after each compaction, and its cost."),
    Entry("cost", "policy.reports.cost:build", "What it cost, by kind, thread, model, project and day."),
    Entry("weeks", "policy.reports.periods:weeks", "Tokens and cost by week."),
    Entry("months", "policy.reports.periods:months", "Tokens and cost by month."),
    Entry("blocks", "policy.reports.periods:blocks", "Tokens and cost by 5-hour window."),
    Entry("compare", "policy.reports.compare:build", "Two places side by side: compare A B.", separate=True),
)
