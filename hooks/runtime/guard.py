"""The return guard: announces the budget, and stops a report that is over it, once per agent."""

from .dispatch import Answer, Call
from .paths import env
from .returns import (
    CUT,
    ENV_FILE,
    ENV_PASS,
    FILE,
    HANDBACK,
    NOTIFICATION,
    PASS,
    READ_ONLY,
    SHORTEN,
    SPILL,
    WORKFLOW,
    Policy,
    contract,
    decide,
    est_tokens,
    order,
)
from .state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HANDED_BACK, OWN_BLOCK = "handed-back", "block-return"
AGAIN = " Then call SubagentHandback again with the shorter message."


def policy_for(section: "dict[str, Any]", agent_type: str) -> Policy:
    """The policy of an agent type under this process's environment."""
    return Policy(section, agent_type, {name: env(name) for name in (ENV_PASS, ENV_FILE)})


def writes(call: Call, agent_type: str) -> bool:
    """Whether this agent can write a report file."""
    if agent_type in READ_ONLY or call.event.get("permission_mode") == "plan":
        return False
    # imported where it is needed: a short report never comes here
    from .agents import can_write, definition, folders

    return can_write(definition(agent_type, folders(call.config.root, call.config.user)))


def start(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """SubagentStart: announce the budget."""
    agent_type = call.text("agent_type")
    policy = policy_for(section, agent_type)
    if not agent_type or not policy.acts:
        return None
    row: dict[str, object] = {"decision": "announce", "limit": policy.pass_tokens, "file": policy.file_tokens}
    return Answer(note=contract(policy, writes(call, agent_type)), log=row)


def stop(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """SubagentStop: block an over-long report once; a report handed back before was judged there."""
    if call.event.get("stop_hook_active") is True and not refused_for_another_reason(call):
        return None
    return judge(call, section, call.text("last_assistant_message"), "stop")


def refused_for_another_reason(call: Call) -> bool:
    """Whether the running continuation is one of our other rules' doing: that never spends the guard's own block."""
    if not call.text("agent_id"):
        return False
    taken = State(call.home, call.text("session_id"), call.text("agent_id")).latches()
    return OWN_BLOCK not in taken and any(name.startswith("block-") for name in taken)


def handback(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """PreToolUse SubagentHandback: deny an over-long report once."""
    value = call.event.get("tool_input")
    message = value.get("message") if isinstance(value, dict) else None
    return judge(call, section, message if isinstance(message, str) else "", HANDBACK)


def judge(call: Call, section: "dict[str, Any]", text: str, route: str) -> "Answer | None":
    """The guard's answer to a report on one route."""
    agent_type, agent_id = call.text("agent_type"), call.text("agent_id")
    if not agent_type or not text.strip():
        return None
    policy = policy_for(section, agent_type)
    if not policy.acts:
        return None
    size = est_tokens(text)
    row: dict[str, object] = {"route": route, "size": size, "limit": policy.pass_tokens, "decision": PASS}
    state = State(call.home, call.text("session_id"), agent_id) if agent_id else None
    if state is not None and route == HANDBACK:
        state.claim(HANDED_BACK)
    if decide(policy, size, can_cut=True) == PASS:
        return Answer(log=row)
    if route == "stop" and cut_later(call, policy):
        return Answer(log=dict(row, why="cut at delivery"))
    if route == HANDBACK and policy.cuts(HANDBACK, plugin=False):
        return cut_now(call, policy, text, row)
    if decide(policy, size) == PASS:
        return Answer(log=row)
    if not may_block(state, route):
        return Answer(log=dict(row, why="spent"))
    action = decide(policy, size)
    if action == FILE and not writes(call, agent_type):
        action = decide(policy, size, can_write=False)
    reason = order(action, policy, size, place_for(call, action, text), AGAIN if route == HANDBACK else "")
    row["decision"] = action
    return Answer(log=row, **{"deny" if route == HANDBACK else "block": reason})


def place_for(call: Call, action: str, text: str) -> str:
    """The report folder that a file order names, or the file into which the report was spilled."""
    if action not in (FILE, SPILL):
        return ""
    from .reports import folder_for, save

    folder = folder_for(call.config.root, call.text("agent_type"), call.text("agent_id"), call.text("session_id"))
    return save(folder, text) if action == SPILL else folder


def may_block(state: "State | None", route: str) -> bool:
    """Whether this agent's one block by the guard is still free; takes it."""
    if state is None:
        # no agent id, no latch: `stop_hook_active` is the brake of one route, the other has none
        return route == "stop"
    return not (route == "stop" and HANDED_BACK in state.latches()) and state.claim_block("return")


def cut_later(call: Call, policy: Policy) -> bool:
    """Whether this report is cut where it is delivered, so that the agent need not be asked."""
    if not (policy.mode == SHORTEN or policy.shorten_foreground):
        return False
    from .routes import plugin_lives, route_of

    route = route_of(call)
    return policy.cuts(route, plugin=route in (NOTIFICATION, WORKFLOW) and plugin_lives(call))


def cut_now(call: Call, policy: Policy, text: str, row: "dict[str, object]") -> Answer:
    """The hand-back call with the cut report in it; as it is where the cut does not make it shorter."""
    from .reports import kept

    short = kept(
        call.config.root, policy, text, call.text("agent_type"), call.text("agent_id"), call.text("session_id")
    )
    if short is None:
        return Answer(log=row)
    row.update(decision=CUT, delivered=est_tokens(short))
    return Answer(given=dict(call.event["tool_input"], message=short), log=row)
