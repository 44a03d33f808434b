"""Where extracted rows are collected before they become columns."""

from __future__ import annotations

from measure.transcripts.raw import TABLES, Row
from measure.transcripts.values import Oddities

Place = tuple[int, int, str | None, str | None, str | None, bool, str | None]


class Sink:
    """Rows by raw table, and the mending of the file that is being read (`odd`)."""

    def __init__(self, *, contents: bool = True) -> None:
        # Marks of the lines that reads brought in: a fifth of the cost of reading, for the frame `reads` alone.
        self.contents = contents
        self.rows: dict[str, list[Row]] = {table.name: [] for table in TABLES}
        self.odd = Oddities()
        # Calls of the file that is being read: "read", "launch" or "other". A call of an earlier pass is unknown.
        self.calls: dict[object, str] = {}
        # The busy tables by name: an attribute is cheaper than a look-up at every record.
        self.usage = self.rows["usage"]
        self.tool_uses = self.rows["tool_uses"]
        self.tool_results = self.rows["tool_results"]

    def add(self, table: str, place: Place, *values: object) -> None:
        """Append one row to `table`: its place, then the table's own columns in order."""
        self.rows[table].append((*place, *values))

    def size(self) -> int:
        """Number of rows that wait."""
        return sum(map(len, self.rows.values()))

    def drain(self) -> dict[str, list[Row]]:
        """The waiting rows; the sink is empty afterwards."""
        out = {name: list(rows) for name, rows in self.rows.items() if rows}
        for rows in self.rows.values():
            rows.clear()
        return out
