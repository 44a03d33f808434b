"""On which route a report reaches its caller, and whether the client can cut it there."""

from .config import candidates, read
from .paths import exists
from .returns import NOTIFICATION, TOOL_RESULT, WORKFLOW
from .state import State
from .tail import client_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .dispatch import Call

PLUGIN = "skills/setpoint-returns"  # under the user's config folder
PLUGIN_FILES = (
    ".claude-plugin/plugin.json",
    "hooks/hooks.json",
    "hooks/returns.ts",
    "src/rules.ts",
    "src/workflow.ts",
)
PLUGIN_SWITCH = "setpoint-returns@skills-dir"  # in the settings' enabledPlugins
PLUGIN_SINCE = (2, 1, 330)  # refused by 2.1.328
ANSWERED = "call-answered"  # the Agent call has its result: what the agent reports from now on comes as a notification


def route_of(call: "Call") -> str:
    """The route of a stopping agent, by the client's own note beside its transcript; empty where that says nothing.

    The note keeps saying "foreground" of an agent that is resumed, or sent to the background while it works.
    """
    path = call.text("agent_transcript_path")
    meta = read(path[: -len(".jsonl")] + ".meta.json") if path.endswith(".jsonl") else None
    if meta is None:
        return ""
    if meta.get("inWorkflowRun") is True:
        return WORKFLOW
    shape = meta.get("requestShape")
    if shape == "background":
        return NOTIFICATION
    if shape != "foreground":
        return ""
    answered = ANSWERED in State(call.home, call.text("session_id"), call.text("agent_id")).latches()
    return NOTIFICATION if answered else TOOL_RESULT


def plugin_lives(call: "Call") -> bool:
    """Whether our plugin lies whole where the client looks, is on, serves this project, and the client knows it."""
    user = call.config.user
    if user is None or not all(exists(f"{user}/{PLUGIN}/{name}") for name in PLUGIN_FILES):
        return False
    # it acts where it finds an installed copy: another project's plugin is none for a project that has none
    if not any(exists(path[: -len(".json")] + "/run.py") for path in candidates(call.config.root, user)):
        return False
    if switched_off(call.config.root, user):
        return False
    version = client_version(call.text("agent_transcript_path"))
    return version is not None and version >= PLUGIN_SINCE


def switched_off(root: str, user: str) -> bool:
    """Whether the settings switch the plugin off; the nearest that name it decide."""
    for path in (root + "/.claude/settings.local.json", root + "/.claude/settings.json", user + "/settings.json"):
        switches = (read(path) or {}).get("enabledPlugins")
        switch = switches.get(PLUGIN_SWITCH) if isinstance(switches, dict) else None
        if isinstance(switch, bool):
            return not switch
    return False
