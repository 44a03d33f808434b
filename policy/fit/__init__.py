"""Limits fitted from frames. `FITS` names every fit: `build(data: Priced, options) -> Fitted`."""

from measure.reports.model import Entry

FITS: tuple[Entry, ...] = (
    Entry("returns", "policy.reports.fit_returns:build", "passTokens and fileTokens, by percentile or by cost."),
    Entry("context", "policy.reports.fit_context:build", "Context bounds and maxTurns of subagents."),
    Entry("compaction", "policy.reports.fit_compaction:build", "forceAt, nudgeFrom and nudgeEvery of each party."),
    Entry("reads", "policy.reports.fit_reads:build", "What the reads guard would have saved, by mode."),
    Entry("cache", "policy.reports.fit_cache:build", "Cache life and Bash output size."),
)
