"""Report files: where a long report is kept."""

from time import localtime, strftime

from .paths import make_folders, system
from .returns import report_folder


def run_id(agent_id: str, session_id: str) -> str:
    """8 characters of the agent's id, else of the session's, else random ones."""
    for text in (agent_id, session_id):
        kept = "".join([char for char in text if char.isascii() and char.isalnum()])
        # agent ids share their first letter: take the last characters, which differ
        if kept:
            return kept[-8:]
    return system.urandom(4).hex()


def folder_for(root: str, agent_type: str, agent_id: str, session_id: str) -> str:
    """The absolute folder for one report of this agent, named by local time."""
    stamp = strftime("%Y%m%d-%H%M%S", localtime())
    return report_folder(root, stamp, agent_type, run_id(agent_id, session_id))


def save(folder: str, text: str) -> str:
    """Write a whole report into its folder and give its path. Raises OSError when it cannot be written."""
    make_folders(folder)
    path = folder + "/report.md"
    handle = system.open(
        path, system.O_CREAT | system.O_TRUNC | system.O_WRONLY | getattr(system, "O_BINARY", 0), 0o600
    )
    try:
        left = text.encode("utf-8", "surrogatepass")
        while left:
            left = left[system.write(handle, left) :]
    finally:
        system.close(handle)
    return path
