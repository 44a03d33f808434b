"""Write docs/frames.md from the column declarations: `python -m measure.docs`."""

from __future__ import annotations

from pathlib import Path

from measure.columns import FRAMES

PAGE = Path(__file__).parents[1] / "docs" / "frames.md"

INTRODUCTION = """\
# Frames

Generated from `measure/columns.py` by `python -m measure.docs`; a test holds it current.
Every frame has exactly these columns, in this order, also when it is empty. Unknown is null, never 0.
Tokens are the API's own counts; est. tokens are ceil(UTF-16 length / 4); times are UTC.
"""

ROWS = {
    "requests": "One row a request: all records with one `message.id`, over all files.",
    "agents": "One row a thread: every agent run, and the main thread of every session (`agent_id` null, mode `main`).",
    "returns": "One row a delivered return: the text a caller got from an agent.",
    "tool_calls": "One row a tool call.",
    "reads": "One row a read: a file's content brought in by Read or by a Bash command that only prints it.",
    "compactions": "One row a `compact_boundary`.",
    "events": "One row an API error, interrupt, hook run, denial or local notice.",
    "sessions": "One row a session.",
    "files": "One row a file that was looked at, read or skipped.",
}

HEADER = "| column | type | unit | meaning | from |\n|---|---|---|---|---|\n"


def frames_page() -> str:
    """The page as Markdown: one table a frame, one line a column."""
    parts = [INTRODUCTION]
    for frame, columns in FRAMES.items():
        parts.append(
            f"\n## {frame}\n\n{ROWS[frame]}\n\n| column | type | unit | meaning | from |\n|---|---|---|---|---|\n"
        )
        parts.extend(
            f"| `{one.name}` | {one.dtype} | {one.unit} | {_cell(one.doc)} | {_cell(one.source)} |\n" for one in columns
        )
    return "".join(parts)


def _cell(text: str) -> str:
    """Text that is safe in a Markdown table: no bar, no tag."""
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(frames_page(), encoding="utf-8")
