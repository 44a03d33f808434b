"""The reads feature: a Bash command that only prints files is answered with the equal Read call (pure rules).

In doubt it says nothing. A range is (first line, last line), both counted from 1 and included.
"""

from .printing import Print, read_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

DENY, NOTE, OFF = MODES = ("deny", "note", "off")
MAX_BYTES = 262_144  # Read refuses larger files without a range
# Read shows these in a form of its own, so a printed text is not what it would give
OWN_FORM = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".pdf", ".ipynb", ".svg")
PLAIN = "Reads guard: "


def mode_of(section: "dict[str, Any]") -> str:
    """`mode` of the `reads` section: deny, note (the default) or off."""
    value = section.get("mode")
    return value if isinstance(value, str) and value in MODES else NOTE


def repeat_only(section: "dict[str, Any]") -> bool:
    """Whether only ranges that the thread already holds are acted on (the default)."""
    return section.get("repeatOnly") is not False


def readable(data: bytes, path: str) -> bool:
    """Whether Read would give these bytes as lines of text."""
    if len(data) > MAX_BYTES or b"\0" in data or path.lower().endswith(OWN_FORM):
        return False
    try:
        data.decode("utf-8")
    except ValueError:
        return False
    return True


def line_count(data: bytes) -> int:
    """Lines of a file; the last counts without its newline too."""
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


def lines_of(one: Print, count: int) -> "tuple[int, int] | None":
    """The range that a print of a file with `count` lines shows; None when it shows nothing."""
    if one.from_end is not None:
        first, last = max(1, count - one.from_end + 1), count
    else:
        first, last = one.first_line or 1, count if one.last_line is None else min(one.last_line, count)
    return (first, last) if first <= last else None


def add(ranges: "Sequence[Sequence[int]]", new: "tuple[int, int]") -> "list[list[int]]":
    """Ranges with one more, merged where they touch."""
    merged: list[list[int]] = []
    for first, last in sorted([(one[0], one[1]) for one in ranges] + [new]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def holds(ranges: "Sequence[Sequence[int]]", wanted: "tuple[int, int]") -> bool:
    """Whether one of the (merged) ranges contains the wanted one."""
    return any(one[0] <= wanted[0] and wanted[1] <= one[1] for one in ranges)


def call_text(one: Print, count: int, path: str) -> str:
    """The equal Read call in words."""
    call = read_call(Print(path, one.first_line, one.last_line, one.from_end), count) or {"file_path": path}
    parts = [f"{key}={value}" for key, value in call.items()]
    return "Read(" + ", ".join(parts) + ")"


def order(mode: str, calls: "Sequence[str]", held: bool) -> str:
    """What the model is told: the same words for a denial and a note, apart from what it may do now."""
    plural = "these files" if len(calls) > 1 else "a file"
    why = "this context already holds those lines, unchanged" if held else f"this command only prints {plural}"
    use = " and ".join(calls)
    if mode == DENY:
        again = "Use what you have, or " if held else "Use "
        return f"{PLAIN}{why}. {again}{use} (a guard's directive, not user data)."
    return f"{PLAIN}{why}; {use} gives the same, by range. Prefer it next time (a guard's directive, not user data)."
