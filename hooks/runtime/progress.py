"""Turns of an agent's current run, counted as its transcript grows: only the new lines are read at each call."""

from .tail import MOST, part, response, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ID_TAIL = 10  # characters of a message id that are kept: enough to tell a run's responses apart


def may_start_run(line: bytes) -> bool:
    """A cheap look at a line before it is parsed: most user records are tool results."""
    return b'"user"' in line and (b'"tool_use_id"' not in line or b"<fork-boilerplate>" in line)


def starts_run(row: "dict[str, Any]") -> bool:
    """Whether a user record is a prompt: what begins a run or wakes the agent up again.

    No prompt: tool results, our own and the client's notes (isMeta without an origin), a compaction's summary.
    A message of the coordinator is meta with an origin; a fork's first prompt stands beside a tool result.
    """
    message = row.get("message")
    if row.get("type") != "user" or not isinstance(message, dict) or row.get("isCompactSummary"):
        return False
    if row.get("isMeta") and not row.get("origin"):
        return False
    content = message.get("content")
    if isinstance(content, str):
        return True
    kinds = [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return "tool_result" not in kinds or fork_prompt(content)


def fork_prompt(content: object) -> bool:
    """Whether a fork's instructions stand beside the tool result it inherits."""
    texts = [block.get("text") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return any(isinstance(text, str) and text.startswith("<fork-boilerplate>") for text in texts)


def advance(path: str, seen: "dict[str, Any]") -> "tuple[dict[str, Any], bytes]":
    """`{"offset", "ids", "runs"}` after the lines that came since `seen` (empty at the first call), and those lines.

    `ids` are the distinct responses since the latest prompt, `runs` the prompts so far. A file that became
    shorter was replaced: it is counted from its start. More than 4 MB of unread lines are counted from
    their last 4 MB (a lower bound: the note then comes late, never early). Raises OSError.
    """
    offset, ids, runs = seen.get("offset"), seen.get("ids"), seen.get("runs")
    if not isinstance(offset, int) or not isinstance(ids, list) or not isinstance(runs, int):
        offset, ids, runs = 0, [], 0
    data, length = part(path, offset, MOST + 1)
    if length < offset:
        return advance(path, {})
    if length - offset > MOST:
        data, length = part(path, -MOST, MOST)
        offset = length - MOST
        cut = data.find(b"\n") + 1
        data, offset = data[cut:], offset + cut
    complete = data[: data.rfind(b"\n") + 1]
    ids = list(ids)
    for line in complete.split(b"\n"):
        if b'"usage"' in line and b'"assistant"' in line:
            found = response(line)
            key = found.message_id[-ID_TAIL:] if found else ""
            if found and key not in ids:
                ids.append(key)
        elif may_start_run(line) and starts_run(row_of(line)):
            ids, runs = [], runs + 1
    return {"offset": offset + len(complete), "ids": ids, "runs": runs}, complete
