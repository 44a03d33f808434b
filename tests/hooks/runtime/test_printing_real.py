"""Every Bash command of the real transcripts that counts as a print was judged by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from hooks.runtime.printing import prints

TRANSCRIPTS = Path(__file__).parents[4] / "shared" / "transcripts"
OTHER_TOOLS = {"codex", "not_claude"}

# First 12 digits of the command's SHA-256 -> the judgement. All do nothing but print lines of one file.
JUDGED = {
    "e153323f3008": "head -N of a source file, relative path",
    "119f0961a065": "head -N of a source file, absolute path",
    "82ef784197a1": "sed -n of a range of a source file",
    "7df7e3df4be0": "tail -N of the output of a finished background command, quoted Windows path",
    "e91e7affecdc": "tail -N of the output of a finished background command, quoted Windows path",
    "0b74cbcb5b55": "tail -N of a running agent's output; the lines depend on the moment, as they do with Read",
}


def commands() -> Iterator[str]:
    for path in sorted(TRANSCRIPTS.rglob("*.jsonl*")):
        if OTHER_TOOLS & set(path.parts):
            continue
        for line in path.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            message = record.get("message") if isinstance(record, dict) else None
            content: Any = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else ():
                if isinstance(block, dict) and block.get("name") == "Bash" and isinstance(block.get("input"), dict):
                    command = block["input"].get("command")
                    if isinstance(command, str):
                        yield command


@pytest.mark.shared
def test_no_command_of_the_real_transcripts_is_taken_for_a_print_by_mistake() -> None:
    every = set(commands())
    assert len(every) > 400
    taken = {sha256(command.encode("utf-8", "surrogatepass")).hexdigest()[:12] for command in every if prints(command)}
    assert taken == set(JUDGED)
