"""The sentences of the compaction feature. Figures in them come from a program, never from the model."""

import sys

from .marker import CLOSE, COMMAND, OPEN
from .progress import starts_run
from .tail import FIRST, part, row_of

MOST_BRIEF = 64_000  # est. tokens of a first prompt that is seated again whole
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:\\"


def share(tokens: int, of: int) -> str:
    """A size and its share of the window."""
    return f"{tokens:,} of {of:,} tokens ({tokens * 100 // of}%)"


def quoted(path: str) -> str:
    """A path as one word of a shell command."""
    if path and all(char in PLAIN for char in path) and "\\" not in path:
        return path
    return '"' + path + '"' if "\\" in path else "'" + path.replace("'", "'\"'\"'") + "'"


def command_line(script: str, python: "str | None" = None) -> str:
    """The command with which the main conversation asks for its compaction, run by this Python or a given one."""
    return f"{quoted(python or sys.executable)} -I -S {quoted(script)} {COMMAND}"


def nudge_text(tokens: int, window: int, force: int, script: str) -> str:
    """One line: how full, of what window, where it is forced, how to ask; `script` is given for main alone."""
    head = f"Compaction note: a program counted {share(tokens, window)}; this context is compacted at {force:,}. "
    if script:
        return (
            f"{head}A person waiting comes first. To choose the moment, after a finished step, run: "
            f'{command_line(script)} "what the summary must keep"'
        )
    return (
        f"{head}To choose the moment, after a finished step, write {OPEN}what the summary must keep{CLOSE} "
        "in a response that also calls a tool. If the next answer is your last, report instead."
    )


def arm_answer(tokens: "int | None", start: int, taken: bool) -> str:
    """What the party hears about its request."""
    if taken:
        return "Compaction note: your request is taken; this context is compacted before the next request."
    size = "not known yet" if tokens is None else f"{tokens:,} tokens"
    return f"Compaction note: your request is refused: this context is {size}, and it may ask from {start:,} on. Go on."


def held_text(tokens: int, limit: int) -> str:
    """Why a compaction is held."""
    return f"held by setpoint: {tokens:,} of {limit:,} tokens"


def refused_stop() -> str:
    """What an agent hears that stopped with nothing but the marker."""
    return (
        f"Compaction note: {OPEN} alone is no report and does not compact anything. Write it in a response that also "
        "calls a tool, and go on with your task; or give your report."
    )


def brief_text(path: str) -> "tuple[str, bool]":
    """(a subagent's first prompt with a line on top, whether it is whole); empty where it cannot be read."""
    prompt = first_prompt(path)
    if not prompt:
        return "", False
    head = "Your task, word for word as it was given when this run began:\n\n"
    if (len(prompt) + 3) // 4 <= MOST_BRIEF:
        return head + prompt, True
    kept = prompt[: MOST_BRIEF * 4]
    return f"{head}{kept}\n\n[cut here: the first {len(kept):,} of {len(prompt):,} characters]", False


def first_prompt(path: str) -> str:
    """The first prompt in a subagent's transcript."""
    try:
        size = FIRST
        data, length = part(path, 0, size)
        while b"\n" not in data[:-1] or not data.strip():
            if size >= length:
                break
            size *= 4
            data, length = part(path, 0, size)
    except OSError:
        return ""
    for line in data.split(b"\n"):
        row = row_of(line)
        if not starts_run(row):
            continue
        content = row["message"]["content"]
        if isinstance(content, str):
            return content
        texts = [block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"]
        return "\n".join([text for text in texts if isinstance(text, str)])
    return ""
