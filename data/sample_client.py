"""An imitation of the client, as far as it writes transcripts (format of 2.1.332). Used by `make_sample.py` only.

Every text is drawn from made-up syllables by a seeded generator: nothing here was ever said or read by anybody.
Tokens follow the texts: `CHARS_PER_TOKEN` characters a token, plus what the client adds unseen with each step.
"""

from __future__ import annotations

import json
import random
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

VERSION = "2.1.332"
CHARS_PER_TOKEN = 3.6
HIDDEN_TOKENS = 60
SYLLABLES = (
    "ba",
    "do",
    "ka",
    "li",
    "mo",
    "nu",
    "pe",
    "ri",
    "sa",
    "tu",
    "ve",
    "wo",
    "za",
    "fen",
    "gor",
    "lim",
    "nar",
    "vor",
)
Record = dict[str, Any]


class Made:
    """One stream of made-up ids, words and numbers; the same seed gives the same sample."""

    def __init__(self, seed: int) -> None:
        """Start a stream."""
        self.random = random.Random(seed)  # noqa: S311 - a sample, no secret

    def uuid(self) -> str:
        """A version 4 uuid from the stream."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def hex(self, prefix: str, digits: int) -> str:
        """An id such as msg_... or toolu_...."""
        return prefix + f"{self.random.getrandbits(4 * digits):0{digits}x}"

    def word(self) -> str:
        """Two or three syllables."""
        return "".join(self.random.choices(SYLLABLES, k=self.random.randint(2, 3)))

    def text(self, chars: int) -> str:
        """About `chars` characters in lines of words."""
        lines, size = [], 0
        while size < chars:
            line = " ".join(self.word() for _ in range(self.random.randint(6, 12)))
            lines.append(line)
            size += len(line) + 1
        return "\n".join(lines)[:chars].rstrip() or "ok"

    def size(self, median: float, spread: float) -> int:
        """A log-normal size."""
        return max(12, round(self.random.lognormvariate(0, spread) * median))


def utf16(text: str) -> int:
    """Length in UTF-16 units, as the client counts."""
    return len(text.encode("utf-16-le")) // 2


class Session:
    """One session: its clock, its folder, the running totals that `cost-state` records hold."""

    def __init__(self, made: Made, root: Path, cwd: str, start: datetime, *, ttl: str = "5m") -> None:
        """Make the session's folder name and ids; nothing is written before `save`."""
        self.made, self.cwd, self.now, self.ttl = made, cwd, start, ttl
        self.started = start
        self.id = made.uuid()
        self.folder = root / "".join(c if c.isalnum() else "-" for c in cwd)
        self.threads: list[Thread] = []
        self.used: dict[str, dict[str, int]] = {}
        self.extra: dict[Path, str] = {}
        self.main = Thread(self, None, "claude-opus-5-5", base=14_000)

    def tick(self, low: float = 2.0, high: float = 14.0) -> str:
        """Let some seconds pass; the time as the client writes it."""
        self.now += timedelta(seconds=round(self.made.random.uniform(low, high), 3))
        return self.stamp()

    def stamp(self) -> str:
        """The present time."""
        return self.now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def spend(self, model: str, usage: dict[str, int]) -> None:
        """Add to the running totals; requests of compactions do so without leaving a record."""
        totals = self.used.setdefault(model, dict.fromkeys(("input", "read", "write", "output"), 0))
        for key, value in usage.items():
            totals[key] += value

    def cost_state(self) -> None:
        """Write the running totals into the main file."""
        usage = {model: self._model_usage(used) for model, used in self.used.items()}
        start = round(self.started.timestamp() * 1000)
        self.main.add({"type": "cost-state", "sessionId": self.id, "startTime": start, "modelUsage": usage})

    def _model_usage(self, used: dict[str, int]) -> dict[str, int]:
        hour = used["write"] if self.ttl == "1h" else 0
        return {
            "inputTokens": used["input"],
            "outputTokens": used["output"],
            "cacheReadInputTokens": used["read"],
            "cacheCreationInputTokens": used["write"],
            "cacheCreationEphemeral5mInputTokens": used["write"] - hour,
            "cacheCreationEphemeral1hInputTokens": hour,
        }

    def save(self) -> None:
        """Write every thread and side file."""
        for thread in self.threads:
            path = thread.path()
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in thread.records)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
            if thread.meta:
                path.with_suffix(".meta.json").write_text(json.dumps(thread.meta), encoding="utf-8", newline="\n")
        for path, text in self.extra.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")


