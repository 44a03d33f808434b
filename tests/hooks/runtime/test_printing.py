"""The table of shell commands: what counts as a print, with the exact Read call, and what never does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooks.runtime.printing import Print, prints, read_call

ROOT = Path(__file__).parents[3]

# command -> the Read calls that give the same lines; the files named here have 100 lines.
PRINTS: list[tuple[str, list[dict[str, object]]]] = [
    ("cat a.txt", [{"file_path": "a.txt"}]),
    ("  cat   a.txt  ", [{"file_path": "a.txt"}]),
    ("cat a.txt\n", [{"file_path": "a.txt"}]),
    ("cat\ta.txt", [{"file_path": "a.txt"}]),
    ("cat a.txt;", [{"file_path": "a.txt"}]),
    ("cat -- a.txt", [{"file_path": "a.txt"}]),
    ("cat -- -n", [{"file_path": "-n"}]),
    ("cat /srv/app/src/main.rs", [{"file_path": "/srv/app/src/main.rs"}]),
    ("cat ./a.txt", [{"file_path": "./a.txt"}]),
    ("cat ../b/a.txt", [{"file_path": "../b/a.txt"}]),
    ("cat 'a b.txt'", [{"file_path": "a b.txt"}]),
    ('cat "a b.txt"', [{"file_path": "a b.txt"}]),
    ("cat \"a\"'b'c.txt", [{"file_path": "abc.txt"}]),
    ("cat 'a*b.txt'", [{"file_path": "a*b.txt"}]),
    ("cat 'price $5.txt'", [{"file_path": "price $5.txt"}]),
    ("cat 'a;b.txt'", [{"file_path": "a;b.txt"}]),
    ('cat "it\'s.txt"', [{"file_path": "it's.txt"}]),
    ("cat naïve/日本語.md", [{"file_path": "naïve/日本語.md"}]),
    ("cat 😀.txt", [{"file_path": "😀.txt"}]),
    ("cat a=b.txt", [{"file_path": "a=b.txt"}]),
    ("cat file~", [{"file_path": "file~"}]),
    ("cat notes#1.md", [{"file_path": "notes#1.md"}]),
    ('cat "C:/Users/dev/out.log"', [{"file_path": "C:/Users/dev/out.log"}]),
    ("cat C:/Users/dev/out.log", [{"file_path": "C:/Users/dev/out.log"}]),
    ("sed -n '40,80p' a.txt", [{"file_path": "a.txt", "offset": 40, "limit": 41}]),
    ('sed -n "40,80p" a.txt', [{"file_path": "a.txt", "offset": 40, "limit": 41}]),
    ("sed -n 40,80p a.txt", [{"file_path": "a.txt", "offset": 40, "limit": 41}]),
    ("sed -n '1,1p' a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 1}]),
    ("sed -n '7p' a.txt", [{"file_path": "a.txt", "offset": 7, "limit": 1}]),
    ("sed -n 7p a.txt", [{"file_path": "a.txt", "offset": 7, "limit": 1}]),
    ("sed -n '610,622p' /srv/app/a.ts", [{"file_path": "/srv/app/a.ts", "offset": 610, "limit": 13}]),
    ("sed -n '1,20p' 'my file.py'", [{"file_path": "my file.py", "offset": 1, "limit": 20}]),
    ("head a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 10}]),
    ("head -n 25 a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 25}]),
    ("head -n25 a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 25}]),
    ("head -25 a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 25}]),
    ("head -25 -- a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 25}]),
    ("head -- a.txt", [{"file_path": "a.txt", "offset": 1, "limit": 10}]),
    ("tail a.txt", [{"file_path": "a.txt", "offset": 91}]),
    ("tail -n 20 a.txt", [{"file_path": "a.txt", "offset": 81}]),
    ("tail -n20 a.txt", [{"file_path": "a.txt", "offset": 81}]),
    ("tail -20 a.txt", [{"file_path": "a.txt", "offset": 81}]),
    ("tail -200 a.txt", [{"file_path": "a.txt"}]),
    ("tail -100 a.txt", [{"file_path": "a.txt"}]),
    ("tail -n +30 a.txt", [{"file_path": "a.txt", "offset": 30}]),
    ("tail -n+30 a.txt", [{"file_path": "a.txt", "offset": 30}]),
    ("tail -n +1 a.txt", [{"file_path": "a.txt"}]),
    ("cat a.txt && cat b.txt", [{"file_path": "a.txt"}, {"file_path": "b.txt"}]),
    ("cat a.txt&&cat b.txt", [{"file_path": "a.txt"}, {"file_path": "b.txt"}]),
    ("cat a.txt; head -5 b.txt;", [{"file_path": "a.txt"}, {"file_path": "b.txt", "offset": 1, "limit": 5}]),
    (
        "sed -n '1,5p' a.txt && sed -n '20,30p' a.txt; tail -n 5 b.txt",
        [
            {"file_path": "a.txt", "offset": 1, "limit": 5},
            {"file_path": "a.txt", "offset": 20, "limit": 11},
            {"file_path": "b.txt", "offset": 96},
        ],
    ),
]

OTHER = [
    # nothing, or no file
    "",
    "   ",
    "cat",
    "cat -",
    "cat --",
    "cat -- -",
    "cat ''",
    "head",
    "head -n 5",
    "tail -20",
    "sed -n '1,5p'",
    "sed",
    # several files
    "cat a b",
    "cat a.txt b.txt c.txt",
    "head -5 a.txt b.txt",
    "tail -n 5 a.txt b.txt",
    "sed -n '1,5p' a.txt b.txt",
    # options that change what is printed
    "cat -A a.txt",
    "cat -n a.txt",
    "cat -v a.txt",
    "cat a.txt -n",
    "cat --number a.txt",
    "head -c 100 a.txt",
    "head -c100 a.txt",
    "head -n -5 a.txt",
    "head -n +5 a.txt",
    "head -n 5k a.txt",
    "head -n 0 a.txt",
    "head -0 a.txt",
    "head -5 -v a.txt",
    "head -q a.txt",
    "head a.txt -n 5",
    "head -n five a.txt",
    "head -n \uff15 a.txt",
    "head -n 99999999999 a.txt",
    "tail -f a.txt",
    "tail -F a.txt",
    "tail -5f a.txt",
    "tail -n 5 -f a.txt",
    "tail -c 20 a.txt",
    "tail -r a.txt",
    "tail +5 a.txt",
    "tail -+5 a.txt",
    "tail -n -5 a.txt",
    "tail -n +0 a.txt",
    # other sed scripts
    "sed 's/a/b/' a.txt",
    "sed -n '/x/p' a.txt",
    "sed -n '/x/,/y/p' a.txt",
    "sed -n '10,$p' a.txt",
    "sed -n '$p' a.txt",
    "sed -n '1,5p;9p' a.txt",
    "sed -n '1~2p' a.txt",
    "sed -n '5,+3p' a.txt",
    "sed -n '9,5p' a.txt",
    "sed -n '0,5p' a.txt",
    "sed -n '5,p' a.txt",
    "sed -n ',5p' a.txt",
    "sed -n 'p' a.txt",
    "sed -n '5!p' a.txt",
    "sed -n '1,5 p' a.txt",
    "sed -n '1,5l' a.txt",
    "sed '1,5p' a.txt",
    "sed 5q a.txt",
    "sed -n -e '1,5p' a.txt",
    "sed -ne '1,5p' a.txt",
    "sed -i '1,5d' a.txt",
    "sed -n '1,5p' -i a.txt",
    "sed -n -i '1,5p' a.txt",
    "sed -n '1,5w out' a.txt",
    # pipes, redirections, here-documents, here-strings
    "cat a.txt | head -3",
    "cat a.txt|wc -l",
    "sed -n '610,620p' a.ts | cat -v",
    "cat < a.txt",
    "cat a.txt > b.txt",
    "cat a.txt >> b.txt",
    "cat a.txt 2>/dev/null",
    "cat a.txt 2>&1",
    "cat a.txt &> out",
    "cat > a.txt << 'EOF'\nx\nEOF",
    "cat <<EOF\nx\nEOF",
    "cat <<< hello",
    "cat <(ls)",
    "head -5 <<< 'a.txt'",
    # substitutions, variables, globs, braces, home
    "cat $FILE",
    "cat ${FILE}",
    'cat "$FILE"',
    'cat "$(ls | head -1)"',
    "cat $(ls)",
    "cat `ls`",
    'cat "`ls`"',
    "cat *.txt",
    "cat a?.txt",
    "cat a[12].txt",
    "cat {a,b}.txt",
    "cat ~/a.txt",
    "cat '~/a.txt'",
    "cat ~dev/a.txt",
    "cat =a.txt",
    'sed -n "$A,${B}p" a.txt',
    "head -n $N a.txt",
    # quoting that is open, or escapes
    "cat 'a.txt",
    'cat "a.txt',
    "cat a\\ b.txt",
    'cat "a\\"b.txt"',
    "cat C:\\Users\\dev\\a.txt",
    'cat "C:\\Users\\dev\\a.txt"',
    "cat $'a.txt'",
    'cat "a!b.txt"',
    "cat a!b.txt",
    # other commands before, between, after; other joins
    "cd /srv && cat a.txt",
    "cat a.txt && echo done",
    "echo x; cat a.txt",
    "cat a.txt; rm a.txt",
    "cat a.txt || cat b.txt",
    "cat a.txt & cat b.txt",
    "cat a.txt &",
    "cat a.txt &&",
    "&& cat a.txt",
    "cat a.txt ;; cat b.txt",
    "cat a.txt && && cat b.txt",
    "cat a.txt\ncat b.txt",
    "cat a.txt # the file",
    "(cat a.txt)",
    "{ cat a.txt; }",
    "! cat a.txt",
    "time cat a.txt",
    "sudo cat a.txt",
    "command cat a.txt",
    "/bin/cat a.txt",
    "\\cat a.txt",
    "LC_ALL=C cat a.txt",
    "cat=1 a.txt",
    "cats a.txt",
    "header a.txt",
    "tac a.txt",
    "less a.txt",
    "nl a.txt",
    "bat a.txt",
    "grep -n x a.txt",
    "for f in a b; do cat $f; done",
    "ls docs/; sed -n '1,60p' docs/a.md",
    # no files, or bytes that a path does not hold
    "cat /dev/stdin",
    "cat /dev/null",
    "cat /proc/meminfo",
    "cat /sys/class/net",
    "cat 'a\nb.txt'",
    "cat a\x00b.txt",
    "cat a.txt\r",
    "cat a\u00a0b.txt",
    "cat a\u2028b.txt",
    "cat a\ud800.txt",
]


def test_the_table_is_long_enough() -> None:
    commands = [command for command, _ in PRINTS] + OTHER
    assert len(commands) >= 120
    assert len(set(commands)) == len(commands)


@pytest.mark.parametrize(("command", "calls"), PRINTS)
def test_a_print_has_exactly_this_read_call(command: str, calls: list[dict[str, object]]) -> None:
    assert [read_call(one, lines_in_file=100) for one in prints(command)] == calls


@pytest.mark.parametrize("command", OTHER)
def test_anything_else_is_no_print(command: str) -> None:
    assert prints(command) == ()


def test_whole_means_from_the_first_line_to_the_end() -> None:
    assert prints("cat a")[0].whole
    assert prints("tail -n +1 a")[0].whole
    assert not prints("tail -n +2 a")[0].whole
    assert not prints("head a")[0].whole
    assert not prints("tail a")[0].whole


def test_a_tail_has_no_read_call_while_the_length_of_the_file_is_unknown() -> None:
    assert prints("tail -5 a") == (Print("a", None, None, 5),)
    assert read_call(prints("tail -5 a")[0]) is None


@settings(max_examples=300)
@given(st.text(alphabet="cat hed sil-n+1,5p;&|<>'\"\\$`*?~#!\n\t./", max_size=40))
def test_no_command_raises_or_hangs(command: str) -> None:
    for text in (command, "cat " + command, "sed -n " + command):
        for one in prints(text):
            assert one.path


def test_the_shell_reads_a_print_the_same_way(tmp_path: Path) -> None:
    """Bash itself prints exactly the lines of the Read call, for every print of the table that can be a file here."""
    lines = [f"line {number}\n" for number in range(1, 101)]
    for command, calls in PRINTS:
        paths = [str(call["file_path"]) for call in calls]
        if any(path.startswith(("/", "..", "C:")) for path in paths):
            continue
        for path in paths:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text("".join(lines))
        shown = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        expected = ""
        for call in calls:
            first = int(str(call.get("offset", 1)))
            last = first + int(str(call["limit"])) - 1 if "limit" in call else 100
            expected += "".join(lines[first - 1 : last])
        assert shown == expected, command


PIECES = [
    *("cat", "head", "tail", "sed", "-n", "-n3", "-5", "+3", "-n+4", "1,5p", "7p", "'2,4p'", "9,2p", "a.txt", "b.txt"),
    *("'a b.txt'", '"a.txt"', "--", "-", ";", "&&", "|", ">", "&", "$X", "*", "~", "#", "!", "{a,b}", "echo", "'", '"'),
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(PIECES), min_size=2, max_size=9), glue=st.sampled_from([" ", "  ", ""]))
def test_whatever_is_taken_for_a_print_prints_those_lines_and_nothing_else(
    tmp_path: Path, words: list[str], glue: str
) -> None:
    """Random commands: each that is accepted is run by bash, and must print the lines that were announced."""
    command = words[0] + " " + (glue or " ").join(words[1:]) if glue else " ".join(words[:-1]) + words[-1]
    found = prints(command)
    if not found:
        return
    files = {name: [f"{name} {n}\n" for n in range(1, 13)] for name in ("a.txt", "b.txt", "a b.txt")}
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(lines))
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    expected = ""
    for one in found:
        lines = files.get(one.path, [])
        if one.from_end is not None:
            expected += "".join(lines[-one.from_end :])
        else:
            expected += "".join(lines[(one.first_line or 1) - 1 : one.last_line])
    missing = [one.path for one in found if one.path not in files]
    assert missing or (done.returncode == 0 and done.stdout == expected), command


def test_nothing_is_imported() -> None:
    code = "import sys; before = set(sys.modules); import printing; print(sorted(set(sys.modules) - before))"
    shown = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT / "hooks/runtime", capture_output=True, text=True, check=True
    ).stdout
    assert shown.strip() == "['__future__', 'printing']"
