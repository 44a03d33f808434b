"""A corpus of any size, written like the client writes: seeded, no text from anywhere, no two responses alike.

Shares follow the public transcripts: tool results and their second copy in `toolUseResult` make half to two thirds of
the bytes, answers a fifth, two fifths of the results' bytes are Read's, a third of the calls are Bash, three commands
in a hundred only print a file, one response stands in one to three records, one session in five has subagents, one in
ten is compacted, one in twenty is a fork that copies its original's records; two bytes in a hundred are escapes, one
belongs to a character beyond ASCII. The keys of the records are those of the real client, in its order, nulls
included (`stop_sequence` is null in 99 of 100 real answers, and a reader may have a shorter way where it is missing):
half of the sessions are of a client that also writes what it sent (`api-request`), half of one that does not yet.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
WORDS = ("alpha", "beta", "value", "index", "total", "return", "count", "limit", "frame", "column", "reader", "token")
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5")
TOOLS = {"Bash": 33, "Read": 20, "Edit": 25, "Write": 6, "Grep": 16}
COMMANDS = (
    "uv run pytest -q tests/test_{0}.py",
    "git diff --stat HEAD~{0}",
    "grep -rn value src | head -{0}",
    "make part{0}",
)
VERSION = 3  # of what is written: a folder of corpora that is kept holds each under a name of its own


class Maker:
    """Writes sessions below `root` until `size` bytes stand there."""

    def __init__(self, root: Path, seed: int = 7) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.number = 0
        self.time = START
        # Lines of the pool are JSON-escaped already: most of the work of writing is joining them.
        self.pool = [" ".join(self.random.choices(WORDS, k=self.random.randint(3, 18))) for _ in range(5000)]
        for at in range(0, len(self.pool), 5):
            self.pool[at] = self.pool[at].replace("value", '\\"value\\"', 2)
        for at in range(3, len(self.pool), 12):
            self.pool[at] = "│ " + self.pool[at].replace("frame", "→ naïve", 2).replace("count", "✓", 1)
        self.new = False  # the session is of a client that writes `api-request`

    def fill(self, size: int) -> int:
        """Returns the bytes written."""
        written = 0
        while written < size:
            written += self.session(size - written)
        return written

    def session(self, room: int) -> int:
        """One session with what belongs to it; about `room` bytes at most where that is little."""
        draw = self.random
        identity = self._id()
        project = self.root / "projects" / f"-work-project-{draw.randint(1, 12)}"
        project.mkdir(parents=True, exist_ok=True)
        self.time += timedelta(minutes=draw.randint(5, 240))
        self.new = draw.random() < 0.5
        turns = max(2, min(int(draw.lognormvariate(4.3, 0.8)), room // 8_000 + 2))
        lines = self.thread(identity, None, turns, project.name)
        size = self._write(project / f"{identity}.jsonl", lines)
        if draw.random() < 0.2:
            for _ in range(draw.randint(1, 4)):
                size += self._agent(project / identity / "subagents", identity, project.name)
        if draw.random() < 0.05:
            fork = self._id()
            copied = [line.replace(identity, fork) for line in lines if '"uuid"' in line]
            own = self.thread(fork, None, 5, project.name)
            size += self._write(project / f"{fork}.jsonl", own[:1] + copied + own[1:])
        return size

    def thread(self, session: str, agent: str | None, turns: int, slug: str) -> list[str]:
        """The records of one conversation."""
        lines = [self._plain("queue-operation", session, '"operation":"enqueue"')] if agent is None else []
        context = self.random.randint(8_000, 20_000)
        model = self.random.choice(MODELS)
        compact_at = turns // 2 if self.random.random() < 0.1 else -1
        for turn in range(turns):
            if turn == compact_at:
                data = f'"subtype":"compact_boundary","compactMetadata":{{"trigger":"auto","preTokens":{context}}}'
                lines.append(self._line("system", session, agent, slug, data))
                context = 6_000
            if turn % 3 == 0:
                prompt = self._text(int(min(self.random.lognormvariate(6.8, 1.7), 60_000)))
                asked = f'"promptId":"{self._id()}","type":"user","message":{{"role":"user","content":"{prompt}"}}'
                lines.append(self._line("", session, agent, slug, asked))
            fresh = self.random.randint(200, 4_000)
            lines += self.response(session, agent, slug, model, context, fresh)
            context += fresh
        return lines

    def response(self, session: str, agent: str | None, slug: str, model: str, context: int, fresh: int) -> list[str]:
        """The records of one response and of the result of its tool call."""
        draw = self.random
        message, request, call = f"msg_{self._hex(20)}", f"req_{self._hex(20)}", f"toolu_{self._hex(24)}"
        output = draw.randint(20, 900)
        tool = draw.choices(tuple(TOOLS), tuple(TOOLS.values()))[0]
        target = f"/work/project/src/file_{draw.randint(1, 200)}.py"
        command = f"cat {target}" if draw.random() < 0.03 else draw.choice(COMMANDS).format(draw.randint(1, 99))
        given = f'"command":"{command}"' if tool == "Bash" else f'"file_path":"{target}"'
        if tool in {"Edit", "Write"}:
            given += f',"content":"{self._text(draw.randint(200, 3_000))}"'
        blocks = [f'{{"type":"tool_use","id":"{call}","name":"{tool}","input":{{{given}}}}}']
        if draw.random() < 0.5:
            blocks.insert(0, f'{{"type":"text","text":"{self._text(draw.randint(40, 600))}"}}')
        if draw.random() < 0.3:
            thought = f'{{"type":"thinking","thinking":"{self._text(300)}","signature":"{self._hex(300)}"}}'
            blocks.insert(0, thought)
        ref = self._id()
        lines = [self._sent(session, agent, ref, model)] if self.new else []
        kept = f'"requestRef":"{ref}","requestedModel":"{model}","promptCacheRequested":"5m",' if self.new else ""
        for index, block in enumerate(blocks):
            last = index == len(blocks) - 1
            shown = output if last or agent is None else 1
            usage = (
                f'"input_tokens":3,"cache_creation_input_tokens":{fresh},"cache_read_input_tokens":{context},'
                f'"output_tokens":{shown},"server_tool_use":{{"web_search_requests":0,"web_fetch_requests":0}},'
                f'"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":0,'
                f'"ephemeral_5m_input_tokens":{fresh}}},"inference_geo":"","iterations":[],"speed":"standard"'
            )
            body = (
                f'"message":{{"id":"{message}","type":"message","role":"assistant","model":"{model}",'
                f'"content":[{block}],"stop_reason":"tool_use","stop_sequence":null,"usage":{{{usage}}},'
                f'"stop_details":null}},"apiBlockIndex":{index},"requestId":"{request}",{kept}"effort":"medium"'
            )
            lines.append(self._line("assistant", session, agent, slug, body))
        text = self._numbered if tool == "Read" else self._text
        size = draw.lognormvariate(7.6, 1.3) * (1.6 if tool == "Read" else 0.7)
        result = text(int(min(size, 60_000)))
        copy = f'{{"type":"text","file":{{"filePath":"{target}","content":"{result}","numLines":1,"startLine":1}}}}'
        body = (
            f'"promptId":"{self._id()}","type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{call}",'
            f'"type":"tool_result","content":"{result}"}}]}},"toolUseResult":{copy},'
            f'"sourceToolAssistantUUID":"{self._id()}"'
        )
        lines.append(self._line("", session, agent, slug, body))
        if draw.random() < 0.3:
            kind = '"attachment":{"type":"total_tokens_reminder","used":1}'
            lines.append(self._line("attachment", session, agent, slug, kind))
        if agent is None and draw.random() < 0.2:
            lines.append(self._plain("last-prompt", session, f'"lastPrompt":"{self._text(80)}"'))
        return lines

    def _agent(self, folder: Path, session: str, slug: str) -> int:
        agent = f"a{self._hex(16)}"
        folder.mkdir(parents=True, exist_ok=True)
        meta = f'{{"agentType":"Explore","toolUseId":"toolu_{self._hex(24)}","spawnDepth":1}}'
        (folder / f"agent-{agent}.meta.json").write_text(meta, encoding="utf-8")
        turns = max(2, int(self.random.lognormvariate(2.8, 0.6)))
        return self._write(folder / f"agent-{agent}.jsonl", self.thread(session, agent, turns, slug))

    def _line(self, kind: str, session: str, agent: str | None, slug: str, body: str) -> str:
        self.time += timedelta(milliseconds=self.random.randint(200, 20_000))
        own = f'"agentId":"{agent}",' if agent else ""
        aside = "true" if agent else "false"
        named = f'"type":"{kind}",' if kind else ""  # users have it before their message
        version = "2.1.332" if self.new else "2.1.218"
        return (
            f'{{"parentUuid":"{self._id()}","isSidechain":{aside},{own}{body},{named}"uuid":"{self._id()}",'
            f'"timestamp":"{self._now()}","userType":"external","entrypoint":"cli","cwd":"/work/{slug}",'
            f'"sessionId":"{session}","version":"{version}","gitBranch":"main"}}'
        )

    def _sent(self, session: str, agent: str | None, ref: str, model: str) -> str:
        own = f'"agentId":"{agent}",' if agent else ""
        source = "agent:builtin:Explore" if agent else "repl_main_thread"
        return (
            f'{{"type":"api-request","sessionId":"{session}",{own}"id":"{ref}","timestamp":"{self._now()}",'
            f'"version":"2.1.332","querySource":"{source}","shapeHash":"{self._hex(64)}","params":{{"model":"{model}",'
            f'"betas":["claude-code-20250219","context-management-2025-06-27"],"max_tokens":32000,'
            f'"thinking":{{"type":"adaptive"}},"output_config":{{"effort":"medium"}}}},"thread":{{"type":"none"}},'
            f'"keep":0,"tail":["{self._hex(64)}","{self._hex(64)}"],"cacheControl":[{{"path":["system",0],'
            f'"value":{{"type":"ephemeral"}}}}],"requestDigest":"{self._hex(64)}"}}'
        )

    def _plain(self, kind: str, session: str, body: str) -> str:
        return f'{{"type":"{kind}",{body},"timestamp":"{self._now()}","sessionId":"{session}"}}'

    def _now(self) -> str:
        return self.time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.time.microsecond // 1000:03d}Z"

    def _text(self, size: int) -> str:
        lines = max(1, size // 72)
        at = self.random.randrange(len(self.pool))
        text = (self.pool * (1 + (at + lines) // len(self.pool)))[at : at + lines]
        return "\\n".join(text)

    def _numbered(self, size: int) -> str:
        """A file as Read shows it."""
        rows = self._text(size).split("\\n")
        return "\\n".join(f"{number}\\t{row}" for number, row in enumerate(rows, 1))

    def _hex(self, size: int) -> str:
        return f"{self.random.getrandbits(size * 4):0{size}x}"

    def _id(self) -> str:
        text = self._hex(32)
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    @staticmethod
    def _write(path: Path, lines: list[str]) -> int:
        data = ("\n".join(lines) + "\n").encode()
        path.write_bytes(data)
        return len(data)


def make(work: Path, size: int, seed: int = 7) -> Path:
    """A config folder in `work` with about `size` bytes of transcripts; one that stands there already is taken."""
    root = work / f"corpus{VERSION}-{size}-{seed}"
    done = root / "made"
    if not done.exists():
        Maker(root, seed).fill(size)
        done.touch()
    return root
