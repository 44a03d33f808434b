"""Report files: where a long report is kept."""

from time import localtime, strftime, time

from .cut import shorten
from .paths import is_folder, make_folders, system
from .returns import KEEP_DAYS, Policy, positive, report_folder

FILE_NAME = "full-return.md"  # no agent names its own file so: what is called this is ours to clean up


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
    path = f"{folder}/{FILE_NAME}"
    handle = system.open(
        path, system.O_CREAT | system.O_TRUNC | system.O_WRONLY | getattr(system, "O_BINARY", 0), 0o600
    )
    left = text.encode("utf-8", "surrogatepass")
    try:
        while left:
            left = left[system.write(handle, left) :]
    finally:
        system.close(handle)
        if left:
            system.unlink(path)  # half a report is none
    return path


def kept(root: str, policy: Policy, text: str, agent_type: str, agent_id: str, session_id: str) -> "str | None":
    """The cut of a report whose whole was saved; None where a cut would not make it shorter.

    Raises OSError when it cannot be saved: then it is delivered whole.
    """
    folder = folder_for(root, agent_type, agent_id, session_id)
    short = shorten(text, policy.pass_tokens, f"{folder}/{FILE_NAME}", policy.keep)
    if short is not None:
        save(folder, text)
    return short


def is_ours(name: str) -> bool:
    """Whether a folder's name is of the form that we give: DATE-TIME_TYPE-ID."""
    stamp, _, rest = name.partition("_")
    day, _, time_of_day = stamp.partition("-")
    kept = rest.rpartition("-")
    return (len(day), len(time_of_day)) == (8, 6) and (day + time_of_day).isdecimal() and "" not in (kept[0], kept[2])


def tidy(root: str, keep_days: object) -> int:
    """Remove the report files of ours older than `keepDays`, and their folders where nothing else is."""
    folder = root.rstrip("/") + "/.claude/reports"
    oldest = time() - (positive(keep_days) or KEEP_DAYS) * 86_400
    gone = 0
    for name in system.listdir(folder) if is_folder(folder) else ():
        path = f"{folder}/{name}/{FILE_NAME}"
        try:
            if is_ours(name) and system.stat(path).st_mtime < oldest:
                system.unlink(path)
                gone += 1
                system.rmdir(f"{folder}/{name}")
        except OSError:
            continue
    return gone
