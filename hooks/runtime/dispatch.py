"""One entry for every event: parse it, ask the features that listen, answer as the client expects."""

from time import perf_counter

from .config import Config
from .jsontext import MAX_BYTES, dumps, loads
from .log import append
from .paths import exists, parent, system, user_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# event, or event:tool -> (feature, module, function); modules are imported when they are needed
HANDLERS = {
    "SubagentStart": (("returns", "guard", "start"),),
    "SubagentStop": (("compaction", "keeper", "stopped"), ("returns", "guard", "stop")),
    "PreToolUse:SubagentHandback": (("returns", "guard", "handback"),),
    "PreToolUse:Bash": (("reads", "rereads", "before"),),
    "PostToolBatch": (("context", "advice", "batch"), ("reads", "rereads", "batch"), ("compaction", "keeper", "batch")),
    "SessionStart": (("reads", "rereads", "compacted"), ("compaction", "keeper", "after_compaction")),
    "PreCompact": (("compaction", "keeper", "before_compaction"),),
    "UserPromptSubmit": (("compaction", "keeper", "prompted"),),
    "StopFailure": (("compaction", "keeper", "failed"),),
    # instead of PostToolBatch in clients before 2.1.118; where both come, the level is noted once
    "PostToolUse": (("context", "advice", "batch"),),
    "PostToolUse:Agent": (("returns", "delivery", "delivered"),),
    "PostToolUse:Task": (("returns", "delivery", "delivered"),),
}
# asked although the feature's section is missing, broken or not enabled: an ask point that the installation
# lowered must be answered for until the uninstall raises it again
ALWAYS = frozenset([("compaction", "PreCompact"), ("compaction", "SessionStart")])


class Call:
    """What a handler is given: the event, the features' config, and where our files are."""

    def __init__(self, home: str, event: "dict[str, Any]", config: "Config | None" = None) -> None:
        self.home = home
        self.event = event
        self.config = config or Config()

    def text(self, key: str) -> str:
        """A text field of the event; empty when missing or something else."""
        value = self.event.get(key)
        return value if isinstance(value, str) else ""

    def last_tool_use(self) -> str:
        """The id of the batch's last tool call (of the one call, where the event is about one)."""
        calls = self.event.get("tool_calls")
        one = calls[-1] if isinstance(calls, list) and calls else self.event
        value = one.get("tool_use_id") if isinstance(one, dict) else None
        return value if isinstance(value, str) else ""

    def identity(self) -> "dict[str, object]":
        """Event, session, agent and type for a row of the log."""
        row: dict[str, object] = {"event": self.text("hook_event_name")}
        for name, key in (("session", "session_id"), ("agent", "agent_id"), ("type", "agent_type")):
            row[name] = self.text(key)[:64] or None
        return row


class Answer:
    """What a handler wants said. Notes of several features join; the first block or denial stands."""

    def __init__(
        self,
        note: str = "",
        block: str = "",
        deny: str = "",
        output: object = None,
        given: object = None,
        plain: str = "",
        log: "dict[str, object] | None" = None,
    ) -> None:
        self.note = note  # additionalContext
        self.block = block  # decision block with this reason
        self.deny = deny  # permissionDecision deny with this reason
        self.output = output  # updatedToolOutput
        self.given = given  # updatedInput
        self.plain = plain  # plain stdout (PreCompact: instructions of the summary)
        self.log = log  # a row of the decision log


def listeners(event: "dict[str, Any]") -> "tuple[tuple[str, str, str], ...]":
    """The handlers of an event: those of its tool, then those of every tool."""
    name = event.get("hook_event_name")
    if not isinstance(name, str):
        return ()
    tool = event.get("tool_name")
    special = HANDLERS.get(f"{name}:{tool}", ()) if isinstance(tool, str) else ()
    return special + HANDLERS.get(name, ())


