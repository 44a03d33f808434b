"""Make `data/transcripts/`: `uv run python data/make_sample.py`. Seeded: the same files every time.

The sessions hold what a real folder holds: main threads, foreground, background, nested, workflow and fork agents,
hand-backs, compactions, a forked session, repeat reads, hook runs, errors, an interrupt. See data/README.md.
"""

from __future__ import annotations

import json
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sample_client import Made, Session, Thread

TARGET = Path(__file__).resolve().parent / "transcripts"
PROJECTS = ("/home/user/harbor", "/home/user/lantern", "/home/user/orchard")
# Agent type: model, median and spread of its returns in characters, weight.
TYPES = {
    "general-purpose": ("claude-opus-5-5", 4600, 0.75, 4),
    "Explore": ("claude-haiku-5-5", 2900, 0.6, 4),
    "reviewer": ("claude-sonnet-5-5", 6400, 0.55, 2),
    "test-runner": ("claude-haiku-5-5", 1300, 0.8, 2),
}
GUARD = "/home/user/.claude/hooks/guard.py"


class Files:
    """The files of a project, as far as a session has seen them."""

    def __init__(self, made: Made, cwd: str) -> None:
        """A dozen files of made-up lines."""
        self.made = made
        self.lines = {f"{cwd}/src/{made.word()}.py": made.text(made.size(1000, 0.5)).split("\n") for _ in range(12)}
        self.paths = list(self.lines)


def read(thread: Thread, files: Files, path: str, first: int = 1, count: int | None = None) -> None:
    """A Read of a file or of a range."""
    lines = files.lines[path]
    part = lines[first - 1 : first - 1 + count] if count else lines[first - 1 :]
    wanted: dict[str, Any] = {"file_path": path}
    if count:
        wanted |= {"offset": first, "limit": count}
    own = thread.call("Read", wanted)
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(part, first))
    file = {"filePath": path, "content": "\n".join(part), "numLines": len(part), "startLine": first}
    thread.result(own, text, {"type": "text", "file": file | {"totalLines": len(lines)}})


