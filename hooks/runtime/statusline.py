"""The client's status line: context and limit of the main conversation, its cost, its window.

The context comes from the transcript's tail; window and cost from what the client sends. Never a sentence to a model.
"""

from .compaction import ask_point, resolve, window
from .config import Config
from .jsontext import loads
from .tail import last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SEPARATOR = " | "


def text(raw: bytes) -> str:
    """The line for one event; empty where nothing is known. Raises ValueError for bytes that are no JSON."""
    event = loads(raw)
    if not isinstance(event, dict):
        return ""
    config = Config()
    section = config.section("statusline")
    if section is not None and section.get("enabled") is not True:
        return ""
    path = event.get("transcript_path")
    reading = last(path) if isinstance(path, str) and path else None
    tokens = reading.tokens if reading else None
    model = reading.model if reading else ""
    return SEPARATOR.join([part for part in parts(event, tokens, model, config.section("compaction")) if part])


def parts(event: "dict[str, Any]", tokens: "int | None", model: str, section: "dict[str, Any] | None") -> "list[str]":
    """The line's parts; an unknown figure is left out."""
    told = field(event, "context_window", "context_window_size")
    room = told if isinstance(told, int) and told > 0 else window(model, (section or {}).get("windows"), None)[0]
    cost = field(event, "cost", "total_cost_usd")
    name = field(event, "model", "display_name") or model
    share = f" ({tokens * 100 // room}%)" if tokens is not None else ""
    return [
        name if isinstance(name, str) and name.isprintable() else model,
        f"context {'?' if tokens is None else short(tokens)} of {short(room)}{share}",
        limit_text(section, room),
        f"${cost:.2f}" if isinstance(cost, (int, float)) and not isinstance(cost, bool) else "",
    ]


def limit_text(section: "dict[str, Any] | None", room: int) -> str:
    """Where the main conversation is compacted: by our policy, else by the client."""
    if section is not None and section.get("enabled") is True:
        values = resolve([("main", section.get("main"))], room)[0]
        return f"compacts at {short(values['forceAt'])}" if values["enabled"] else ""
    return f"client compacts at {short(ask_point(room))}"


def field(event: "dict[str, Any]", group: str, key: str) -> "Any":
    """A field of one of the event's objects; None where it is missing."""
    value = event.get(group)
    return value.get(key) if isinstance(value, dict) else None


def short(tokens: int) -> str:
    """52,400 as 52k, 1,000,000 as 1.0M."""
    return (
        f"{tokens / 1e6:.1f}M" if tokens >= 999_500 else f"{(tokens + 500) // 1000}k" if tokens >= 1000 else str(tokens)
    )