class Thread:
    """One conversation with the API: the main one, or an agent's."""

    def __init__(self, session: Session, agent_id: str | None, model: str, base: int, run: str | None = None) -> None:
        """`base`: tokens of the system prompt and tools. `run`: the workflow that the agent belongs to."""
        self.session, self.agent_id, self.model, self.run = session, agent_id, model, run
        self.base = base
        self.context, self.cached, self.last = base, 0, datetime.min.replace(tzinfo=UTC)
        self.agent_type: str | None = None
        self.meta: Record = {}
        self.records: list[Record] = []
        self.parent: str | None = None
        self.pending = 0
        session.threads.append(self)

    def path(self) -> Path:
        """Where the client keeps this thread."""
        session = self.session
        if self.agent_id is None:
            return session.folder / f"{session.id}.jsonl"
        folder = session.folder / session.id / "subagents"
        return (folder / "workflows" / self.run if self.run else folder) / f"agent-{self.agent_id}.jsonl"

    def add(self, record: Record) -> None:
        """Append a record as it is."""
        self.records.append(record)

    def row(self, kind: str, **fields: Any) -> str:
        """Append a record with the ambient fields; its uuid."""
        session = self.session
        own = session.made.uuid()
        record: Record = {"parentUuid": self.parent, "isSidechain": self.agent_id is not None}
        if self.agent_id:
            record["agentId"] = self.agent_id
        record |= {"type": kind, **fields, "uuid": own, "timestamp": session.tick(0.01, 0.4)}
        record |= {"userType": "external", "entrypoint": "sdk-cli", "cwd": session.cwd, "sessionId": session.id}
        record |= {"version": VERSION, "gitBranch": "main"}
        self.add(record)
        self.parent = own
        return own

    def queued(self, text: str) -> None:
        """A prompt or a notification passes the client's queue; every file begins with such a pair."""
        session = self.session
        record = {"type": "queue-operation", "sessionId": session.id}
        self.add(record | {"operation": "enqueue", "timestamp": session.tick(), "content": text})
        self.add(record | {"operation": "dequeue", "timestamp": session.stamp()})

    def heard(self, text: str) -> None:
        """Count a text that the next request will carry."""
        self.pending += round(utf16(text) / CHARS_PER_TOKEN)

    def user(self, text: str, **fields: Any) -> str:
        """A user turn."""
        self.heard(text)
        return self.row("user", message={"role": "user", "content": text}, **fields)

    def attach(self, attachment: Record, heard: str = "") -> None:
        """An attachment; `heard` is what the model reads of it."""
        self.heard(heard)
        self.row("attachment", attachment=attachment)

    def request(self, blocks: list[Record], output: int | None = None, stop: str | None = None) -> str:
        """One API request and its answer, one record a block; the uuid of the last record."""
        session, made = self.session, self.session.made
        session.tick(2, 20)
        usage = self._usage(blocks, output)
        ref = made.uuid()
        source = f"agent:builtin:{self.agent_type}" if self.agent_type else "sdk"
        whose = {"agentId": self.agent_id} if self.agent_id else {}
        params = {"model": self.model, "max_tokens": 32000}
        self.add({"type": "api-request", "sessionId": session.id, **whose, "id": ref, "timestamp": session.stamp(),
                  "version": VERSION, "querySource": source, "params": params})  # fmt: skip
        stop = stop or ("tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn")
        message = {"id": made.hex("msg_", 20), "type": "message", "role": "assistant", "model": self.model}
        common = {"requestId": made.hex("req_", 20), "requestRef": ref, "requestedModel": self.model,
                  "promptCacheRequested": session.ttl}  # fmt: skip
        if self.agent_type:
            common["attributionAgent"] = self.agent_type
        last = ""
        for index, block in enumerate(blocks):
            whole = message | {"content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
            last = self.row("assistant", message=whole, apiBlockIndex=index, **common)
        return last

    def _usage(self, blocks: list[Record], output: int | None) -> Record:
        session = self.session
        said = sum(utf16(json.dumps(b.get("input", b.get("text", "")), ensure_ascii=False)) for b in blocks)
        output = output or max(4, round(said / CHARS_PER_TOKEN))
        self.context += self.pending + HIDDEN_TOKENS
        life = timedelta(hours=1) if session.ttl == "1h" else timedelta(minutes=5)
        read = self.cached if session.now - self.last <= life else 0
        fresh = 3
        write = self.context - read - fresh
        session.spend(self.model, {"input": fresh, "read": read, "write": write, "output": output})
        self.cached, self.last, self.pending = self.context - fresh, session.now, 0
        result = self._api_usage(fresh, read, write, output)
        self.context += output
        return result

    def _api_usage(self, fresh: int, read: int, write: int, output: int) -> Record:
        hour = write if self.session.ttl == "1h" else 0
        return {
            "input_tokens": fresh,
            "cache_creation_input_tokens": write,
            "cache_read_input_tokens": read,
            "output_tokens": output,
            "output_tokens_details": {"thinking_tokens": 0},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "cache_creation": {"ephemeral_1h_input_tokens": hour, "ephemeral_5m_input_tokens": write - hour},
            "inference_geo": "",
            "iterations": [],
            "speed": "standard",
        }

    def result(self, tool_use_id: str, text: str, extra: Any, *, error: bool = False, **fields: Any) -> str:
        """The result of a tool call; `extra` is the toolUseResult."""
        self.heard(text)
        block = {"tool_use_id": tool_use_id, "type": "tool_result", "content": text}
        if error:
            block["is_error"] = True
        return self.row("user", message={"role": "user", "content": [block]}, toolUseResult=extra, **fields)

    def call(self, tool: str, arguments: Record, say: str = "") -> str:
        """One request that calls one tool; the call's id."""
        own = self.session.made.hex("toolu_", 22)
        blocks = [{"type": "text", "text": say}] if say else []
        self.request([*blocks, {"type": "tool_use", "id": own, "name": tool, "input": arguments}])
        return own

    def say(self, text: str) -> None:
        """A final answer."""
        self.request([{"type": "text", "text": text}])

    def compact(self, trigger: str) -> None:
        """A compaction: a request that leaves no record, a boundary, a summary."""
        session = self.session
        pre, summary = self.context, "This session is being continued from an earlier one. " + session.made.text(1500)
        post = self.base + round(utf16(summary) / CHARS_PER_TOKEN)
        session.spend(self.model, {"input": 3, "read": self.cached, "write": max(0, pre - self.cached), "output": 1200})
        session.tick(20, 40)
        before, self.parent = self.parent, None
        data = {"trigger": trigger, "preTokens": pre, "postTokens": post, "durationMs": 21_000,
                "cumulativeDroppedTokens": pre - post}  # fmt: skip
        self.row("system", subtype="compact_boundary", content="Conversation compacted", level="info",
                 logicalParentUuid=before, compactMetadata=data)  # fmt: skip
        self.context, self.cached, self.pending = post, min(self.cached, self.base), 0
        self.row(
            "user", message={"role": "user", "content": summary}, isCompactSummary=True, isVisibleInTranscriptOnly=True
        )
