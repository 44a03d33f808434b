"""Reports for programs: JSON and CSV. Neither Rich nor Polars is imported here."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import cache
from typing import Any

from measure.reports.model import SCHEMA_VERSION, Filters, Report, Source, iso, plain


def envelope(report: Report, filters: Filters, source: Source | None) -> dict[str, Any]:
    """The JSON object of one report: the same keys for every report, then its own; no source, nothing about files."""
    out: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "report": report.name,
        "filters": filters.as_json(),
        "totals": report.totals,
        "rows": plain(report.rows),
    }
    return out | (_read(source) if source else {}) | report.extra


def _read(source: Source) -> dict[str, Any]:
    out: dict[str, Any] = {
        "files": {
            "read": source.files_read,
            "skipped": [{"path": path, "reason": reason} for path, reason in source.skipped],
        },
        "records": source.records,
        "horizon": source.horizon,
    }
    return out | {"sample": True} if source.sample else out


def as_json(reports: Sequence[Report], filters: Filters, source: Source | None, *, ascii_only: bool = False) -> str:
    """One object for one report; `{"schema_version", "reports": [...]}` for several."""
    objects = [envelope(report, filters, source) for report in reports]
    whole = objects[0] if len(objects) == 1 else {"schema_version": SCHEMA_VERSION, "reports": objects}
    return written(whole, ascii_only=ascii_only) + "\n"


def written(value: Any, pad: str = "\n", *, ascii_only: bool = False) -> str:
    """What `json.dumps(jsonable(value), indent=2)` writes, in a third of the time: `pad` begins the line of its end.

    With an indent the module's encoder in C is not used. A report's rows are flat, so here each is one call of it.
    """
    inner = pad + "  "
    if isinstance(value, dict) and value:
        if not any(isinstance(one, dict | list | tuple) for one in value.values()):
            return f"{{{inner}{_encoded(value, inner, ascii_only)[1:-1]}{pad}}}"
        named = {str(key): one for key, one in value.items()}
        lines = [
            f"{json.dumps(name, ensure_ascii=ascii_only)}: {written(one, inner, ascii_only=ascii_only)}"
            for name, one in named.items()
        ]
        return f"{{{inner}{(',' + inner).join(lines)}{pad}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{inner}{(',' + inner).join([written(one, inner, ascii_only=ascii_only) for one in value])}{pad}]"
    return _encoded(value, inner, ascii_only)


def _encoded(value: Any, pad: str, ascii_only: bool) -> str:
    encoded = _encoder(pad, ascii_only)
    try:
        return encoded(value if not isinstance(value, dict) or all(type(k) is str for k in value) else jsonable(value))
    except ValueError:  # a number that is none
        return encoded(jsonable(value))


@cache
def _encoder(pad: str, ascii_only: bool) -> Callable[[Any], str]:
    separators = (f",{pad}", ": ")
    encoder = json.JSONEncoder(ensure_ascii=ascii_only, allow_nan=False, separators=separators, default=_date)
    return encoder.encode


def _date(value: Any) -> Any:
    if isinstance(value, date):
        return jsonable(value)
    raise TypeError(f"a report holds a {type(value).__name__}")


def as_csv(report: Report) -> str:
    """The rows, raw: header always, unknown is empty, times UTC ISO 8601."""
    rows = plain(report.rows)
    names = list(rows[0]) if rows else _names(report)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow(["" if row[name] is None else _flat(jsonable(row[name])) for name in names])
    return out.getvalue()


def jsonable(value: Any) -> Any:
    """Dates as ISO text, what is no number as null, containers through."""
    if isinstance(value, dict):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(v) for v in value]
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _names(report: Report) -> list[str]:
    return [] if isinstance(report.rows, list) else report.rows.columns


def _flat(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