def stands_down(home: str, feature: str, root: str) -> bool:
    """Whether the feature is not for this copy to serve, so that two installed scopes never answer twice.

    An entry that another feature needs stays when a feature is uninstalled, and so does its section of the config.
    The marks in `on/` say what is installed; a bare copy without them serves all.
    """
    if exists(home + "/on") and not exists(f"{home}/on/{feature}"):
        return True
    user = user_folder()
    if user is None or parent(home) != user or root + "/.claude" == user:
        return False
    project = root + "/.claude/setpoint"
    return exists(f"{project}/on/{feature}") and exists(project + "/run.py")


def ask(call: Call) -> "list[Answer]":
    """The answers of every feature that listens. A handler that fails is logged and passed over."""
    answers = []
    name = call.text("hook_event_name")
    for feature, module, function in listeners(call.event):
        started = perf_counter()
        try:
            section = call.config.section(feature)
            if (feature, name) not in ALWAYS and (section is None or section.get("enabled") is not True):
                continue
            if stands_down(call.home, feature, call.config.root):
                continue
            found = getattr(__import__(f"{__package__}.{module}", fromlist=[function]), function)(call, section or {})
        except Exception as error:
            found = Answer(log={"error": fault(error)})
        if found is None:
            continue
        answers.append(found)
        if found.log is not None:
            spent = round((perf_counter() - started) * 1000, 2)
            if append(call.home, {"feature": feature, **call.identity(), **found.log, "ms": spent}):
                tidy_reports(call)
        if found.block or found.deny:
            break  # the first refusal stands: asked too, another rule would spend its own
    return answers


def tidy_reports(call: Call) -> None:
    """Once a day: the report files of ours that have grown old."""
    from .reports import tidy

    try:
        tidy(call.config.root, (call.config.section("returns") or {}).get("keepDays"))
    except OSError:
        pass


def fault(error: BaseException) -> str:
    """An error's kind and place; never its message, which may quote a text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    name = trace.tb_frame.f_code.co_filename.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{type(error).__name__} {name}:{trace.tb_lineno}"


def render(name: str, answers: "list[Answer]") -> str:
    """The standard output for those answers; empty when there is nothing to say."""
    plain = "\n\n".join([answer.plain for answer in answers if answer.plain])
    top: dict[str, object] = {}
    special: dict[str, object] = {}
    for answer in answers:
        if answer.block and "decision" not in top:
            top.update(decision="block", reason=answer.block)
        if answer.deny and "permissionDecision" not in special:
            special.update(permissionDecision="deny", permissionDecisionReason=answer.deny)
        if answer.output is not None:
            special["updatedToolOutput"] = answer.output
        if answer.given is not None:
            special["updatedInput"] = answer.given
    notes = "\n\n".join([answer.note for answer in answers if answer.note])
    if notes:
        special["additionalContext"] = notes
    if special:
        top["hookSpecificOutput"] = {"hookEventName": name, **special}
    return dumps(top) if top else plain


def respond(home: str, raw: bytes) -> str:
    """The answer to one event as the client sent it."""
    try:
        event = loads(raw)
    except ValueError as error:
        event = None
        append(
            home,
            {"error": f"event: {str(error)[:40]}" if type(error) is ValueError else f"event: {type(error).__name__}"},
        )
    if not isinstance(event, dict) or not listeners(event):
        return ""
    return render(event["hook_event_name"], ask(Call(home, event)))


def read_input() -> bytes:
    """Standard input to its end, or to a byte past what an event may be."""
    parts = []
    left = MAX_BYTES + 1
    while left > 0:
        part = system.read(0, min(left, 1 << 16))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def answer(home: str, argv: "Sequence[str]") -> str:
    """What is printed: the status line, or the answer to the event on standard input."""
    if "statusline" in argv:
        from .statusline import text

        return text(read_input())
    if "compact" in argv:
        # the hook takes the request from the command's text, in the batch that follows; there is nothing to do here
        return "Asked. The answer comes with the next step.\n"
    return respond(home, read_input())


def main(home: str, argv: "Sequence[str]") -> None:
    """Print the answer, then leave at once: an interpreter's clean-up costs a millisecond."""
    try:
        out = answer(home, argv).encode()
        while out:
            out = out[system.write(1, out) :]
    except BaseException as error:
        append(home, {"error": fault(error)})
    system._exit(0)  # noqa: SLF001 (the public name of it)
