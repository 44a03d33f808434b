"""PostToolUse Agent: a foreground report that is too long reaches its caller cut, with the whole in a file."""

from .dispatch import Answer, Call
from .guard import policy_for
from .reports import kept
from .returns import CUT, PASS, TOOL_RESULT, decide, est_tokens
from .routes import ANSWERED
from .state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def report_blocks(response: "dict[str, Any]") -> "tuple[int, int] | None":
    """[first, end) of the report among the blocks of an Agent result; the others are the client's own notes."""
    content = response.get("content")
    if not isinstance(content, list):
        return None
    before, after = response.get("harnessNoteCount", 0), response.get("harnessTailCount", 0)
    if not isinstance(before, int) or not isinstance(after, int) or before < 0 or after < 0:
        return None
    first, end = before, len(content) - after
    for block in content[first:end]:
        if not isinstance(block, dict) or block.get("type") != "text" or not isinstance(block.get("text"), str):
            return None
    return (first, end) if first < end else None


def note_answer(call: Call, section: "dict[str, Any]") -> None:
    """Remember that this agent's call has its result, where reports of its type are cut in results."""
    response, asked = call.event.get("tool_response"), call.event.get("tool_input")
    if not isinstance(response, dict) or not isinstance(response.get("agentId"), str) or not response["agentId"]:
        return
    kind = response.get("agentType") or (asked.get("subagent_type") if isinstance(asked, dict) else None)
    if isinstance(kind, str) and policy_for(section, kind).cuts(TOOL_RESULT, plugin=False):
        try:
            State(call.home, call.text("session_id"), response["agentId"]).claim(ANSWERED)
        except OSError:
            pass


def delivered(call: Call, section: "dict[str, Any]") -> "Answer | None":
    """Replace the report in the tool's output; an agent that was blocked before is left alone."""
    note_answer(call, section)
    response = call.event.get("tool_response")
    if not isinstance(response, dict) or response.get("status") != "completed":
        return None
    blocks = report_blocks(response)
    agent_type, agent_id = response.get("agentType"), response.get("agentId")
    if blocks is None or not isinstance(agent_type, str) or not isinstance(agent_id, str) or not agent_type:
        return None
    policy = policy_for(section, agent_type)
    if not policy.cuts(TOOL_RESULT, plugin=False):
        return None
    content = response["content"]
    text = "\n".join([block["text"] for block in content[blocks[0] : blocks[1]]])
    size = est_tokens(text)
    row: dict[str, object] = {"route": "foreground", "size": size, "limit": policy.pass_tokens, "decision": PASS}
    row.update(agent=agent_id[:64], type=agent_type[:64])
    if decide(policy, size, can_cut=True) != CUT:
        return Answer(log=row)
    if "block-return" in State(call.home, call.text("session_id"), agent_id).latches():
        return Answer(log=dict(row, why="spent"))
    short = kept(call.config.root, policy, text, agent_type, agent_id, call.text("session_id"))
    if short is None:
        return Answer(log=row)
    shown = [*content[: blocks[0]], dict(content[blocks[0]], text=short), *content[blocks[1] :]]
    row.update(decision=CUT, delivered=est_tokens(short))
    return Answer(output=dict(response, content=shown), log=row)
