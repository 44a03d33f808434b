"""The sample's agents: how they are launched, work, answer and are heard. Used by `make_sample.py` only."""

from __future__ import annotations

import json
from typing import Any

from sample_client import Made, Thread
from sample_work import Files, work

# Agent type: model, median and spread of its returns in characters, weight.
TYPES = {
    "general-purpose": ("claude-opus-5-5", 4600, 0.75, 4),
    "Explore": ("claude-haiku-5-5", 2900, 0.6, 4),
    "reviewer": ("claude-sonnet-5-5", 6400, 0.55, 2),
    "test-runner": ("claude-haiku-5-5", 1300, 0.8, 2),
}
GUARD = "/home/user/.claude/hooks/guard.py"


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


def choose(made: Made) -> str:
    """An agent type, by its weight."""
    return made.random.choices(list(TYPES), weights=[weight for *_, weight in TYPES.values()])[0]
