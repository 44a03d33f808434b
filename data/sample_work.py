"""What the sample's threads do with the files of a project: read, search, run, edit. Used by `make_sample.py` only."""

from __future__ import annotations

from typing import Any

from sample_client import Made, Thread


class Files:
    """The files of a project, as far as a session has seen them."""

    def __init__(self, made: Made, cwd: str) -> None:
        """A dozen files of made-up lines."""
        self.made = made
        self.lines = {f"{cwd}/src/{made.word()}.py": made.text(made.size(1000, 0.5)).split("\n") for _ in range(12)}
        self.paths = list(self.lines)


def read(thread: Thread, files: Files, path: str, first: int = 1, count: int | None = None) -> None:
    """A Read of a file or of a range."""
    lines = files.lines[path]
    part = lines[first - 1 : first - 1 + count] if count else lines[first - 1 :]
    wanted: dict[str, Any] = {"file_path": path}
    if count:
        wanted |= {"offset": first, "limit": count}
    own = thread.call("Read", wanted)
    text = "\n".join(f"{number}\t{line}" for number, line in enumerate(part, first))
    file = {"filePath": path, "content": "\n".join(part), "numLines": len(part), "startLine": first}
    thread.result(own, text, {"type": "text", "file": file | {"totalLines": len(lines)}})


def bash(thread: Thread, command: str, text: str, *, error: bool = False) -> None:
    """A Bash call."""
    own = thread.call("Bash", {"command": command, "description": thread.session.made.text(20)})
    extra: Any = f"Error: {text}" if error else {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    thread.result(own, text, extra, error=error)


def print_file(thread: Thread, files: Files, path: str, first: int, last: int) -> None:
    """A Bash command that only prints a part of a file."""
    bash(thread, f"sed -n '{first},{last}p' {path}", "\n".join(files.lines[path][first - 1 : last]))


def grep(thread: Thread, files: Files) -> None:
    """A search."""
    found = thread.session.made.random.sample(files.paths, 3)
    own = thread.call("Grep", {"pattern": thread.session.made.word(), "output_mode": "files_with_matches"})
    extra = {"mode": "files_with_matches", "filenames": found, "numFiles": 3}
    thread.result(own, "Found 3 files\n" + "\n".join(found), extra)


def edit(thread: Thread, files: Files, path: str) -> None:
    """An edit of one line: what the context held of the file is old then."""
    lines = files.lines[path]
    old, new = lines[0], thread.session.made.text(40)
    lines[0] = new
    own = thread.call("Edit", {"file_path": path, "old_string": old, "new_string": new})
    extra = {"filePath": path, "oldString": old, "newString": new, "structuredPatch": [], "replaceAll": False}
    thread.result(own, f"The file {path} has been updated.", extra)


def work(thread: Thread, files: Files, steps: int) -> None:
    """Some steps of looking around, with the repeats that real sessions show."""
    made = thread.session.made
    seen: list[str] = []
    for _ in range(steps):
        kind = made.random.random()
        if kind < 0.42 or not seen:
            seen.append(made.random.choice(files.paths))
            read(thread, files, seen[-1], count=14 if made.random.random() < 0.3 else None)
        elif kind < 0.52:
            read(thread, files, made.random.choice(seen), made.random.randint(1, 6), 12)
        elif kind < 0.64:
            first = made.random.randint(1, 8)
            print_file(thread, files, made.random.choice(seen), first, first + 14)
        elif kind < 0.76:
            grep(thread, files)
        elif kind < 0.86:
            edit(thread, files, made.random.choice(seen))
        else:
            bash(thread, "pytest -q", made.text(made.size(700, 0.6)), error=made.random.random() < 0.2)
