"""A count and its noun agree: "1 request", never "1 requests"."""

import ast
import re
from pathlib import Path

import pytest
from made_transcripts import assistant, session, usage, user

from measure import cli
from measure.reports.words import counted

ROOT = Path(__file__).resolve().parents[1]
NOUNS = (
    "agents? runs|agents|asks|bytes|compactions|crossings|days|decisions|files|forks|frames|hooks|images|limits|lines|"
    "projects|reads|records|requests|responses|returns|runs|segments|sessions|steps|threads|turns|types"
)
PLURAL = re.compile(rf"^ (?:more |smaller |measured |priority )?(?:{NOUNS})\b")
# a constant above 1, or a word: no count of what was found
FIXED = {"LEAST_STEPS", "MOST_FILES", "MIN_SESSIONS", "LEAST", "PRODUCTIVE_AFTER", "FRAMES", "whose"}
SOURCES = [path for part in ("measure", "policy", "hooks") for path in sorted((ROOT / part).rglob("*.py"))]


def bare_counts(path: Path) -> list[str]:
    """Places where a value stands before a plural noun without `counted` having chosen it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for value, after in zip(getattr(node, "values", ()), getattr(node, "values", ())[1:], strict=False):
            if not (isinstance(node, ast.JoinedStr) and isinstance(value, ast.FormattedValue)):
                continue
            text = after.value if isinstance(after, ast.Constant) else ""
            fixed = {name.id for name in ast.walk(value) if isinstance(name, ast.Name)} & FIXED
            fixed |= {name.attr for name in ast.walk(value) if isinstance(name, ast.Attribute)} & FIXED
            if isinstance(text, str) and PLURAL.match(text) and not fixed:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(value)}{text[:30]}")
    return found


@pytest.mark.parametrize("path", [path for path in SOURCES if "runtime" not in path.parts], ids=str)
def test_no_sentence_puts_a_bare_value_before_a_plural_noun(path: Path) -> None:
    assert bare_counts(path) == []


def test_a_count_chooses_its_noun() -> None:
    assert [counted(n, "agent run") for n in (0, 1, 2, 1_000)] == [
        "0 agent runs",
        "1 agent run",
        "2 agent runs",
        "1,000 agent runs",
    ]


ONE = [entry.name for entry in cli.reports() if not entry.separate]


def test_no_command_says_1_before_a_plural(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session(tmp_path, [user(0), assistant(1, usage=usage(10, 20, 300, 0))])
    commands = [["report", *ONE], ["fit"], ["replay"], ["fit", "context", "compaction", "cache", "reads"]]
    for command in commands:
        assert cli.run([*command, str(tmp_path), "--no-store"]) == 0
        text = " ".join(line.strip() for line in capsys.readouterr().out.splitlines())  # columns stay two spaces apart
        assert re.search(r"\b1 file\b", text)
        assert re.findall(rf"(?<![\w.,-])1 (?:{NOUNS})\b", text) == []
