"""Make `data/transcripts/`: `uv run python data/make_sample.py`. Seeded: the same files every time.

The sessions hold what a real folder holds: main threads, foreground, background, nested, workflow and fork agents,
hand-backs, compactions, a forked session, repeat reads, hook runs, errors, an interrupt. See data/README.md.
"""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sample_agents import GUARD, background, choose, deliver, finish, foreground, fork_agent, handback, start, workflow
from sample_client import Made, Session, Thread
from sample_work import Files, work

TARGET = Path(__file__).resolve().parent / "transcripts"
PROJECTS = ("/home/user/harbor", "/home/user/lantern", "/home/user/orchard")


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
