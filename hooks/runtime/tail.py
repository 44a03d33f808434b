"""The end of a transcript: how large a thread's context is, read without reading the file.

64 kB first, doubled up to 4 MB where no answer lies in them (one huge line). Complete lines only.
"""

from time import perf_counter, sleep

from .jsontext import loads
from .paths import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

FIRST, MOST = 65_536, 4_194_304
# The client writes its transcript in batches, up to 100 ms late; a fast tool and a fast hook are there before it.
PATIENCE, NAP = 0.25, 0.015
PROMPT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
ROW_TEXTS = ("text", "thinking", "content")


class Reading:
    """The last response of a thread. `tokens` is its context; None right after a compaction (wait for the next)."""

    __slots__ = ("after", "line", "message_id", "model", "output", "tokens")

    def __init__(self, tokens: "int | None", model: str = "", output: int = 0, message_id: str = "") -> None:
        self.tokens, self.model, self.output, self.message_id = tokens, model, output, message_id
        self.line = b""
        self.after: list[bytes] = []  # the lines since that response began, newest first

    def knows(self, tool_use_id: str) -> bool:
        """Whether that call stands in the response or after it."""
        mark = f'"{tool_use_id}"'.encode()
        return mark in self.line or any(mark in line for line in self.after)

    def current(self) -> "int | None":
        """Context of the next request: the response's prompt, its answer, and est. tokens of all that came since."""
        if self.tokens is None:
            return None
        return self.tokens + self.output + sum([est_tokens(line) for line in self.after])


def agent_file(transcript_path: str, agent_id: str) -> "str | None":
    """Path of a subagent's own transcript (a workflow agent's lies one folder deeper); None while there is none."""
    if not transcript_path.endswith(".jsonl") or not agent_id or "/" in agent_id or "\\" in agent_id:
        return None
    folder = transcript_path[:-6] + "/subagents"
    name = "/agent-" + agent_id + ".jsonl"
    if is_file(folder + name):
        return folder + name
    try:
        runs = system.listdir(folder + "/workflows")
    except OSError:
        return None
    for run in runs:
        path = folder + "/workflows/" + run + name
        if is_file(path):
            return path
    return None


def is_file(path: str) -> bool:
    """Whether a regular file stands there."""
    try:
        return system.stat(path).st_mode & 0o170000 == 0o100000
    except (OSError, ValueError):
        return False


def opened(path: str) -> int:
    """A handle for reading. Raises OSError."""
    return system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0) | getattr(system, "O_NONBLOCK", 0))


def piece(handle: int, start: int, size: int) -> bytes:
    """`size` bytes from `start`; fewer where the file ends."""
    system.lseek(handle, start, 0)
    found, left = [], size
    while left > 0:
        data = system.read(handle, left)
        if not data:
            break
        found.append(data)
        left -= len(data)
    return b"".join(found)


def part(path: str, start: int, size: int) -> "tuple[bytes, int]":
    """(`size` bytes from `start`, the file's length); a negative start counts from the end. Raises OSError."""
    handle = opened(path)
    try:
        length = system.fstat(handle).st_size
        return piece(handle, max(0, length + start) if start < 0 else start, size), length
    finally:
        system.close(handle)


def tails(path: str) -> "Iterator[list[bytes]]":
    """The lines from the end, newest first, in growing portions, until the whole file or MOST bytes are given."""
    handle = opened(path)
    try:
        length = start = system.fstat(handle).st_size
        size = FIRST
        rest: list[bytes] = []  # the parts of a line that begins before the window
        while start > 0 and size <= MOST:
            before = max(0, length - size)
            data = piece(handle, before, start - before)
            start, size = before, size * 2
            first = data.find(b"\n") if before else -1
            end = data.rfind(b"\n")
            if end < 0 and before:
                rest.insert(0, data)
                continue
            newest = b"".join([memoryview(data)[end + 1 :], *rest])
            rest = [data[:first]] if before else []
            yield [newest, *reversed(data[first + 1 : end].split(b"\n"))] if end > first else [newest]
    finally:
        system.close(handle)


def row_of(line: bytes) -> "dict[str, Any]":
    """The record of a line; empty for a torn or broken one."""
    try:
        row = loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def prompt_tokens(usage: object) -> int:
    """Input, cache read and cache write of a usage object; 0 where it is none."""
    if not isinstance(usage, dict):
        return 0
    values = [usage.get(key) for key in PROMPT]
    return sum([value for value in values if isinstance(value, int) and not isinstance(value, bool) and value > 0])


