"""Frames made by a seeded generator, for tests of what is drawn or shown. Figures are plausible, not measured."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import polars as pl

from measure.columns import FRAMES, schema

START = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
TYPES = ("Explore", "general-purpose", "Plan", "code-reviewer", None)
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")


def frame(name: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    """`rows` as the frame `name`; columns a row does not name are null."""
    return pl.DataFrame(rows, schema=schema(name), orient="row")


def nothing() -> dict[str, pl.DataFrame]:
    return {name: frame(name, []) for name in FRAMES}


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.rows: dict[str, list[dict[str, object]]] = {name: [] for name in FRAMES}

    def thread(self, owner: dict[str, object], at: datetime, requests: int, model: str) -> tuple[datetime, list[int]]:
        """Add the requests of one thread; a context past 150,000 tokens is compacted to a third."""
        context, segment, since, contexts = self.random.randint(9_000, 22_000), 0, 0, []
        for step in range(requests):
            at += timedelta(seconds=self.random.randint(4, 90))
            output = self.random.randint(20, 1_500)
            written = context if since == 0 else min(context, self.random.randint(300, 6_000))
            self.rows["requests"].append(
                owner
                | {
                    "message_id": f"msg_{len(self.rows['requests'])}",
                    "step": step,
                    "ts": at,
                    "model": model,
                    "input_tokens": 3,
                    "cache_write_tokens": written - 3,
                    "cache_write_5m_tokens": written - 3,
                    "cache_write_1h_tokens": 0,
                    "cache_write_unknown_tokens": 0,
                    "cache_write_scaled": False,
                    "cache_read_tokens": context - written,
                    "output_tokens": output,
                    "output_is_lower_bound": False,
                    "context_tokens": context,
                    "segment": segment,
                    "web_searches": 0,
                    "is_replay": False,
                    "from_progress": False,
                }
            )
            contexts.append(context)
            since += 1
            if context > 150_000:
                self.rows["compactions"].append(
                    owner
                    | {
                        "ts": at,
                        "trigger": "auto",
                        "pre_tokens": context,
                        "post_tokens": context // 3,
                        "segment": segment,
                        "requests_since_last": since,
                    }
                )
                context, segment, since = context // 3, segment + 1, 0
            context += output + self.random.randint(200, 9_000)
        return at, contexts

    def reads(self, owner: dict[str, object], at: datetime, count: int) -> None:
        seen: set[str] = set()
        for number in range(count):
            chars = self.random.randint(200, 60_000)
            folder = self.random.choice(("src", "src/deeply/nested/package/of/modules", "tests"))
            path = f"{owner['project']}/{folder}/module_{self.random.randint(1, 6)}.py"
            repeat = self.random.choice(("none", "same", "contained", "overlap")) if path in seen else "none"
            seen.add(path)
            self.rows["reads"].append(
                owner
                | {
                    "tool_use_id": f"toolu_{len(self.rows['reads'])}",
                    "ts": at,
                    "segment": 0,
                    "result_step": number,
                    "path": path,
                    "whole": True,
                    "via": "Read",
                    "chars": chars,
                    "repeat": repeat,
                    "avoidable_chars": 0 if repeat == "none" else chars // (1 if repeat == "same" else 2),
                }
            )

    def session(self, number: int, agents: int, requests: int) -> None:
        session = f"{number:08x}-0000-4000-8000-000000000000"
        start = START + timedelta(hours=17 * number)
        project = f"/home/someone/code/project-{number % 3}"
        owner: dict[str, object] = {"session_id": session, "project": project, "version": "2.1.332"}
        model = MODELS[number % len(MODELS)]
        end, contexts = self.thread(owner, start, requests, model)
        self.reads(owner, start, requests if requests > 1 else 0)
        self.agent(owner, None, contexts, start, end, model)
        for index in range(agents):
            kind = self.random.choice(TYPES)
            run = owner | {"agent_id": f"a{index:016x}", "agent_type": kind}
            began = start + timedelta(minutes=index)
            model = self.random.choice(MODELS)
            ended, contexts = self.thread(run, began, max(1, self.random.randint(requests // 4, requests)), model)
            self.reads(run, began, 8)
            self.agent(run, index, contexts, began, ended, model)
            chars = int(self.random.lognormvariate(8.3, 0.9))
            self.rows["returns"].append(
                run
                | {
                    "route": "tool_result",
                    "ts": ended,
                    "delivery": 0,
                    "chars": chars,
                    "est_tokens": -(-chars // 4),
                    "caller_chars": chars + 40,
                    "tried": 0,
                    "first_chars": chars,
                    "first_est_tokens": -(-chars // 4),
                    "status": "completed",
                    "caller_segment": 0,
                    "caller_step": index,
                }
            )
        mine = [row for row in self.rows["requests"] if row["session_id"] == session]
        self.rows["sessions"].append(
            owner
            | {"started": start, "ended": end, "requests": len(mine), "agents": agents}
            | {name: sum(int(str(row[name])) for row in mine) for name in _SUMS}
            | {"compactions": sum(row["session_id"] == session for row in self.rows["compactions"])}
        )

    def agent(
        self,
        owner: dict[str, object],
        index: int | None,
        contexts: list[int],
        start: datetime,
        end: datetime,
        model: str,
    ) -> None:
        self.rows["agents"].append(
            owner
            | {
                "model": model,
                "depth": 0 if index is None else 1,
                "mode": "main" if index is None else "foreground",
                "status": "completed",
                "requests": len(contexts),
                "first_context_tokens": contexts[0],
                "peak_context_tokens": max(contexts),
                "final_context_tokens": contexts[-1],
                "compactions": 0,
                "returns": None if index is None else 1,
                "started": start,
                "ended": end,
            }
        )


_SUMS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")


def made(sessions: int = 1, agents: int = 5, requests: int = 40, seed: int = 7) -> dict[str, pl.DataFrame]:
    """All frames of `sessions` sessions with `agents` agents each and about `requests` requests a thread."""
    maker = _Maker(seed)
    for number in range(sessions):
        maker.session(number, agents, requests)
    return {name: frame(name, rows) for name, rows in maker.rows.items()}
