"""How a party asks for its own compaction: the marker in a response, the command in main (pure text rules)."""

from .tail import FIRST, row_of, tails

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPEN, CLOSE = "<compact-now>", "</compact-now>"
COMMAND = "compact"
LONE = 200  # characters beside a marker up to which a message is nothing but the marker
INTERRUPTED = b"[Request interrupted by user"
MOST_FOCUS = 4000


def unquoted(text: str) -> str:
    """The text without what stands in backticks: fences first, then spans within a line."""
    kept, fenced = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            kept.append("".join(line.split("`")[::2]) if line.count("`") > 1 else line)
    return "\n".join(kept)


def focus_of(text: str) -> "str | None":
    """What stands in the last marker of a text ("" for an empty one); None without a marker that counts."""
    plain = unquoted(text)
    start = plain.rfind(OPEN)
    if start < 0:
        return None
    end = plain.find(CLOSE, start)
    return None if end < 0 else plain[start + len(OPEN) : end].strip()[:MOST_FOCUS]


def is_lone(text: str) -> bool:
    """Whether a final message is nothing but the marker, give or take a sentence."""
    if focus_of(text) is None:
        return False
    plain = unquoted(text)
    start, end = plain.rfind(OPEN), plain.rfind(CLOSE) + len(CLOSE)
    return len((plain[:start] + plain[end:]).strip()) <= LONE


def command_focus(command: object, script: str) -> "str | None":
    """The focus of a Bash command that starts our script to ask for a compaction; None for any other command."""
    if not isinstance(command, str):
        return None
    before, found, after = command.strip().partition(script)
    rest = after.lstrip("'\"").lstrip() if found else ""
    word, _, focus = rest.partition(" ")
    if word != COMMAND or any(sign in before for sign in ";|&\n"):
        return None
    focus = focus.strip()
    if focus[:1] in ("'", '"'):
        end = focus.find(focus[0], 1)
        focus = focus[1:end] if end > 0 else focus[1:]
    return focus[:MOST_FOCUS]


def texts_of(row: "dict[str, Any]") -> str:
    """The text blocks of an assistant record."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    parts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join([part for part in parts if isinstance(part, str)])


def message_id(row: "dict[str, Any]") -> str:
    """The response an assistant record belongs to."""
    message = row.get("message")
    value = message.get("id") if isinstance(message, dict) and row.get("type") == "assistant" else None
    return value if isinstance(value, str) else ""


def newest_marker(path: str, checked: str) -> "tuple[str, str, str]":
    """(newest response, response with the newest marker since `checked`, its focus); empty texts where there is none.

    Only the last 64 kB are looked at: the hook comes after every batch of the thread.
    """
    newest = asked = focus = ""
    try:
        lines = next(iter(tails(path)), [])
    except OSError:
        return "", "", ""
    for line in lines:
        if b'"assistant"' not in line or b'"usage"' not in line[-FIRST:]:
            continue
        row = row_of(line)
        name = message_id(row)
        if not name:
            continue
        if name == checked:
            break
        newest = newest or name
        found = focus_of(texts_of(row)) if b"compact-now" in line else None
        if found is not None and not asked:
            asked, focus = name, found
    return newest, asked, focus


def focus_again(path: str, asked: str, script: str) -> "str | None":
    """The focus of the response that armed the party, read from its transcript again; None where it was withdrawn.

    A person's interrupt after it withdraws it. Nothing of the text is kept by us in between.
    """
    mark = asked.encode()
    try:
        for lines in tails(path):
            for line in lines:
                if INTERRUPTED in line and interrupted(row_of(line)):
                    return None
                if mark not in line or b'"assistant"' not in line:
                    continue
                row = row_of(line)
                if message_id(row) == asked or f'"{asked}"' in str(line, "utf-8", "replace"):
                    found = focus_of(texts_of(row))
                    found = bash_focus(row, script) if found is None else found
                    if found is not None:
                        return found
    except OSError:
        return ""
    return ""


def interrupted(row: "dict[str, Any]") -> bool:
    """Whether a record says that a person interrupted the thread (and does not only quote it)."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) and row.get("type") == "user" else None
    first = (
        content[0].get("text") if isinstance(content, list) and content and isinstance(content[0], dict) else content
    )
    return isinstance(first, str) and first.startswith(INTERRUPTED.decode())


def bash_focus(row: "dict[str, Any]", script: str) -> "str | None":
    """The focus of a Bash call in an assistant record."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        given = block.get("input") if isinstance(block, dict) else None
        found = command_focus(given.get("command"), script) if isinstance(given, dict) else None
        if found is not None:
            return found
    return None
