"""The reads feature at work: what each thread holds (a small file of ranges per thread), and the answer to a print.

The record holds paths as hashes, never the paths: file names are the user's.
"""

from .config import read_bytes
from .dispatch import Answer, Call
from .paths import absolute, system
from .printing import Print, prints
from .reads import (
    DENY,
    MAX_BYTES,
    OFF,
    add,
    call_text,
    holds,
    line_count,
    lines_of,
    mode_of,
    order,
    readable,
    repeat_only,
)
from .state import State, file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
MOST_FILES = 300
SPILLED = "<persisted-output>"


def key(path: str) -> str:
    """A file's name in the record: its hash."""
    return file_name(path + "\0").rpartition(".")[2]


def stamp(path: str) -> "list[int] | None":
    """Size and time of change: what tells an unchanged file; None for anything but a regular file."""
    try:
        found = system.stat(path)
    except (OSError, ValueError):
        return None
    return [found.st_size, found.st_mtime_ns] if found.st_mode & 0o170000 == 0o100000 else None


def place(call: Call, path: str) -> str:
    """The absolute path that a command in this thread's folder means."""
    return path if absolute(path) else call.text("cwd").rstrip("/") + "/" + path


def before(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """PreToolUse Bash: deny, note, or nothing."""
    given = call.event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    mode = mode_of(section)
    found = prints(command) if isinstance(command, str) and mode != OFF else ()
    if not found:
        return None
    only_repeats = repeat_only(section)
    kept = State(call.home, call.text("session_id"), call.text("agent_id")).load("reads") if only_repeats else {}
    calls, size = [], 0
    for one in found:
        path = place(call, one.path)
        if section.get("insideOnly") is True and not path.startswith(call.config.root.rstrip("/") + "/"):
            return None
        lines = shown(one, path)
        if lines is None or (only_repeats and not has(kept, path, lines[0])):
            return None
        calls.append(call_text(one, lines[1], path))
        size += lines[0][1] - lines[0][0] + 1
    row: dict[str, object] = {"decision": mode, "files": len(calls), "lines": size, "repeat": only_repeats}
    said = order(mode, calls, only_repeats)
    return Answer(deny=said, log=row) if mode == DENY else Answer(note=said, log=row)


def shown(one: Print, path: str) -> "tuple[tuple[int, int], int] | None":
    """(the range a print shows, lines of the file); None for what Read would not give as text."""
    try:
        data = read_bytes(path, MAX_BYTES)
    except (OSError, ValueError):
        return None
    count = line_count(data)
    lines = lines_of(one, count) if readable(data, path) else None
    return None if lines is None else (lines, count)


def has(kept: "dict[str, Any]", path: str, lines: "tuple[int, int]") -> bool:
    """Whether the thread holds that range of the file as it is now."""
    entry = kept.get(key(path))
    return isinstance(entry, dict) and entry.get("stamp") == stamp(path) and holds(entry.get("ranges") or [], lines)


def batch(call: Call, section: "dict[str, Any]") -> None:
    """PostToolBatch: remember what was read, forget what was edited."""
    calls = call.event.get("tool_calls")
    if mode_of(section) == OFF or not repeat_only(section) or not isinstance(calls, list):
        return
    state = State(call.home, call.text("session_id"), call.text("agent_id"))
    before_now = state.load("reads")
    kept = dict(before_now)
    for one in [each for each in calls if isinstance(each, dict)]:
        given, name = one.get("tool_input"), one.get("tool_name")
        if not isinstance(given, dict):
            continue
        if name in EDITS:
            kept.pop(key(place(call, str(given.get("file_path")))), None)
        for path, lines in held_by(name, given, one.get("tool_response")):
            remember(kept, place(call, path), lines)
    if kept != before_now:
        while len(kept) > MOST_FILES:
            del kept[next(iter(kept))]
        state.save("reads", kept)


def held_by(name: object, given: "dict[str, Any]", response: object) -> "list[tuple[str, tuple[int, int]]]":
    """(path, range) of what one call brought into the context."""
    if not isinstance(response, str) or SPILLED in response[:200]:
        return []
    if name == "Read":
        numbers = [line.partition("\t")[0].strip() for line in response.split("\n")]
        seen = [int(number) for number in numbers if number.isascii() and number.isdigit()]
        path = given.get("file_path")
        return [(path, (seen[0], seen[-1]))] if seen and isinstance(path, str) else []
    command = given.get("command") if name == "Bash" else None
    found = prints(command) if isinstance(command, str) else ()
    if len(found) != 1 or found[0].from_end is not None or not response:
        return []  # several parts: their lines cannot be told apart
    first = found[0].first_line or 1
    return [(found[0].path, (first, first + line_count(response.encode("utf-8", "replace")) - 1))]


def remember(kept: "dict[str, Any]", path: str, lines: "tuple[int, int]") -> None:
    """Add a range of a file; what was held of an older state of it is dropped."""
    now = stamp(path)
    if now is None:
        return
    entry = kept.pop(key(path), None)
    ranges = entry.get("ranges") or [] if isinstance(entry, dict) and entry.get("stamp") == now else []
    kept[key(path)] = {"stamp": now, "ranges": add(ranges, lines)}


def compacted(call: Call, _section: "dict[str, Any]") -> None:
    """SessionStart after a compaction: the thread holds nothing any more.

    Clients before 2.1.323 do not say that it was a subagent's: without an agent id every thread forgets.
    """
    if call.event.get("source") != "compact":
        return
    agent_id = call.text("agent_id")
    state = State(call.home, call.text("session_id"), agent_id)
    if not agent_id:
        state.forget_everywhere("reads")
    elif state.load("reads"):
        state.save("reads", {})