def bash(thread: Thread, command: str, text: str, *, error: bool = False) -> None:
    """A Bash call."""
    own = thread.call("Bash", {"command": command, "description": thread.session.made.text(20)})
    extra: Any = f"Error: {text}" if error else {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    thread.result(own, text, extra, error=error)


def print_file(thread: Thread, files: Files, path: str, first: int, last: int) -> None:
    """A Bash command that only prints a part of a file."""
    bash(thread, f"sed -n '{first},{last}p' {path}", "\n".join(files.lines[path][first - 1 : last]))


def grep(thread: Thread, files: Files) -> None:
    """A search."""
    found = thread.session.made.random.sample(files.paths, 3)
    own = thread.call("Grep", {"pattern": thread.session.made.word(), "output_mode": "files_with_matches"})
    extra = {"mode": "files_with_matches", "filenames": found, "numFiles": 3}
    thread.result(own, "Found 3 files\n" + "\n".join(found), extra)


def edit(thread: Thread, files: Files, path: str) -> None:
    """An edit of one line: what the context held of the file is old then."""
    lines = files.lines[path]
    old, new = lines[0], thread.session.made.text(40)
    lines[0] = new
    own = thread.call("Edit", {"file_path": path, "old_string": old, "new_string": new})
    extra = {"filePath": path, "oldString": old, "newString": new, "structuredPatch": [], "replaceAll": False}
    thread.result(own, f"The file {path} has been updated.", extra)


def work(thread: Thread, files: Files, steps: int) -> None:
    """Some steps of looking around, with the repeats that real sessions show."""
    made = thread.session.made
    seen: list[str] = []
    for _ in range(steps):
        kind = made.random.random()
        if kind < 0.42 or not seen:
            seen.append(made.random.choice(files.paths))
            read(thread, files, seen[-1], count=14 if made.random.random() < 0.3 else None)
        elif kind < 0.52:
            read(thread, files, made.random.choice(seen), made.random.randint(1, 6), 12)
        elif kind < 0.64:
            first = made.random.randint(1, 8)
            print_file(thread, files, made.random.choice(seen), first, first + 14)
        elif kind < 0.76:
            grep(thread, files)
        elif kind < 0.86:
            edit(thread, files, made.random.choice(seen))
        else:
            bash(thread, "pytest -q", made.text(made.size(700, 0.6)), error=made.random.random() < 0.2)


def wrapped(agent: Thread, report: str, notes: str = "") -> str:
    """A report as its caller reads it."""
    body = "\n".join("  " + line for line in report.split("\n"))
    usage = f"<usage>subagent_tokens: {agent.context}\ntool_uses: {len(agent.records) // 4}\nduration_ms: 90000</usage>"
    head = "[Subagent hand-back] A subagent's report. The report follows:"
    return f"{notes}{head}\n{body}\nagentId: {agent.agent_id}\n{usage}"


def start(caller: Thread, kind: str, *, background: bool, run: str | None = None) -> tuple[Thread, str]:
    """Launch an agent: its thread, and the id of the launching call ("" inside a workflow)."""
    session, made = caller.session, caller.session.made
    model = TYPES[kind][0] if kind in TYPES else caller.model
    task, prompt = made.text(24), made.text(420)
    launched = ""
    if run is None:
        arguments = {"description": task, "prompt": prompt, "subagent_type": kind}
        launched = caller.call("Agent", arguments if background else arguments | {"run_in_background": False})
    agent = Thread(session, made.hex("a", 16), model, base=made.random.randint(7_000, 11_000), run=run)
    agent.agent_type = kind
    depth = 2 if caller.agent_id else 1
    shape = "background" if background else "foreground"
    agent.meta = {"agentType": kind, "isBuiltIn": kind in ("general-purpose", "Explore"), "description": task,
                  "spawnDepth": depth, "requestShape": shape, "model": model}  # fmt: skip
    agent.meta |= {"toolUseId": launched, "finished": True} if launched else {"inWorkflowRun": True}
    if caller.agent_id:
        agent.meta["parentAgentId"] = caller.agent_id
    agent.user(prompt)
    return agent, launched


def finish(agent: Thread, kind: str, *, chars: int | None = None, guarded: bool = False) -> str:
    """The agent's last answer; `guarded`: a hook sends a long one back once. The report that stands."""
    made = agent.session.made
    _, median, spread, _ = TYPES.get(kind, TYPES["general-purpose"])
    chars = chars or made.size(median, spread)
    if guarded and chars > 4000:
        agent.say(made.text(chars))
        error = {"blockingError": "Too long: shorten it.", "command": f"python3 {GUARD}"}
        agent.attach({"type": "hook_blocking_error", "hookName": "SubagentStop", "hookEvent": "SubagentStop",
                      "toolUseID": made.uuid(), "blockingError": error})  # fmt: skip
        agent.user("Stop hook feedback:\nToo long: shorten it.", isMeta=True, hookText=True)
        chars = made.size(3300, 0.15)
    report = made.text(chars)
    agent.say(report)
    return report


def deliver(caller: Thread, agent: Thread, launched: str, report: str) -> None:
    """The result of a foreground agent."""
    extra = {"status": "completed", "agentId": agent.agent_id, "agentType": agent.agent_type, "harnessNoteCount": 0,
             "harnessTailCount": 0, "content": [{"type": "text", "text": report}], "resolvedModel": agent.model,
             "totalTokens": agent.context}  # fmt: skip
    caller.result(launched, wrapped(agent, report), extra)


def foreground(caller: Thread, files: Files, kind: str, steps: int, **end: Any) -> None:
    """An agent that its caller waits for."""
    agent, launched = start(caller, kind, background=False)
    work(agent, files, steps)
    deliver(caller, agent, launched, finish(agent, kind, **end))


def background(caller: Thread, files: Files, kind: str, steps: int, **end: Any) -> None:
    """An agent whose report comes as a notification later."""
    agent, launched = start(caller, kind, background=True)
    note = f"Async agent launched successfully.\nagentId: {agent.agent_id}"
    caller.result(launched, note, {"isAsync": True, "status": "async_launched", "agentId": agent.agent_id})
    caller.say(caller.session.made.text(60))
    work(agent, files, steps)
    notify(caller, str(agent.agent_id), launched, finish(agent, kind, **end), agent.context)


def notify(caller: Thread, task: str, launched: str, report: str, tokens: int) -> None:
    """A task notification, in the two shapes in which the client writes it."""
    text = (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{launched}</tool-use-id>\n"
        f"<status>completed</status>\n<summary>finished</summary>\n<result>{report}</result>\n"
        f"<usage><subagent_tokens>{tokens}</subagent_tokens></usage>\n</task-notification>"
    )
    caller.queued(text)
    caller.user(text, origin={"kind": "task-notification", "producer": "session-task"}, promptSource="system")


def handback(caller: Thread, files: Files, kind: str, steps: int) -> None:
    """An agent in auto mode: it hands its report back with a tool."""
    made = caller.session.made
    agent, launched = start(caller, kind, background=False)
    work(agent, files, steps)
    report = made.text(made.size(TYPES[kind][1], 0.4))
    own = agent.call("SubagentHandback", {"message": report})
    agent.result(own, "Report delivered.", "Report delivered.")
    body = "[Subagent hand-back] A subagent's report. The report follows:\n" + "\n".join(
        "  " + line for line in report.split("\n")
    )
    message = f'<agent-message from="{agent.agent_id}">\n{body}\n</agent-message>'
    note = [{"type": "text", "text": "The report came as a message.\n"}]
    extra = {"status": "completed", "agentId": agent.agent_id, "agentType": kind, "handback": "send",
             "handbackReport": {"text": report, "toolUseId": own}, "harnessNoteCount": 1, "harnessTailCount": 0,
             "content": note, "totalTokens": agent.context}  # fmt: skip
    caller.result(launched, f"The report came as a message.\nagentId: {agent.agent_id}", extra)
    origin = {
        "kind": "peer",
        "from": agent.agent_id,
        "handback": True,
        "handbackReportText": report,
        "handbackToolUseId": own,
    }
    caller.attach({"type": "queued_command", "prompt": message, "delivery_id": made.uuid(), "commandMode": "prompt",
                   "origin": origin | {"handbackToolUseId": own}}, heard=message)  # fmt: skip


def workflow(caller: Thread, files: Files, agents: int = 3) -> None:
    """A workflow with some agents: their own folder, a journal, one notification."""
    session, made = caller.session, caller.session.made
    run, task = made.hex("wf_", 8) + "-" + made.hex("", 3), made.hex("w", 8)
    launched = caller.call("Workflow", {"script": made.text(200)})
    extra = {"status": "async_launched", "taskId": task, "taskType": "local_workflow", "runId": run}
    caller.result(launched, f"Workflow launched in background. Task ID: {task}", extra)
    caller.say(made.text(50))
    journal: list[dict[str, Any]] = [{"type": "launched"}]
    results = {}
    for number in range(agents):
        agent, _ = start(caller, "workflow-subagent", background=False, run=run)
        work(agent, files, made.random.randint(2, 5))
        results[f"part{number}"] = finish(agent, "Explore")
        key = made.hex("v2:", 16)
        journal.append({"type": "started", "key": key, "agentId": agent.agent_id, "label": f"part{number}"})
        journal.append({"type": "result", "key": key, "agentId": agent.agent_id, "result": results[f"part{number}"]})
    folder = session.folder / session.id / "subagents" / "workflows" / run
    session.extra[folder / "journal.jsonl"] = "".join(json.dumps(line) + "\n" for line in journal)
    notify(caller, task, launched, json.dumps(results), caller.context)


def fork_agent(caller: Thread, files: Files) -> None:
    """A fork: its first row names the parent's history instead of copying it; the launching call is copied."""
    agent, launched = start(caller, "fork", background=False)
    copied = caller.records[-1]
    reference = {"type": "fork-context-ref", "agentId": agent.agent_id, "parentSessionId": caller.session.id}
    prompt = agent.records[0] | {"parentUuid": copied["uuid"]}
    agent.records = [reference | {"parentLastUuid": copied["parentUuid"], "contextLength": len(caller.records)},
                     copied | {"isSidechain": True, "agentId": agent.agent_id, "parentUuid": None}, prompt]  # fmt: skip
    agent.meta |= {"isFork": True, "model": "inherit"}
    agent.context, agent.cached, agent.last = caller.context, caller.cached, caller.last
    work(agent, files, 4)
    deliver(caller, agent, launched, finish(agent, "general-purpose", chars=2600))


def stop_hook(thread: Thread, *, failed: bool = False) -> None:
    """Hook runs at the end of a turn, as the client notes them."""
    made = thread.session.made
    infos = [{"command": f"python3 {GUARD}", "durationMs": made.size(40, 0.3)}]
    thread.row(
        "system",
        subtype="stop_hook_summary",
        hookCount=1,
        hookInfos=infos,
        hookErrors=[],
        hasOutput=False,
        preventedContinuation=False,
        stopReason="",
        level="suggestion",
        toolUseID=made.uuid(),
    )
    kind = "hook_non_blocking_error" if failed else "hook_success"
    thread.attach({"type": kind, "hookName": "PostToolUse:Bash", "hookEvent": "PostToolUse", "toolUseID": made.uuid(),
                   "stdout": "", "stderr": "", "exitCode": int(failed), "durationMs": made.size(55, 0.4),
                   "command": "python3 /home/user/.claude/hooks/notes.py"})  # fmt: skip


def api_error(thread: Thread) -> None:
    """A retried overload, then a notice of the client's own."""
    made = thread.session.made
    error = {"message": "529 overloaded", "status": 529, "requestId": made.hex("req_", 20)}
    thread.row("system", subtype="api_error", level="error", error=error, retryInMs=900, retryAttempt=1, maxRetries=10)
    counters = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    zero = dict.fromkeys(counters, 0)
    notice = {"id": made.uuid(), "type": "message", "role": "assistant", "model": "<synthetic>", "usage": zero,
              "content": [{"type": "text", "text": "API Error"}], "stop_reason": "stop_sequence"}  # fmt: skip
    thread.row("assistant", message=notice, isApiErrorMessage=True)


def choose(made: Made) -> str:
    """An agent type, by its weight."""
    return made.random.choices(list(TYPES), weights=[weight for *_, weight in TYPES.values()])[0]


def ordinary(session: Session, number: int) -> Files:
    """The common course of a session: some turns, in each some steps and agents."""
    made, main = session.made, session.main
    files = Files(made, session.cwd)
    main.queued(made.text(160))
    for turn in range(made.random.randint(2, 4)):
        main.user(made.text(160), promptSource="typed")
        work(main, files, made.random.randint(2, 5))
        for _ in range(made.random.randint(1, 3)):
            launch = background if made.random.random() < 0.4 else foreground
            launch(main, files, choose(made), made.random.randint(1, 5), guarded=number % 4 == 3)
        main.say(made.text(260))
        stop_hook(main, failed=turn == 1 and number % 5 == 2)
        session.now += timedelta(minutes=made.random.choice((1, 2, 3, 9)))
    return files


def special(session: Session, files: Files, number: int) -> None:
    """What only some sessions show."""
    main, made = session.main, session.made
    parts = [part for part, numbers in SPECIAL.items() if number in numbers]
    for part in parts:
        main.user(made.text(90))
        part(main, files)
        main.say(made.text(150))


def nested(main: Thread, files: Files) -> None:
    """An agent that launches another."""
    outer, launched = start(main, "general-purpose", background=False)
    work(outer, files, 3)
    foreground(outer, files, "Explore", 4)
    deliver(main, outer, launched, finish(outer, "general-purpose"))


def auto_mode(main: Thread, files: Files) -> None:
    """A hand-back, and a fork."""
    handback(main, files, "reviewer", 4)
    fork_agent(main, files)


def long_turn(main: Thread, files: Files) -> None:
    """Enough steps for a compaction, and some after it."""
    work(main, files, 30)
    main.compact("auto" if len(main.records) % 2 else "manual")
    work(main, files, 12)


def long_agent(main: Thread, files: Files) -> None:
    """An agent that compacts."""
    agent, launched = start(main, "general-purpose", background=False)
    work(agent, files, 20)
    agent.compact("auto")
    work(agent, files, 4)
    deliver(main, agent, launched, finish(agent, "general-purpose"))


def trouble(main: Thread, files: Files) -> None:
    """Errors: of the API, of the user's patience, of a launch; and an agent that dies."""
    made = main.session.made
    api_error(main)
    main.user("[Request interrupted by user]")
    launched = main.call("Agent", {"description": "x", "prompt": made.text(60), "subagent_type": "no-such-agent"})
    main.result(launched, "Agent type not found.", "Error: Agent type not found.", error=True)
    agent, launched = start(main, "Explore", background=False)
    work(agent, files, 2)
    del agent.meta["finished"]
    died = "Agent terminated early due to an API error: overloaded"
    main.result(launched, died, f"Error: {died}", error=True)


SPECIAL = {
    workflow: (2, 9),
    nested: (1, 6, 11),
    auto_mode: (4, 10),
    long_turn: (3, 7),
    long_agent: (8,),
    trouble: (5, 12),
}


def forked(made: Made, original: Session, start_at: datetime) -> Session:
    """A session that began as a copy of another: same uuids and message ids, another sessionId."""
    session = Session(made, TARGET, original.cwd, start_at, ttl=original.ttl)
    kept = [r for r in original.main.records if r["type"] not in ("cost-state", "api-request", "queue-operation")]
    session.main.queued(made.text(120))
    session.main.records += [r | {"sessionId": session.id} for r in kept]
    session.main.parent = kept[-1].get("uuid")
    session.main.context = original.main.context
    session.used = {model: dict(used) for model, used in original.used.items()}
    files = Files(made, original.cwd)
    session.main.user(made.text(120))
    work(session.main, files, 5)
    session.main.say(made.text(200))
    session.cost_state()
    return session


def main() -> None:
    """Write the sample anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    made = Made(20261130)
    day = datetime(2026, 11, 2, 8, 30, tzinfo=UTC)
    sessions = []
    for number in range(13):
        ttl = "1h" if number % 3 == 0 else "5m"
        session = Session(
            made, TARGET, PROJECTS[number % 3], day + timedelta(days=2 * number, minutes=37 * number), ttl=ttl
        )
        special(session, ordinary(session, number), number)
        session.cost_state()
        sessions.append(session)
    sessions.append(forked(made, sessions[2], sessions[2].now + timedelta(hours=3)))
    for session in sessions:
        session.save()
    size = sum(path.stat().st_size for path in TARGET.rglob("*") if path.is_file())
    sys.stdout.write(f"{len(sessions)} sessions, {sum(len(s.threads) for s in sessions)} threads, {size:,} bytes\n")


if __name__ == "__main__":
    main()
