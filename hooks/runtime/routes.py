"""On which route a report reaches its caller, and whether the client can cut it there."""

from .config import read
from .paths import exists, system
from .returns import NOTIFICATION, TOOL_RESULT, WORKFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .dispatch import Call

PLUGIN = "skills/setpoint-returns"  # under the user's config folder
PLUGIN_SINCE = (2, 1, 330)  # refused by 2.1.328
TAIL = 65_536


def route_of(call: "Call") -> str:
    """The route of a stopping agent, by the client's own note beside its transcript; empty where that says nothing."""
    path = call.text("agent_transcript_path")
    meta = read(path[: -len(".jsonl")] + ".meta.json") if path.endswith(".jsonl") else None
    if meta is None:
        return ""
    if meta.get("inWorkflowRun") is True:
        return WORKFLOW
    return {"foreground": TOOL_RESULT, "background": NOTIFICATION}.get(str(meta.get("requestShape")), "")


def plugin_lives(call: "Call") -> bool:
    """Whether our plugin lies where the client looks and the client knows its event."""
    user = call.config.user
    if user is None or not exists(f"{user}/{PLUGIN}/hooks/hooks.json"):
        return False
    version = client_version(call.text("agent_transcript_path"))
    return version is not None and version >= PLUGIN_SINCE


def client_version(path: str) -> "tuple[int, ...] | None":
    """The client's version as the last record of a transcript that names one has it."""
    try:
        handle = system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        system.lseek(handle, max(0, system.fstat(handle).st_size - TAIL), 0)
        text = system.read(handle, TAIL)
    except OSError:
        return None
    finally:
        system.close(handle)
    mark = b'"version":"'
    at = text.rfind(mark)
    parts = text[at + len(mark) : at + 40].partition(b'"')[0].split(b".") if at >= 0 else []
    return tuple([int(part) for part in parts]) if parts and all(part.isdigit() for part in parts) else None
