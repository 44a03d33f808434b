"""A transcript tree written record by record, as the client writes it, and read into frames."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from measure.frames import Frames, load

Record = dict[str, Any]


class Writer:
    """The records of one thread: each call appends one; the clock goes on a second a record, over all threads."""

    def __init__(self, path: Path, session: str, agent: str | None, clock: Iterator[int]) -> None:
        self.path, self.session, self.agent, self.clock = path, session, agent, clock
        self.cwd = "/p"
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, kind: str, **fields: Any) -> Record:
        second = next(self.clock)
        record: Record = {
            "type": kind,
            "uuid": f"u{second}",
            "timestamp": f"2026-11-30T10:{second // 60:02d}:{second % 60:02d}.000Z",
            "sessionId": self.session,
            "isSidechain": self.agent is not None,
            "cwd": self.cwd,
            "version": "2.1.332",
        }
        if self.agent is not None:
            record["agentId"] = self.agent
        record |= fields
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
        return record

    def user(self, content: str | list[Record], **fields: Any) -> Record:
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def request(self, *blocks: Record, context: int = 1000, output: int = 100, model: str = "claude-opus-5-5") -> str:
        """One response, a record a block; returns its message id."""
        message_id = f"msg_{next(self.clock)}"
        usage = {"input_tokens": 3, "cache_read_input_tokens": 0, "cache_creation_input_tokens": context - 3}
        for block in blocks or ({"type": "text", "text": "ok"},):
            body = {"id": message_id, "role": "assistant", "model": model, "content": [block]}
            self.add(
                "assistant", message=body | {"usage": usage | {"output_tokens": output}}, requestId=f"r_{message_id}"
            )
        return message_id

    def text(self, text: str, **usage: Any) -> str:
        return self.request({"type": "text", "text": text}, **usage)

    def call(self, call: str, tool: str, context: int = 1000, **given: Any) -> str:
        return self.request({"type": "tool_use", "id": call, "name": tool, "input": given}, context=context)

    def result(self, call: str, content: str | list[Record], is_error: bool | None = None, **fields: Any) -> Record:
        block: Record = {"type": "tool_result", "tool_use_id": call, "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        return self.user([block], **fields)

    def tool(self, call: str, tool: str, content: str, is_error: bool | None = None, **given: Any) -> None:
        """A call and its result."""
        self.call(call, tool, **given)
        self.result(call, content, is_error)


class Tree:
    """A config folder with one project; `main` and `agent` open its threads, `frames` reads it all."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = count(1)
        self.folder = root / "projects" / "-p"

    def main(self, session: str = "s1") -> Writer:
        return Writer(self.folder / f"{session}.jsonl", session, None, self.clock)

    def agent(self, agent: str, session: str = "s1", workflow: str | None = None, **meta: Any) -> Writer:
        folder = self.folder / session / "subagents"
        folder = folder / "workflows" / workflow if workflow else folder
        writer = Writer(folder / f"agent-{agent}.jsonl", session, agent, self.clock)
        if meta:
            (folder / f"agent-{agent}.meta.json").write_text(json.dumps(meta))
        return writer

    def frames(self) -> Frames:
        return load([self.root])


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)
