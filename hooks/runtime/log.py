"""The decision log: JSONL per day, append-only, one write a line; counts, sizes and ids, never text."""

from time import gmtime, strftime

from .jsontext import dumps
from .paths import make_folders, system

DAY_BYTES = 4_000_000  # a day's log stops growing here
KEEP_DAYS = 30


def append(home: str, row: "dict[str, object]") -> bool:
    """Add one line to today's log in `<home>/log`; whether it is the day's first.

    A log that cannot be written is no reason to fail.
    """
    first = False
    now = gmtime()
    folder = home + "/log"
    path = folder + strftime("/%Y-%m-%d.jsonl", now)
    line = (dumps({"at": strftime("%Y-%m-%dT%H:%M:%SZ", now), **row}) + "\n").encode()
    flags = system.O_WRONLY | system.O_APPEND | getattr(system, "O_BINARY", 0)
    try:
        try:
            handle = system.open(path, flags)
        except FileNotFoundError:
            make_folders(folder)
            first_of_the_day(home)
            first = True
            handle = system.open(path, flags | system.O_CREAT, 0o600)
        try:
            if system.fstat(handle).st_size + len(line) <= DAY_BYTES:
                system.write(handle, line)
        finally:
            system.close(handle)
    except OSError:
        pass
    return first


def first_of_the_day(home: str) -> None:
    """Clean up once a day: logs older than KEEP_DAYS (only names of our own form) and the state of old sessions."""
    from .state import sweep

    folder = home + "/log"
    try:
        sweep(home + "/state")
    except OSError:
        pass
    days = sorted(name for name in system.listdir(folder) if name.endswith(".jsonl") and len(name) == 16)
    for name in days[: max(0, len(days) - KEEP_DAYS)]:
        system.unlink(folder + "/" + name)
