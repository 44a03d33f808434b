"""Environment, project root and path text, without `os` (importing it costs a third of a Python start)."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import posix as system
else:
    try:
        import posix as system
    except ImportError:
        import nt as system

__all__ = [
    "LEVELS",
    "WINDOWS",
    "absolute",
    "env",
    "exists",
    "is_folder",
    "make_folders",
    "parent",
    "project_root",
    "system",
    "user_folder",
]

WINDOWS = system.__name__ == "nt"
LEVELS = 16  # how far up a config file is looked for


def env(name: str) -> "str | None":
    """Value of an environment variable; None when unset."""
    if WINDOWS:
        return system.environ.get(name)  # type: ignore[call-overload, no-any-return]
    value = system.environ.get(name.encode())
    return None if value is None else value.decode("utf-8", "surrogateescape")


def parent(path: str, windows: bool = WINDOWS) -> str:
    """The folder above; a root gives itself back."""
    text = path.replace("\\", "/") if windows else path
    root = drive_root(text) if windows else "/"
    stem = text.rstrip("/")
    cut = stem.rfind("/")
    if cut < len(root):
        return path[: len(root)] if text.startswith(root) else path
    return path[:cut]


def drive_root(text: str) -> str:
    """`C:/`, `//server/share/` or `/`: the part no parent goes above (forward slashes only)."""
    if text[1:3] == ":/":
        return text[:3]
    if text.startswith("//"):
        share = text.find("/", 2)
        end = text.find("/", share + 1) if share > 0 else -1
        return text[: end + 1] if end > 0 else text
    return "/"


def absolute(path: str, windows: bool = WINDOWS) -> bool:
    """Whether the path text starts at a root."""
    if not windows:
        return path.startswith("/")
    text = path.replace("\\", "/")
    return text[1:3] == ":/" or text.startswith("//")


def exists(path: str) -> bool:
    """Whether something stands at the path."""
    try:
        system.stat(path)
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: str) -> bool:
    """Whether the path is a folder."""
    try:
        return system.stat(path).st_mode & 0o170000 == 0o040000
    except (OSError, ValueError):
        return False


def make_folders(path: str) -> None:
    """Create a folder and those above it. Raises OSError when it cannot be made."""
    if is_folder(path):
        return
    above = parent(path)
    if above != path:
        make_folders(above)
    try:
        system.mkdir(path)
    except FileExistsError:
        if not is_folder(path):
            raise


def project_root() -> str:
    """CLAUDE_PROJECT_DIR when it exists, else the first parent with .git or .claude, else the working folder.

    Config and report folder resolve from this one place, so that a moved working folder never splits them.
    """
    given = env("CLAUDE_PROJECT_DIR")
    if given and absolute(given) and is_folder(given):
        return given.rstrip("/") or "/"
    here = path = system.getcwd()
    while True:
        if exists(path + "/.git") or exists(path + "/.claude"):
            return path
        above = parent(path)
        if above == path:
            return here
        path = above


def user_folder() -> "str | None":
    """The client's config folder of this user: CLAUDE_CONFIG_DIR, else ~/.claude; None without a home."""
    given = env("CLAUDE_CONFIG_DIR")
    if given:
        return given.rstrip("/") or "/"
    home = env("USERPROFILE" if WINDOWS else "HOME")
    return home.rstrip("/") + "/.claude" if home else None
