"""Reports with money or limits. A name that `measure` has too replaces that report (the same table, more columns)."""

from measure.reports.model import Entry

REPORTS: tuple[Entry, ...] = ()
