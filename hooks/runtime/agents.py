"""Agent definitions: the frontmatter of `.claude/agents/*.md`, read without YAML."""

from .config import read_bytes
from .paths import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES = 1_000_000


def frontmatter(text: str) -> "dict[str, str | list[str]]":
    """The top-level keys of a frontmatter: a bare value as text, a list as its items. Anything deeper is left out."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    if not lines or lines[0].rstrip() != "---":
        return {}
    found: dict[str, str | list[str]] = {}
    key = ""
    for line in lines[1:]:
        if line.rstrip() in ("---", "..."):
            return found
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if bare.startswith("- ") and key:
            items = found[key] if isinstance(found[key], list) else []
            found[key] = [*items, scalar(bare[2:])]
        elif line[:1] not in (" ", "\t") and ":" in line:
            key, _, value = line.partition(":")
            key = key.strip()
            found[key] = listing(value.strip()) if value.strip().startswith("[") else scalar(value)
    return {}


def scalar(text: str) -> str:
    """A bare value without its quotes and its comment."""
    kept = text.strip()
    if kept[:1] in ("'", '"') and kept.find(kept[0], 1) > 0:
        return kept[1 : kept.find(kept[0], 1)]
    cut = kept.find(" #")
    return "" if kept.startswith("#") else kept[:cut].rstrip() if cut >= 0 else kept


def listing(text: str) -> "list[str]":
    """The items of `[a, b]`."""
    inner = text.partition("[")[2].rpartition("]")[0]
    return [scalar(item) for item in inner.split(",") if item.strip()]


def words(value: "str | list[str] | None") -> "list[str] | None":
    """A list of names however it was written; None when the key is missing or empty."""
    items = value.split(",") if isinstance(value, str) else value
    kept = [item.strip() for item in items or [] if item.strip()]
    return kept or None


def files(folder: str) -> "list[str]":
    """The definition files under a folder, deeper folders included."""
    try:
        names = sorted(system.listdir(folder))
    except OSError:
        return []
    found = [f"{folder}/{name}" for name in names if name.endswith(".md")]
    for name in names:
        if "." not in name:
            found += files(f"{folder}/{name}")
    return found


def nested(text: str, key: str) -> "str | dict[str, str] | None":
    """What stands under a key of the frontmatter, one level deep; a bare value as text; None without the key."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
    found: dict[str, str] = {}
    inside = False
    for line in lines[1:] if lines[0].rstrip() == "---" else []:
        if line.rstrip() in ("---", "..."):
            break
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        name, _, value = bare.partition(":")
        if line[:1] not in (" ", "\t"):
            if inside:
                break
            inside = name.strip() == key
            if inside and scalar(value):
                return scalar(value)
        elif inside:
            found[name.strip()] = scalar(value)
    return found or None


def definition(agent_type: str, folders: "Sequence[str]") -> "dict[str, str | list[str]] | None":
    """The frontmatter of an agent type: by file name, then by its `name`; None when no file defines it."""
    text = definition_text(agent_type, folders)
    return None if text is None else frontmatter(text)


def definition_text(agent_type: str, folders: "Sequence[str]") -> "str | None":
    """The whole definition of an agent type; None when no file defines it."""
    paths = [path for folder in folders for path in files(folder)]
    named = [path for path in paths if path.endswith(f"/{agent_type}.md")]
    for path in named + [path for path in paths if path not in named]:
        try:
            text = read_bytes(path, MAX_BYTES).decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
        if path in named or frontmatter(text).get("name") == agent_type:
            return text
    return None


def folders(root: str, user: "str | None") -> "list[str]":
    """Where agent definitions stand: the project's, then the user's."""
    return [root + "/.claude/agents"] + ([user + "/agents"] if user else [])


def can_write(found: "dict[str, str | list[str]] | None") -> bool:
    """Whether an agent with that definition can write a file: Write or Bash among its tools, none of them forbidden."""
    if found is None:
        return True
    tools = words(found.get("tools"))
    barred = words(found.get("disallowedTools")) or []
    able = [tool for tool in ("Write", "Bash") if tool not in barred]
    if tools is None or "*" in tools:
        return bool(able)
    return any(tool.partition("(")[0].strip() in able for tool in tools)