def response(line: bytes) -> "Reading | None":
    """The reading of one line: a response of the API, no notice of the client's own (those are all zero)."""
    row = row_of(line)
    message = row.get("message")
    if row.get("type") != "assistant" or not isinstance(message, dict) or message.get("model") == "<synthetic>":
        return None
    usage = message.get("usage")
    tokens = prompt_tokens(usage)
    if not tokens or not isinstance(usage, dict):
        return None
    output = usage.get("output_tokens")
    model, message_id = message.get("model"), message.get("id")
    return Reading(
        tokens,
        model if isinstance(model, str) else "",
        output if isinstance(output, int) else 0,
        message_id if isinstance(message_id, str) else "",
    )


def boundary(line: bytes) -> bool:
    """Whether the line is the record of a compaction."""
    return b'"compact_boundary"' in line and row_of(line).get("subtype") == "compact_boundary"


def client_version(path: "str | None") -> "tuple[int, ...] | None":
    """The client's version as the last record of a transcript that names one has it; None where none does."""
    try:
        for lines in tails(path) if path else ():
            for line in lines:
                value = row_of(line).get("version") if b'"version"' in line[-4096:] else None
                if isinstance(value, str):
                    return tuple([int(part) if part.isdigit() else 0 for part in value.split(".")])
    except (OSError, ValueError):
        return None
    return None


def last(path: str) -> "Reading | None":
    """The last response in a transcript; None where none can be read. Never raises for a missing file."""
    since: list[bytes] = []
    try:
        for lines in tails(path):
            for index, line in enumerate(lines):
                end = line if len(line) <= FIRST else line[-FIRST:]  # usage stands behind the content
                if b'"usage"' in end and b'"assistant"' in line:
                    found = response(line)
                    if found is not None:
                        found.line = line
                        found.after = since + interleaved(lines[index:], found.message_id)
                        return found
                elif boundary(end):
                    return Reading(None)
                else:
                    since.append(line)
    except OSError:
        return None
    return None


def size_of(path: str) -> int:
    """Bytes in a file; -1 where there is none."""
    try:
        return system.stat(path).st_size
    except OSError:
        return -1


def settled(path: str, reading: "Reading | None", tool_use_id: str) -> "Reading | None":
    """The reading once the response that made this call has reached the file, or the one at hand after PATIENCE.

    None at hand: the file holds no response yet, and this call was made by the first ones.
    """
    end = perf_counter() + PATIENCE
    size = size_of(path)
    while tool_use_id and not (reading and reading.knows(tool_use_id)) and perf_counter() < end:
        sleep(NAP)
        if size_of(path) != size:
            size = size_of(path)
            reading = last(path) or reading
    return reading


def holds(path: str, call_id: str) -> bool:
    """Whether a complete line at the file's end names this call. Raises OSError."""
    return call_id.encode() in part(path, -FIRST, FIRST)[0].rpartition(b"\n")[0]


def arrived(path: str, call_id: str) -> bool:
    """Whether the response that made this call reaches the file's end within PATIENCE."""
    end = perf_counter() + PATIENCE
    while perf_counter() < end:
        if holds(path, call_id):
            return True
        sleep(NAP)
    return False


def interleaved(lines: "list[bytes]", message_id: str) -> "list[bytes]":
    """The tool results that arrived while the response was still streaming: they lie between its own lines."""
    found: list[bytes] = []
    waiting: list[bytes] = []
    mark = message_id.encode()
    for line in lines[:200]:
        if b'"assistant"' in line and b'"usage"' in line:
            if not mark or mark not in line:
                break
            found += waiting
            waiting = []
        else:
            waiting.append(line)
    return found


def est_tokens(line: bytes) -> int:
    """Est. tokens that a user or attachment record adds to the context."""
    if len(line) > FIRST:
        # parsing it would cost more than the whole rest: what the model read stands before the client's own copy
        copy = line.find(b'"toolUseResult"')
        return (copy if copy > 0 else len(line)) // 4 if b'"user"' in line else 0
    row = row_of(line)
    if row.get("type") == "attachment":
        return characters(row.get("rendered")) // 4
    message = row.get("message")
    if row.get("type") != "user" or not isinstance(message, dict):
        return 0
    return (characters(message.get("content")) + 3) // 4


def characters(value: object) -> int:
    """Characters of all text in a message's content."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return sum([characters(item) for item in value])
    if isinstance(value, dict):
        return sum([characters(value.get(key)) for key in ROW_TEXTS])
    return 0
