"""Records as the client writes them, made by hand for one rule at a time, and files of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from measure.frames import Frames, load

SESSION = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
Record = dict[str, Any]


def usage(prompt: int = 3, output: Any = 10, read: Any = 100, written: Any = 20, **more: Any) -> Record:
    """A `usage` object; 5-minute writes only, unless `more` says otherwise."""
    parts = {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0}
    return {
        "input_tokens": prompt,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
        "output_tokens": output,
        "cache_creation": parts,
        **more,
    }


def base(kind: str, at: int, session: str = SESSION, **more: Any) -> Record:
    """The fields that all records have; `at` is the second, and the uuid unless `more` names one."""
    return {
        "type": kind,
        "uuid": f"00000000-0000-4000-8000-{at:012d}",
        "parentUuid": None,
        "timestamp": f"2026-11-02T08:{at // 60:02d}:{at % 60:02d}.000Z",
        "sessionId": session,
        "isSidechain": False,
        "cwd": "/nowhere/repo",
        "version": "2.1.332",
        **more,
    }


def assistant(at: int, message_id: Any = "msg_1", *, request: Any = "req_1", **more: Any) -> Record:
    """One assistant record. `usage`, `content`, `model` and `stop_reason` go into the message."""
    message = {
        "id": message_id,
        "role": "assistant",
        "model": more.pop("model", "claude-opus-5-5"),
        "content": more.pop("content", [{"type": "text", "text": "ok"}]),
        "stop_reason": more.pop("stop_reason", "end_turn"),
        "usage": more.pop("usage", None) or usage(),
    }
    return base("assistant", at, message=message, requestId=request, **more)


def user(at: int, content: Any = "go", **more: Any) -> Record:
    """One user record."""
    return base("user", at, message={"role": "user", "content": content}, **more)


def lines(records: list[Record | str | bytes]) -> bytes:
    """The bytes of a file; text and bytes stand as they are."""
    out = [r if isinstance(r, bytes) else (r if isinstance(r, str) else json.dumps(r)).encode() for r in records]
    return b"\n".join(out) + b"\n"


def session(root: Path, records: list[Any], name: str = SESSION, project: str = "p") -> Path:
    """A main file in a projects folder below `root`."""
    path = root / "projects" / project / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(records))
    return path


def agent(root: Path, records: list[Any], agent_id: str = "a1", name: str = SESSION, below: str = "") -> Path:
    """A subagent's file of the session `name`; `below` is a folder inside `subagents`."""
    path = root / "projects" / "p" / name / "subagents" / below / f"agent-{agent_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    for record in records:
        if isinstance(record, dict):
            record.update(isSidechain=True, agentId=agent_id)
    path.write_bytes(lines(records))
    return path


def read(root: Path, records: list[Any]) -> Frames:
    """The frames of one session with these records."""
    session(root, records)
    return load([root])


def tokens(frame: pl.DataFrame) -> tuple[int, ...]:
    """(requests, input, cache read, cache write, output)."""
    names = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    return (frame.height, *(frame[name].sum() for name in names))
