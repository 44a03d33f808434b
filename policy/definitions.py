"""Agent definitions as the client finds them: one row each, with the limits that hold for it."""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hooks.runtime import agents
from hooks.runtime.context import report_words
from hooks.runtime.paths import project_root, user_folder
from hooks.runtime.returns import READ_ONLY
from measure.errors import SetpointError
from policy import frontmatter as edit
from policy.limits import InForce
from policy.windows import policy_of, window_of

REPORT, CALLERS = "report", "callers"
CALLERS_TEXT = (
    "A subagent that was stopped at its turn limit: take its report as it is and do not resume the run; "
    "give what is left to a new one."
)


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition file: its text as it stands, and its frontmatter."""

    path: Path
    text: str
    head: dict[str, Any]

    @property
    def name(self) -> str:
        """The agent type."""
        return str(self.head.get("name") or self.path.stem)

    @property
    def max_turns(self) -> int | None:
        """Its turn limit, the spare turn included; None without one."""
        value = self.head.get("maxTurns")
        return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and int(value) else None


def folders(force: InForce) -> list[str]:
    """Where definitions stand: the project's, the user's, and `agentDirs` of either section that names them."""
    more = [force.sections.get(name, {}).get("agentDirs") for name in ("context", "compaction")]
    extra = [one for value in more if isinstance(value, list) for one in value if isinstance(one, str)]
    return list(dict.fromkeys([*agents.folders(project_root(), user_folder()), *extra]))


def definitions(force: InForce) -> list[Definition]:
    """Every definition, the first of a name only, as the client takes it."""
    found: dict[str, Definition] = {}
    for place in folders(force):
        for path in map(Path, agents.files(place)):
            try:
                text = path.read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue
            head = agents.frontmatter(text)
            if head:
                one = Definition(path, text, head)
                found.setdefault(one.name, one)
    return list(found.values())


def rule(words: int) -> str:
    """The report rule that stands in a definition's body."""
    return (
        f"End with a report of at most {words} words: the verdict first, path:line for every claim, no file bodies, "
        "no command output. A run that is stopped at its turn limit returns nothing: report while turns are left."
    )


def row(one: Definition, force: InForce, main_model: str) -> dict[str, Any]:
    """A definition with its limits; `problems` names each copy of a limit that differs from setpoint.json."""
    block = edit.block_of(one.text, REPORT)
    words = report_words(force.sections.get("context"))
    window, _ = window_of(one.head.get("model"), force.sections.get("compaction", {}), main_model)
    values = policy_of(one.name, agents.nested(one.text, "autoCompact"), force.sections.get("compaction", {}), window)[
        0
    ]
    return {
        "agent_type": one.name,
        "file": str(one.path),
        "model": str(one.head.get("model") or "inherit"),
        "max_turns": one.max_turns,
        "spare_turn": None if one.max_turns is None else edit.with_spare_turn(one.text) == one.text,
        "report_words": edit.words_in(block) if block else None,
        "pass_tokens": force.returns("passTokens", one.name),
        "file_tokens": force.returns("fileTokens", one.name),
        "can_write": one.name not in READ_ONLY and agents.can_write(one.head),
        "bound_tokens": force.context(str(one.head.get("model") or main_model), one.name),
        "force_at_tokens": int(values["forceAt"]),
        "problems": problems(one, block, words),
    }


def problems(one: Definition, block: str | None, words: int) -> list[str]:
    """What a check finds: a limit whose copy is missing or differs."""
    found = []
    if block is None:
        found.append("no report rule")
    elif block != rule(words):
        found.append(f"report rule is not the one for {words} words")
    if one.max_turns is not None and edit.with_spare_turn(one.text) != one.text:
        found.append("no spare turn")
    return found


def applied(one: Definition, words: int) -> str:
    """The definition's text with rule and spare turn."""
    return edit.with_block(edit.with_spare_turn(one.text), REPORT, rule(words))


def reverted(one: Definition) -> str:
    """The definition's text before `applied`."""
    return edit.without_spare_turn(edit.without_block(one.text, REPORT))


def instructions() -> Path:
    """The project's instructions to its main conversation."""
    return Path(project_root()) / "CLAUDE.md"


def instructions_after(apply: bool) -> tuple[str | None, str]:
    """(text now or None, text then) of the instructions, with the rule for callers or without it."""
    path = instructions()
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else None
    except UnicodeDecodeError as error:
        raise SetpointError(f"{path} is no UTF-8 text; nothing was changed.") from error
    if apply:
        return text, edit.with_block(text or "", CALLERS, CALLERS_TEXT)
    return text, edit.without_block(text or "", CALLERS)


def write(path: Path, text: str) -> None:
    """Replace a file whole, at the target of a link, with its mode kept."""
    target = path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode("utf-8"))
        Path(name).chmod(stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644)
        Path(name).replace(target)
    except OSError as error:
        raise SetpointError(f"{path} cannot be written ({error.strerror}).") from error
