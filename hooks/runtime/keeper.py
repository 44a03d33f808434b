"""The compaction feature: nudges, asking, hold and force, and what is said after a compaction."""

from time import perf_counter, sleep

from . import marker
from .compaction import HOLD, PASS, decide, nudge, refills
from .dispatch import Answer, Call
from .parties import SINCE, Party
from .paths import parent
from .requests import requests_since, whole_estimate
from .said import arm_answer, brief_text, held_text, nudge_text, refused_stop
from .state import State
from .tail import NAP, agent_file, client_version, settled, size_of
from .watch import unanswered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "compaction"
STILL, WAIT = 0.2, 0.6  # seconds
NOTIFICATION = "<task-notification>"


def state_of(call: Call) -> State:
    """The state of the event's party."""
    return State(call.home, call.text("session_id"), call.text("agent_id"))


def number(value: object) -> int:
    """A count as the state keeps it; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def script(call: Call) -> str:
    """The path that the settings entries start."""
    return call.home + "/run.py"


def stood_still(call: Call, section: "dict[str, Any]") -> Party:
    """The party as its transcript says once it has not grown for STILL seconds, at most WAIT.

    The client writes a transcript up to 100 ms late: a hold must not rest on the step before, nor a pass on the size
    before the compaction that was just made.
    """
    party = Party(call, section)
    end = perf_counter() + WAIT
    while call.text("trigger") == "auto" and perf_counter() < end:
        size = size_of(party.path or "")
        still = perf_counter() + STILL
        while perf_counter() < still and size_of(party.path or "") == size:
            sleep(NAP)
        if size >= 0 and size_of(party.path or "") == size:
            break
        party = Party(call, section)
    return party


def before_compaction(call: Call, section: "dict[str, Any]") -> Answer:
    """PreCompact: hold it, or let it pass (with the focus of a party that asked)."""
    version = client_version(call.text("transcript_path"))
    if version is not None and version < SINCE:
        # it does not say whose compaction it is: holding could hit the wrong party
        return Answer(log={"decision": "passed", "why": "old client"})
    party = stood_still(call, section)
    tokens = party.tokens()
    if tokens is None and party.path:
        tokens = whole_estimate(party.path)
    state = state_of(call)
    kept = state.load(NAME)
    armed, focus = kept.get("armed"), ""
    if isinstance(armed, str) and armed and party.path:
        found = marker.focus_again(party.path, armed, script(call))
        focus, armed = (found, armed) if found is not None else ("", "")
    since = requests_since(party.path) if party.path else None
    what, why = decide(
        call.text("trigger"),
        tokens,
        party.window[0],
        party.limit("forceAt"),
        natural=party.natural,
        governed=party.governed,
        armed=bool(armed),
        quick=number(kept.get("quick")),
        since=since,
    )
    limit = party.limit("forceAt") if party.governed else party.natural
    row: dict[str, object] = {"decision": "held" if what == HOLD else "passed", "tokens": tokens, "limit": limit}
    row.update(source=party.origin.get("forceAt") if party.governed else "client", why=why)
    if what == PASS:
        kept["quick"] = refills(number(kept.get("quick")), since)
        kept["passed"] = True
        state.save(NAME, kept)
        return Answer(plain=focus, log=row)
    return Answer(block=held_text(tokens or 0, limit), log=row)


def batch(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """PostToolBatch: one line at each level of fullness; a request to compact is noted or refused."""
    if section.get("enabled") is not True:
        return None
    party = Party(call, section)
    if party.path is None or party.reading is None or not party.governed:
        return None
    expected = party.tokens()
    if expected is not None and 4 * expected >= party.limit("nudgeFrom"):
        party.reading = settled(party.path, party.reading, call.last_tool_use())
    state = state_of(call)
    before = state.load(NAME)
    kept = dict(before)
    answers = [asked(call, party, kept), nudged(call, party, kept), *unseen(party, kept), *complained(party, kept)]
    if kept != before:
        state.save(NAME, kept)
    said = [one for one in answers if one is not None]
    if not said:
        return None
    row = joined([one.log for one in said])
    return Answer(note=" ".join([one.note for one in said if one.note]), log=row)


def joined(rows: "list[dict[str, object] | None]") -> "dict[str, object]":
    """One row for all that one batch decided."""
    row: dict[str, object] = {}
    for one in rows:
        names = [str(value["decision"]) for value in (row, one) if value and value.get("decision")]
        row.update(one or {})
        row["decision"] = "+".join(names)
    return row


def nudged(call: Call, party: Party, kept: "dict[str, Any]") -> "Answer | None":
    """The line of a new level. Right after a compaction there is no reading: levels start over, none is used up."""
    tokens = party.tokens()
    if tokens is None:
        kept.pop("level", None)
        return None
    due, kept["level"] = nudge(tokens, party.limit("nudgeFrom"), party.limit("nudgeEvery"), number(kept.get("level")))
    force = party.limit("forceAt")
    if not due or tokens >= force or kept.get("armed"):
        return None
    row: dict[str, object] = {"decision": "nudge", "tokens": tokens, "limit": force, "level": kept["level"]}
    main_script = "" if call.text("agent_id") else script(call)
    return Answer(note=nudge_text(tokens, party.window[0], force, main_script), log=row)


def asked(call: Call, party: Party, kept: "dict[str, Any]") -> "Answer | None":
    """Arms the party that asked in this batch; below its first nudge it is refused with the reason."""
    name = request_of(call, party, kept)
    if not name:
        return None
    tokens, start = party.tokens(), party.limit("nudgeFrom")
    if tokens is None or tokens < start:
        row: dict[str, object] = {"decision": "arm-refused", "tokens": tokens, "limit": start}
        return Answer(note=arm_answer(tokens, start, False), log=row)
    kept["armed"] = name
    return Answer(note=arm_answer(tokens, start, True), log={"decision": "armed", "tokens": tokens, "limit": start})


def request_of(call: Call, party: Party, kept: "dict[str, Any]") -> str:
    """The response or the call that asks for a compaction; empty when none does."""
    if call.text("agent_id"):
        checked = kept.get("checked")
        newest, name, _ = marker.newest_marker(str(party.path), checked if isinstance(checked, str) else "")
        kept["checked"] = newest or checked
        return name
    calls = call.event.get("tool_calls")
    for one in calls if isinstance(calls, list) else []:
        given = one.get("tool_input") if isinstance(one, dict) and one.get("tool_name") == "Bash" else None
        if isinstance(given, dict) and marker.command_focus(given.get("command"), script(call)) is not None:
            return str(one.get("tool_use_id"))
    return ""


def unseen(party: Party, kept: "dict[str, Any]") -> "list[Answer]":
    """A reading that fell to half without a compaction we saw: levels start over, and the log says so."""
    tokens, before = party.reading.tokens if party.reading else None, number(kept.get("tokens"))
    kept["tokens"] = before if tokens is None else tokens
    if tokens is None or 2 * tokens > before or not before:
        return []
    row: dict[str, object] = {"decision": "compact-unseen", "tokens": tokens, "before": before}
    return [Answer(log=row)]


def complained(party: Party, kept: "dict[str, Any]") -> "list[Answer]":
    """The values of the party's policy that could not be read, named once in the log."""
    if not party.complaints or kept.get("complained"):
        return []
    kept["complained"] = True
    return [Answer(log={"decision": "option-error", "options": party.complaints[:8]})]


