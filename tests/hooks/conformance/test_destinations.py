"""Where a long report goes, and who may write it."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

LONG = "Finding at a.py:1. " * 600
FOLDER = re.compile(r"in the folder (.+)/ \(create it\)")
SLUGS = [
    ("general-purpose", "general-purpose"),
    ("Code Reviewer", "code-reviewer"),
    ("plugin:agent", "plugin-agent"),
    ("UPPER", "upper"),
    ("a/b\\c", "a-b-c"),
    ("../../etc/passwd", "etc-passwd"),
    ("--x--", "x"),
    ("a   b", "a-b"),
    ("агент", "agent"),
    ("агент-7", "7"),
    ("😀", "agent"),
    ("...", "agent"),
    ("x" * 80, "x" * 48),
    ("a" * 47 + "-b", "a" * 47),
    ("naïve", "na-ve"),
    ("tab\tnew\nline", "tab-new-line"),
    ("it's a $HOME `agent`", "it-s-a-home-agent"),
]


def folder_of(said: Any) -> Path:
    """The folder in a file order."""
    found = FOLDER.search(said.order)
    assert found, said.order
    return Path(found.group(1))


@pytest.mark.parametrize(("agent_type", "slug"), SLUGS)
def test_the_folder_is_named_for_its_type(copy: Any, events: Any, agent_type: str, slug: str) -> None:
    copy.returns()
    name = folder_of(copy.ask(events["stop"](LONG, agent_type))).name
    stamp, _, rest = name.partition("_")
    assert re.fullmatch(r"\d{8}-\d{6}", stamp)
    assert rest.rpartition("-")[0] == slug


def test_the_stamp_is_local_time(copy: Any, events: Any) -> None:
    copy.returns()
    name = folder_of(copy.ask(events["stop"](LONG), {"TZ": "UTC-9"})).name
    stamp = datetime.strptime(name[:15] + "+0900", "%Y%m%d-%H%M%S%z")
    assert abs((datetime.now(tz=stamp.tzinfo) - stamp).total_seconds()) < 60


@pytest.mark.parametrize(
    ("ids", "ending"),
    [
        ({"agent_id": "a1234567890abcdef"}, "90abcdef"),
        ({"agent_id": "short"}, "short"),
        ({"agent_id": "", "session_id": "0000-11112222"}, "11112222"),
        ({"agent_id": None, "session_id": "0000-33334444"}, "33334444"),
        ({"agent_id": "../..", "session_id": "0000-55556666"}, "55556666"),
    ],
    ids=str,
)
def test_the_run_id(copy: Any, events: Any, ids: dict[str, Any], ending: str) -> None:
    copy.returns()
    assert folder_of(copy.ask(events["stop"](LONG, **ids))).name.endswith(f"-{ending}")


def test_the_run_id_is_random_without_ids(copy: Any, events: Any) -> None:
    copy.returns()
    names = [folder_of(copy.ask(events["stop"](LONG, agent_id=None, session_id=None))).name for _ in range(2)]
    assert names[0][-8:] != names[1][-8:]


def test_two_agents_of_one_type_in_one_second_get_two_folders(copy: Any, events: Any) -> None:
    copy.returns()
    assert folder_of(copy.ask(events["stop"](LONG))) != folder_of(copy.ask(events["stop"](LONG)))


def test_the_client_s_project_folder_is_the_root(copy: Any, events: Any) -> None:
    copy.returns()
    inner = copy.project / "deep" / ".git"
    inner.mkdir(parents=True)
    place = folder_of(copy.ask(events["stop"](LONG), cwd=inner.parent))
    assert place.parent == copy.project / ".claude" / "reports"


@pytest.mark.parametrize("mark", [".git", ".claude"])
@pytest.mark.parametrize("given", ["-", "/nowhere/at/all", "", "relative/folder"])
def test_else_the_first_parent_with_a_mark(copy: Any, events: Any, mark: str, given: str) -> None:
    """A .git file (a worktree) marks a root too."""
    root = copy.project / "one"
    inner = root / "two" / "three"
    inner.mkdir(parents=True)
    (root / mark).mkdir() if mark == ".claude" else (root / mark).write_text("gitdir: x")
    copy.returns()
    place = folder_of(copy.ask(events["stop"](LONG), {"CLAUDE_PROJECT_DIR": given}, cwd=inner))
    assert place.parent == root / ".claude" / "reports"


def test_else_the_working_folder(copy: Any, events: Any, tmp_path: Path) -> None:
    copy.config({"returns": {"enabled": True}}, copy.user)
    alone = tmp_path / "alone"
    alone.mkdir()
    place = folder_of(copy.ask(events["stop"](LONG), {"CLAUDE_PROJECT_DIR": "-"}, cwd=alone))
    assert place.parent == alone / ".claude" / "reports"


@pytest.mark.parametrize("name", ["with space", "it's", "$HOME", "ünïcödé 漢", "a;b&c", "(x)"])
def test_any_project_name(copy: Any, events: Any, name: str) -> None:
    root = copy.project / name
    root.mkdir()
    copy.returns()
    place = folder_of(copy.ask(events["stop"](LONG), {"CLAUDE_PROJECT_DIR": str(root)}))
    assert place.parent == root / ".claude" / "reports"


READING = "---\nname: reader\ndescription: x\ntools: Read, Grep\n---\nbody\n"
WRITERS = {
    "no tools": ("---\nname: reader\n---\n", True),
    "empty tools": ("---\nname: reader\ntools:\n---\n", True),
    "all": ("---\nname: reader\ntools: '*'\n---\n", True),
    "write": ("---\nname: reader\ntools: Read, Write\n---\n", True),
    "bash": ("---\nname: reader\ntools: Read, Bash\n---\n", True),
    "bash with a pattern": ("---\nname: reader\ntools: Read, Bash(git *)\n---\n", True),
    "list": ("---\nname: reader\ntools: [Read, Grep]\n---\n", False),
    "list of writers": ('---\nname: reader\ntools: ["Read", "Write"]\n---\n', True),
    "lines": ("---\nname: reader\ntools:\n  - Read\n  - Grep\n---\n", False),
    "lines of writers": ("---\nname: reader\ntools:\n- Read\n- Bash\n---\n", True),
    "reading": (READING, False),
    "carriage returns": (READING.replace("\n", "\r\n"), False),
    "byte order mark": ("\ufeff" + READING, False),
    "comment": ("---\n# x\nname: reader\ntools: Read # only\n---\n", False),
    "forbidden": ("---\nname: reader\ndisallowedTools: Write, Bash\n---\n", False),
    "half forbidden": ("---\nname: reader\ndisallowedTools: Write\n---\n", True),
    "never closed": ("---\nname: reader\ntools: Read\n", True),
    "no frontmatter": ("tools: Read\n", True),
}


@pytest.mark.parametrize("name", WRITERS)
def test_agents_that_cannot_write_get_no_file_order(copy: Any, events: Any, name: str) -> None:
    text, writes = WRITERS[name]
    copy.returns()
    path = copy.project / ".claude" / "agents" / "reader.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    said = copy.ask(events["stop"](LONG, "reader"))
    assert (".claude/reports" in said.order) == writes
    assert ("to a file" in copy.ask(events["start"]("reader")).note) == writes


@pytest.mark.parametrize("where", ["agents/deeper/reader.md", "agents/other-name.md"])
def test_definitions_are_found_by_file_and_by_name(copy: Any, events: Any, where: str) -> None:
    copy.returns()
    path = copy.project / ".claude" / where
    path.parent.mkdir(parents=True)
    path.write_text(READING)
    assert ".claude/reports" not in copy.ask(events["stop"](LONG, "reader")).order


def test_the_project_s_definition_beats_the_user_s(copy: Any, events: Any) -> None:
    copy.returns()
    for folder, text in ((copy.user, READING), (copy.project, READING.replace("Grep", "Write"))):
        path = folder / ".claude" / "agents" / "reader.md"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    assert ".claude/reports" in copy.ask(events["stop"](LONG, "reader")).order


@pytest.mark.parametrize("agent_type", ["Explore", "Plan", "statusline-setup"])
def test_built_in_readers_compress_instead(copy: Any, events: Any, agent_type: str) -> None:
    copy.returns()
    said = copy.ask(events["stop"](LONG, agent_type))
    assert "same answer again" in said.order
    assert ".claude" not in said.order


def test_plan_mode_allows_no_file(copy: Any, events: Any) -> None:
    copy.returns()
    assert "reports/" not in copy.ask(events["stop"](LONG, permission_mode="plan")).order


@pytest.mark.parametrize("route", ["stop", "handback"])
def test_spill_saves_the_whole_report_for_them(copy: Any, events: Any, route: str) -> None:
    copy.returns(spill=True)
    text = LONG + "😀 the end \ud800"
    said = copy.ask(events[route](text, "Explore"))
    found = re.search(r"already saved as (.+/full-return\.md) ", said.order)
    assert found
    assert Path(found.group(1)).read_bytes() == text.encode("utf-8", "surrogatepass")
    assert Path(found.group(1)).is_relative_to(copy.project / ".claude" / "reports")


def test_spill_is_not_used_by_agents_that_write(copy: Any, events: Any) -> None:
    copy.returns(spill=True)
    assert "create it" in copy.ask(events["stop"](LONG)).order


def test_a_spill_that_cannot_be_written_lets_the_report_pass(copy: Any, events: Any) -> None:
    copy.returns(spill=True)
    (copy.project / ".claude" / "reports").write_text("in the way")
    assert copy.ask(events["stop"](LONG, "Explore")).silent


EXEMPT = [
    (["general-purpose"], True),
    (["general-*"], True),
    (["*"], True),
    (["?eneral-purpose"], True),
    (["*purpose"], True),
    (["General-purpose"], False),
    (["general"], False),
    (["*x*"], False),
    ([5, None, "general-purpose"], True),
    ("general-purpose", False),
    ([], False),
    (None, False),
    ({"general-purpose": True}, False),
]


@pytest.mark.parametrize(("patterns", "left_alone"), EXEMPT, ids=str)
def test_exempt_types_are_left_alone(copy: Any, events: Any, patterns: Any, left_alone: bool) -> None:
    copy.returns(exempt=patterns)
    assert copy.ask(events["start"]()).silent == left_alone
    assert copy.ask(events["stop"](LONG)).silent == left_alone


TYPES = ["general-purpose", "Explore", "Plan", "fork", "workflow-subagent", "plugin:agent", "агент", "a b", "x" * 60]


@pytest.mark.parametrize("agent_type", TYPES)
@pytest.mark.parametrize("config", [{}, {"passTokens": 123, "fileTokens": 4567}], ids=str)
def test_announced_is_enforced(copy: Any, events: Any, agent_type: str, config: dict[str, Any]) -> None:
    own = {"byAgentType": {"Explore": {"passTokens": 77}}}
    copy.returns(**config, **own)
    note = copy.ask(events["start"](agent_type)).note
    budget = int(note.partition("may take ")[2].split()[0])
    assert copy.ask(events["stop"]("x" * budget * 4, agent_type)).silent
    said = copy.ask(events["stop"]("x" * (budget * 4 + 1), agent_type))
    assert f"the budget is {budget}." in said.order
    assert budget == (77 if agent_type == "Explore" else config.get("passTokens", 1000))
    file_order = copy.ask(events["stop"]("x" * 20_000, agent_type)).order
    if agent_type not in ("Explore", "Plan"):
        assert f"Above {config.get('fileTokens', 2500)} tokens" in note
        assert f"Above {config.get('fileTokens', 2500)} the detail" in file_order


def test_the_contract_is_short(copy: Any, events: Any) -> None:
    copy.returns()
    for agent_type in ("general-purpose", "Explore"):
        note = copy.ask(events["start"](agent_type)).note
        assert 45 <= (len(note) + 3) // 4 <= 100
        for word in ("verdict", "30 lines", "path:line", "file bodies", "command output", "logs", "preamble"):
            assert word in note
