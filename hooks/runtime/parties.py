"""Whose compaction policy it is: the party behind an event, its window, its policy, and where each value comes from."""

from .agents import definition_text, folders, nested
from .compaction import ask_point, resolve, size, window
from .config import read
from .tail import Reading, agent_file, last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .dispatch import Call

SINCE = (2, 1, 323)  # the first client that says whose compaction it asks about
KEY = "autoCompact"


class Party:
    """The main conversation (`agent_type` empty) or one subagent, with the policy that holds for it."""

    __slots__ = ("complaints", "governed", "model", "natural", "origin", "path", "reading", "values", "window")

    def __init__(self, call: "Call", section: "dict[str, Any]") -> None:
        agent_id = call.text("agent_id")
        main_path = call.text("transcript_path")
        self.path = agent_file(main_path, agent_id) if agent_id else main_path
        self.reading: Reading | None = last(self.path) if self.path else None
        self.model = self.reading.model if self.reading else ""
        self.window = window_of(self.model, section, main_path if agent_id else None)
        given = sources(call, section)
        self.values, self.origin, self.complaints = resolve(given, self.window[0])
        asked = [name for name, value in given if value and name not in ("main", "subagent")]
        left_alone = "haiku" in self.model and not asked
        self.governed = section.get("enabled") is True and self.values["enabled"] is True and not left_alone
        self.natural = natural_point(call.home, self.window[0])

    def limit(self, key: str) -> int:
        """One of the policy's sizes, in tokens."""
        return int(self.values[key])

    def tokens(self) -> "int | None":
        """Context of the party's next request, est.; None where nothing was read or a compaction was just made."""
        return self.reading.current() if self.reading else None


def sources(call: "Call", section: "dict[str, Any]") -> "list[tuple[str, object]]":
    """(name, mapping) of each place that may set this party's policy, the first that has a key wins."""
    agent_type = call.text("agent_type")
    if not call.text("agent_id"):
        return [("main", section.get("main"))]
    text = definition_text(agent_type, places(call, section))
    types = section.get("byAgentType")
    own = types.get(agent_type) if isinstance(types, dict) else None
    return [
        ("frontmatter", nested(text, KEY) if text else None),
        ("byAgentType", own),
        ("subagent", section.get("subagent")),
    ]


def places(call: "Call", section: "dict[str, Any]") -> "list[str]":
    """Folders of agent definitions: the project's, the user's, then `agentDirs`."""
    more = section.get("agentDirs")
    return folders(call.config.root, call.config.user) + [
        one for one in (more if isinstance(more, list) else []) if isinstance(one, str)
    ]


def window_of(model: str, section: "dict[str, Any]", main_path: "str | None" = None) -> "tuple[int, str]":
    """(window, source) of a party's model; a Claude model nobody tried takes the main conversation's."""
    tokens, source = window(model, section.get("windows"), None)
    if source == "default" and main_path:
        reading = last(main_path)
        other, known = window(reading.model, section.get("windows"), None) if reading else (tokens, source)
        return (other, "main chat") if known != "default" else (tokens, source)
    return tokens, source


def natural_point(home: str, of_window: int) -> int:
    """Where the client would ask without us: its settings before our installation, as the installer recorded them."""
    facts = (read(home + "/installed.json") or {}).get("compaction")
    before = facts if isinstance(facts, dict) else {}
    room = size(before.get("window"), of_window)
    percent = before.get("percent")
    return ask_point(min(room, of_window) if room else of_window, percent if isinstance(percent, int) else None)
