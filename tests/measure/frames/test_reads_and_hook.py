"""What the frame calls held and what the reads hook acts on, over the same random threads: one rule, two witnesses.

The hook sees the file itself (size and time of change), the frame only the lines that came. So the hook never acts
on a print whose lines the frame does not call held; and where only the thread changes the file, both say the same.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from hooks.runtime import rereads
from hooks.runtime.config import Config
from hooks.runtime.dispatch import Call

SECTION = {"enabled": True, "mode": "deny"}


class Thread:
    """One thread at work on one file: each act changes the file, tells the hook, and is written down."""

    def __init__(self, tree: Any, folder: Path, random: Random) -> None:
        self.main, self.folder, self.random = tree.main(), folder, random
        self.main.cwd = str(folder)
        self.path = folder / "f.txt"
        self.lines = [f"line {number}" for number in range(1, 41)]
        self.clock = 0
        self.acted: list[bool] = []
        self.save()

    def save(self) -> None:
        self.path.write_text("".join(line + "\n" for line in self.lines))
        self.clock += 1
        os.utime(self.path, ns=(self.clock * 10**9, self.clock * 10**9))

    def hook(self, **event: Any) -> Call:
        base = {"session_id": "s1", "cwd": str(self.folder), "agent_id": ""}
        return Call(str(self.folder / "home"), base | event, Config(str(self.folder), str(self.folder / "user")))

    def happened(self, tool: str, given: dict[str, Any], text: str) -> None:
        self.main.tool(f"t{next(self.main.clock)}", tool, text, **given)
        calls = [{"tool_name": tool, "tool_input": given, "tool_response": text}]
        rereads.batch(self.hook(tool_calls=calls), SECTION)

    def range(self) -> tuple[int, int]:
        first = self.random.randint(1, len(self.lines))
        return first, min(len(self.lines), first + self.random.randint(0, 15))

    def read(self) -> None:
        given: dict[str, Any] = {"file_path": str(self.path)}
        first, last = 1, len(self.lines)
        if self.random.random() < 0.7:
            first, last = self.range()
            given |= {"offset": first, "limit": last - first + 1}
        text = "\n".join(f"{number}\t{self.lines[number - 1]}" for number in range(first, last + 1))
        self.happened("Read", given, text if "offset" in given else text + f"\n{last + 1}\t")

    def print(self) -> None:
        first, last = self.range()
        command, start, end = self.random.choice(
            [
                ("cat f.txt", 1, len(self.lines)),
                (f"sed -n '{first},{last}p' f.txt", first, last),
                (f"sed -n {first}p f.txt", first, first),
                (f"head -n {last} f.txt", 1, last),
                (f"tail -n +{first} f.txt", first, len(self.lines)),
            ]
        )
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
        self.acted.append(rereads.before(self.hook(**event), SECTION) is not None)
        self.happened("Bash", {"command": command}, "\n".join(self.lines[start - 1 : end]))

    def edit(self) -> None:
        at = self.random.randrange(len(self.lines))
        self.lines[at] += " edited"
        self.save()
        self.happened("Edit", {"file_path": str(self.path)}, "The file has been updated.")

    def change_outside(self) -> None:
        if self.random.random() < 0.5:
            self.lines[self.random.randrange(len(self.lines))] += " changed"
        else:
            self.lines.append(f"line {len(self.lines) + 1} added")
        self.save()

    def compact(self) -> None:
        self.main.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
        rereads.compacted(self.hook(source="compact"), SECTION)


def live(tree: Any, folder: Path, seed: int, acts: dict[str, int]) -> tuple[list[bool], list[bool]]:
    """(what the hook acted on, what the frame calls held) of the prints of one random thread, in order."""
    random = Random(seed)
    thread = Thread(tree, folder, random)
    for act in random.choices(list(acts), weights=list(acts.values()), k=40):
        getattr(thread, act)()
    reads = tree.frames().reads.filter(pl.col("via") == "Bash")
    return thread.acted, reads["repeat"].is_in(["same", "contained"]).to_list()


@pytest.mark.parametrize("seed", range(5))
def test_hook_and_frame_agree_where_only_the_thread_changes_the_file(tree: Any, tmp_path: Path, seed: int) -> None:
    acted, held = live(tree, tmp_path, seed, {"read": 5, "print": 8, "edit": 2, "compact": 1})
    assert acted == held
    assert acted


@pytest.mark.parametrize("seed", range(8, 13))
def test_the_hook_acts_on_nothing_that_the_frame_does_not_call_held(tree: Any, tmp_path: Path, seed: int) -> None:
    acted, held = live(tree, tmp_path, seed, {"read": 5, "print": 8, "edit": 1, "change_outside": 2, "compact": 1})
    assert len(acted) == len(held)
    assert all(one <= other for one, other in zip(acted, held, strict=True))
