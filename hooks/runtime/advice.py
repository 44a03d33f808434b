"""The context feature: a subagent too large, or near its turn limit, is told to report. It never blocks."""

from .agents import definition, folders
from .context import NONE, bound, decide, own_bound, report_words, text, wrap_up_before
from .dispatch import Answer, Call
from .progress import advance
from .state import State
from .tail import FIRST, Reading, agent_file, arrived, holds, last, part, response, settled
from .turns import decide as turns_due
from .turns import left, turns_left_at
from .turns import text as turns_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORK = "fork"


def batch(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """PostToolBatch (PostToolUse on older clients), inside subagents: one note a level, both notes joined."""
    agent_id, agent_type = call.text("agent_id"), call.text("agent_type")
    path = agent_file(call.text("transcript_path"), agent_id) if agent_type else None
    if path is None:
        return None
    state = State(call.home, call.text("session_id"), agent_id)
    before = state.load("context")
    kept = dict(before)
    row: dict[str, object] = {}
    notes = [size_note(path, call, section, kept, row), turns_note(path, call, section, kept, row)]
    if kept != before:
        state.save("context", kept)
    said = " ".join([note for note in notes if note])
    return Answer(note=said, log=row) if said else None


def near(reading: "Reading", section: "dict[str, Any]", agent_type: str) -> bool:
    """Whether the next response may have reached a line: then a file that is behind is waited for."""
    expected = reading.current()
    return expected is not None and 2 * expected >= bound(section, reading.model, agent_type)


def size_note(
    path: str, call: Call, section: "dict[str, Any]", kept: "dict[str, Any]", row: "dict[str, object]"
) -> str:
    """What the agent is told about its context's size; empty while there is nothing to say."""
    reading, agent_type = last(path), call.text("agent_type")
    if reading is None or near(reading, section, agent_type):
        reading = settled(path, reading, call.last_tool_use())
    if reading is None or reading.tokens is None:
        return ""
    limit = bound(section, reading.model, agent_type)
    if agent_type == FORK and "first" not in kept:
        kept["first"] = first_context(path)
    fork_first = kept.get("first")
    level = kept.get("level")
    what, kept["level"] = decide(
        reading.tokens, limit, wrap_up_before(section), level if isinstance(level, int) else 0, fork_first
    )
    if what == NONE:
        return ""
    limit = own_bound(limit, fork_first)
    row.update(decision=what, tokens=reading.tokens, limit=limit)
    return text(what, reading.tokens, limit, report_words(section))


def first_context(path: str) -> "int | None":
    """Context of a fork's own first request: its file opens with one response copied from the parent."""
    try:
        lines = part(path, 0, FIRST)[0].split(b"\n")
    except OSError:
        return None
    prompted = False
    for line in lines:
        prompted = prompted or b'"user"' in line
        found = response(line) if prompted and b'"usage"' in line else None
        if found is not None:
            return found.tokens
    return None


def turns_note(
    path: str, call: Call, section: "dict[str, Any]", kept: "dict[str, Any]", row: "dict[str, object]"
) -> str:
    """What the agent is told about its turn limit; empty for an agent without one."""
    max_turns = turn_limit(call, section)
    at = turns_left_at(section)
    if max_turns is None or not at:
        return ""
    seen = kept.get("turns")
    call_id = call.last_tool_use()
    kept["turns"], turns, written = counted(path, seen if isinstance(seen, dict) else {}, call_id)
    if not written and turns_due(turns, max_turns, at + 2, False) and arrived(path, call_id):
        # an earlier response, or a prompt that starts the turns over, may have been missing too
        kept["turns"], turns, written = counted(path, kept["turns"], call_id)
    run = kept["turns"]["runs"]
    if not turns_due(turns, max_turns, at, kept.get("turnsNoted") == run):
        return ""
    kept["turnsNoted"] = run
    rest = left(turns, max_turns) or 0
    row.update(turns=turns, maxTurns=max_turns)
    row.setdefault("decision", "turns")
    return turns_text(rest, max_turns, report_words(section))


def counted(path: str, seen: "dict[str, Any]", call_id: str) -> "tuple[dict[str, Any], int, bool]":
    """The count so far, the turns with this batch's own response, and whether that one has reached the file."""
    written = holds(path, call_id)
    now, data = advance(path, seen)
    written = written or call_id.encode() in data
    return now, len(now["ids"]) + (0 if written else 1), written


def turn_limit(call: Call, section: "dict[str, Any]") -> "int | None":
    """maxTurns of the agent's definition: the project's, the user's, then those of `agentDirs`."""
    more = section.get("agentDirs")
    places = folders(call.config.root, call.config.user) + [
        place for place in (more if isinstance(more, list) else []) if isinstance(place, str)
    ]
    value = (definition(call.text("agent_type"), places) or {}).get("maxTurns")
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and int(value) else None
