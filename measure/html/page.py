"""The page as one string: template, styles, scripts and data in one file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measure.html.tables import Section


@dataclass(frozen=True, slots=True)
class Page:
    """What the page shows. `lead` and `figures` stand at its head; `days` the dollars per period and kind."""

    title: str
    made: datetime
    zone: str
    lead: Sequence[str]
    figures: Sequence[tuple[str, str]]
    sections: Sequence[Section]
    curves: Sequence[dict[str, Any]]
    curves_note: str
    days: dict[str, Any] | None
    source: Sequence[str]


def asset(name: str) -> str:
    """A file beside this module, as text."""
    return files("measure.html").joinpath(name).read_text(encoding="utf-8")


def render(page: Page) -> str:
    """The page. Its content policy allows the two scripts in it, by their hashes, and no connection at all."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    scripts = [asset("vendor/uPlot.iife.min.js"), asset("page.js")]
    return environment.from_string(asset("page.html.j2")).render(
        page=page,
        made=page.made.astimezone(ZoneInfo(page.zone)).strftime("%Y-%m-%d %H:%M"),
        styles=[asset("vendor/uPlot.min.css"), asset("page.css")],
        scripts=scripts,
        policy="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"script-src {' '.join(map(_hash, scripts))}",
        data=_embedded({"zone": page.zone, "sessions": page.curves, "days": page.days}),
        notice=asset("vendor/uPlot.LICENSE"),
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end its script element, whatever a name holds."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char, escape in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        text = text.replace(char, escape)
    return text
