"""The cut of an over-long report at delivery: whole lines, never inside a code fence or a table (pure).

`hooks/plugin/src/rules.ts` is the same rule for the client's worker; `tests/hooks/plugin_cases.json` runs against both.
"""

from .returns import HEAD_TAIL, est_tokens, utf16_units

TAIL_SHARE = 4  # "head+tail" keeps a fourth of the room for the end


def pointer(limit: int, size: int, path: str, lines: int) -> str:
    """The line that stands for what was cut: sizes, the file, and that it may be read."""
    long = "1 line" if lines == 1 else f"{lines} lines"
    return (
        f"[Return guard: cut to {limit} of about {size} tokens. The full report ({long}) is in {path} ; "
        "read the lines you need from it with Read, offset and limit.]"
    )


def fence(line: str) -> str:
    """The run of backticks or tildes that opens a code fence on this line; empty when none does."""
    bare = line.lstrip(" \t")
    mark = bare[:1]
    if mark not in ("`", "~") or not bare.startswith(mark * 3):
        return ""
    run = bare[: len(bare) - len(bare.lstrip(mark))]
    return "" if mark == "`" and mark in bare[len(run) :] else run


def closes(line: str, run: str) -> bool:
    """Whether the line ends the fence that `run` opened."""
    bare = line.strip(" \t\r")
    return len(bare) >= len(run) and not bare.strip(run[0])


def pieces(lines: "list[str]") -> "list[tuple[int, int]]":
    """[first, end) of what is kept or dropped as one: a line, a whole fence, a whole table."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(lines):
        end = at + 1
        run = fence(lines[at])
        if run:
            while end < len(lines) and not closes(lines[end], run):
                end += 1
            end = min(end + 1, len(lines))
        elif is_row(lines[at]) or is_ruled(lines, at):
            ruled = is_ruled(lines, at)
            while end < len(lines) and (is_row(lines[end]) or (ruled and "|" in lines[end])):
                end += 1
        found.append((at, end))
        at = end
    return found


def is_row(line: str) -> bool:
    """Whether the line is a row of a table."""
    return line.lstrip(" \t").startswith("|")


def is_ruled(lines: "list[str]", at: int) -> bool:
    """Whether the line is the head of a table that a line of dashes follows; such rows need no mark at their start."""
    if at + 1 >= len(lines) or "|" not in lines[at]:
        return False
    rule = lines[at + 1]
    return "|" in rule and "-" in rule and not rule.strip("|:- \t\r")


def fill(lines: "list[str]", parts: "list[tuple[int, int]]", room: int) -> int:
    """How many of the parts, in their order, fit into `room` UTF-16 units."""
    count = 0
    for first, end in parts:
        room -= sum([utf16_units(line) + 1 for line in lines[first:end]])
        if room < 0:
            break
        count += 1
    return count


def opening(line: str, room: int) -> str:
    """The start of a first line that is too long itself, cut at its last space."""
    for at, char in enumerate(line):
        room -= 2 if char > "\uffff" else 1
        if room < 0:
            space = line.rfind(" ", 0, at)
            return line[:space] if space > 0 else line[:at]
    return line


def shorten(text: str, limit: int, path: str, keep: str) -> "str | None":
    """What the caller gets for a report over `limit` est. tokens: its head (and tail), and the pointer line.

    None when the report fits, or would not become shorter.
    """
    if est_tokens(text) <= limit:
        return None
    note = pointer(limit, est_tokens(text), path, text.count("\n") + 1)
    lines = text.lstrip("\r\n").split("\n")
    room = limit * 4 - utf16_units(note) - 2
    parts = pieces(lines)
    # nothing but empty lines on top may be too much: then all the rest is the head
    ends = keep == HEAD_TAIL and room > 0 and fill(lines, parts, room) < len(parts)
    tail_parts = fill(lines, parts[::-1], room // TAIL_SHARE) if ends else 0
    tail = "\n".join(lines[parts[-tail_parts][0] :]) if tail_parts else ""
    left = room - utf16_units(tail) - 1 if tail else room
    count = fill(lines, parts, left)
    head = "\n".join(lines[: parts[count - 1][1]]) if count else ""
    if not head and parts[0][1] == 1 and not fence(lines[0]) and not is_row(lines[0]):
        head = opening(lines[0], left - 1)
    kept = [part for part in (head.rstrip(" \t\r\n"), note, tail) if part]
    cut = "\n\n".join(kept)
    return cut if utf16_units(cut) < utf16_units(text) else None
