"""A scripted Messages API on loopback: what the client under test talks to.

A script is plain data: `{"threads": {"main": [turn, ...], "sub": [turn, ...]}}`. A request belongs to the thread
whose mark `[[name]]` stands in its first user message (put the mark into every prompt; scripted summaries carry it on).
A thread's requests take its turns in order; past the last one they are answered "Done.".

A turn, every key optional:
    text       str, or a list of str (several text blocks)
    tools      [[name, input], ...]; "{AGENT}" in an input string becomes the last agent id the thread was told
    handback   str: handed back with the SubagentHandback tool where the client offers it, else the final text
    context    prompt tokens to report (what the thread had before counts as cache read); default: characters / 4
    output     output tokens to report; default: characters / 4
    error      {"status": 400, "type": "...", "message": "..."} instead of an answer
    delay      seconds before the answer
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MARK = re.compile(r"\[\[([\w.-]+)\]\]")
AGENT = re.compile(r"agentId: (a[0-9a-f]{16})")
SUMMARY_ASKED = "Your task is to create a detailed summary"

Json = dict[str, Any]


def text_of(content: Any) -> str:
    """All text of a message's content, tool results included."""
    if isinstance(content, str):
        return content
    parts = [block.get("text") or text_of(block.get("content")) for block in content or []]
    return "\n".join(part for part in parts if part)


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False)) // 4


class Script:
    """The turns, how far each thread has come, and the log of requests (whole bodies, no headers)."""

    def __init__(self, threads: dict[str, list[Json]], log: Path) -> None:
        self.threads, self.log = threads, log
        self.served: dict[tuple[str | None, str], int] = {}
        self.context: dict[str | None, int] = {}
        self.known: dict[tuple[str | None, str | None], str] = {}
        self.lock = threading.Lock()

    def thread(self, body: Json, who: tuple[str | None, str | None]) -> str | None:
        users = [m for m in body["messages"] if m["role"] == "user"]
        marks = MARK.findall(text_of(users[0]["content"])) if users else []
        if marks:
            # the interactive client quotes the person's request to a workflow's agent, before its prompt
            self.known[who] = marks[-1] if who[1] else marks[0]
        return self.known.get(who)

    @staticmethod
    def kind(body: Json) -> str:
        """summary: a compaction asks; turn: a step of a thread; side: titles, probes."""
        users = [m for m in body["messages"] if m["role"] == "user"]
        if users and SUMMARY_ASKED in text_of(users[-1]["content"]):
            return "summary"
        return "turn" if body.get("tools") else "side"

    def answer(self, body: Json, who: tuple[str | None, str | None]) -> tuple[Json, Json]:
        """(log entry, turn) for a request."""
        kind = self.kind(body)
        with self.lock:
            thread = self.thread(body, who)
            index = self.served.get((thread, kind), 0)
            self.served[thread, kind] = index + 1
            if kind == "side":
                turn: Json = {"text": '{"title": "A title"}'}
            elif kind == "summary":
                turn = {"text": f"<analysis>a</analysis>\n<summary>\n[[{thread}]] A summary.\n</summary>"}
            else:
                turns = self.threads.get(thread or "", [])
                turn = turns[index] if index < len(turns) else {"text": "Done."}
            entry = {"thread": thread, "kind": kind, "index": index, "session_id": who[0], "agent_id": who[1]}
            entry |= {"model": body.get("model"), "usage": self.usage(body, turn, kind, thread), "at": time.time()}
            with self.log.open("a", encoding="utf-8") as out:
                out.write(json.dumps(entry | {"body": body}, ensure_ascii=False) + "\n")
        return entry, turn

    def usage(self, body: Json, turn: Json, kind: str, thread: str | None) -> Json:
        total = turn.get("context", size([body.get("system"), body.get("tools"), body["messages"]]))
        before = min(self.context.get(thread, 0), total)
        written = max(total - before - 3, 0)
        if kind != "side" and not turn.get("error"):
            self.context[thread] = 0 if kind == "summary" else total
        return {
            "input_tokens": total - before - written,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": before,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": turn.get("output", max(size(blocks(turn, body)), 1)),
            "service_tier": "standard",
        }


def blocks(turn: Json, body: Json) -> list[Json]:
    """The content blocks of an answer."""
    texts = turn.get("text", [])
    tools = turn.get("tools", [])
    if "handback" in turn:
        offered = any(tool.get("name") == "SubagentHandback" for tool in body.get("tools", []))
        tools, texts = (
            ([["SubagentHandback", {"message": turn["handback"]}]], []) if offered else ([], turn["handback"])
        )
    found = [{"type": "text", "text": text} for text in ([texts] if isinstance(texts, str) else texts)]
    for name, value in tools:
        told = AGENT.findall(json.dumps(body["messages"])) if "{AGENT}" in json.dumps(value) else []
        filled = {
            key: item.replace("{AGENT}", told[-1]) if told and isinstance(item, str) else item
            for key, item in value.items()
        }
        found.append({"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:22]}", "name": name, "input": filled})
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, *args: Any) -> None:
        """Silence: the request log is the record."""

    def reply(self, status: int, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def nothing_here(self) -> None:
        self.reply(404, {"type": "error", "error": {"type": "not_found_error", "message": "no such path"}})

    def do_HEAD(self) -> None:
        self.nothing_here()

    def do_GET(self) -> None:
        self.nothing_here()

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path.split("?")[0] != "/v1/messages":
            self.nothing_here()
            return
        body = json.loads(raw)
        who = (self.headers.get("x-claude-code-session-id"), self.headers.get("x-claude-code-agent-id"))
        entry, turn = self.script.answer(body, who)
        time.sleep(turn.get("delay", 0))
        if turn.get("error"):
            error = {"type": turn["error"]["type"], "message": turn["error"]["message"]}
            self.reply(turn["error"]["status"], {"type": "error", "error": error})
            return
        content = blocks(turn, body)
        stop = "tool_use" if any(block["type"] == "tool_use" for block in content) else "end_turn"
        message = {"id": f"msg_{uuid.uuid4().hex[:20]}", "type": "message", "role": "assistant", "model": body["model"]}
        message |= {"content": content, "stop_reason": stop, "stop_sequence": None, "usage": entry["usage"]}
        if body.get("stream"):
            self.stream(message)
        else:
            self.reply(200, message)

    def stream(self, message: Json) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("request-id", f"req_{uuid.uuid4().hex[:20]}")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        start = message | {"content": [], "stop_reason": None, "usage": message["usage"] | {"output_tokens": 1}}
        self.event("message_start", message=start)
        for index, block in enumerate(message["content"]):
            if block["type"] == "text":
                empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty = block | {"input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            self.event("content_block_start", index=index, content_block=empty)
            self.event("content_block_delta", index=index, delta=delta)
            self.event("content_block_stop", index=index)
        end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        self.event("message_delta", delta=end, usage=message["usage"])
        self.event("message_stop")

    def event(self, name: str, **data: Any) -> None:
        try:
            self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode())
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            """The client went away: a test that interrupts it."""


def serve(threads: dict[str, list[Json]], log: Path) -> ThreadingHTTPServer:
    """The server, started, on a free port of loopback."""
    handler = type("ScriptHandler", (Handler,), {"script": Script(threads, log)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