def after_compaction(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """SessionStart after a compaction: levels start over; a subagent gets its first prompt again, verbatim."""
    if call.event.get("source") != "compact":
        return started(call, section)
    state = state_of(call)
    kept = state.load(NAME)
    if kept:
        state.save(NAME, {key: kept[key] for key in ("quick", "checked", "complained") if key in kept})
    agent_id = call.text("agent_id")
    path = agent_file(call.text("transcript_path"), agent_id) if agent_id else None
    if section.get("enabled") is not True or path is None:
        return None
    text, whole = brief_text(path)
    if not text:
        return None
    return Answer(note=text, log={"decision": "brief-seated", "chars": len(text), "whole": whole})


def started(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """SessionStart of the main conversation: which policy begins, what was wrong with it, and whether we answer."""
    problem = unanswered(parent(call.home))
    if problem:
        return Answer(note=problem, log={"decision": "unanswered"})
    if section.get("enabled") is not True:
        return None
    party = Party(call, section)
    row: dict[str, object] = {"decision": "start", "limit": party.limit("forceAt"), "source": party.origin["forceAt"]}
    if party.complaints:
        row.update(decision="option-error", options=party.complaints[:8])
    return Answer(log=row)


def prompted(call: Call, _section: "dict[str, Any]") -> "Answer | None":
    """UserPromptSubmit: a person's words withdraw what main had asked for; notifications of tasks do not."""
    if call.text("agent_id") or call.text("prompt").lstrip().startswith(NOTIFICATION):
        return None
    return disarm(call, "a person wrote")


def failed(call: Call, _section: "dict[str, Any]") -> "Answer | None":
    """StopFailure: main's request is withdrawn."""
    return None if call.text("agent_id") else disarm(call, "the turn failed")


def disarm(call: Call, why: str) -> "Answer | None":
    """Withdraw the request of the event's party, and say so."""
    state = state_of(call)
    kept = state.load(NAME)
    if not kept.pop("armed", None):
        return None
    state.save(NAME, kept)
    note = f"The compaction you asked for was withdrawn, because {why}. Ask again if you still want it."
    return Answer(note=note, log={"decision": "disarmed", "why": why})


def stopped(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """SubagentStop: a message that is nothing but the marker is no report; it is refused once."""
    if section.get("enabled") is not True or not call.text("agent_type") or not call.text("agent_id"):
        return None
    if not marker.is_lone(call.text("last_assistant_message")):
        return None
    if not state_of(call).claim_block("marker"):
        return None
    return Answer(block=refused_stop(), log={"decision": "stop-refused"})
