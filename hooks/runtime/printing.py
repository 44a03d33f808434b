"""Which Bash commands only print files, and the equal Read call.

One function for three users: the `reads` frame counts such a command as a read, the hook denies or
notes it, the replay says what that would have saved. It answers "no" wherever it is not certain.
Runs at every Bash call, so it imports nothing: no `re`, no `shlex`, no `typing`.
"""

from __future__ import annotations

DIGITS = "0123456789"
# Unquoted, each of these makes the shell do something other than pass the word on.
SPECIAL = "$`*?[]{}()<>|!\\"
# Inside double quotes only these keep a meaning.
SPECIAL_IN_DOUBLE = "$`\\!"
# Devices and kernel files have no lines that Read could give back.
NO_FILES = ("/dev/", "/proc/", "/sys/")
HEAD_AND_TAIL_LINES = 10


class Print:
    """One file printed by one part of a command.

    `first_line` and `last_line` count from 1 and include both ends; `last_line` None is the end of the file.
    `from_end` N is the last N lines: then both others are None, since they depend on the file's length.
    """

    __slots__ = ("first_line", "from_end", "last_line", "path")

    def __init__(
        self, path: str, first_line: int | None = 1, last_line: int | None = None, from_end: int | None = None
    ) -> None:
        self.path = path
        self.first_line = first_line
        self.last_line = last_line
        self.from_end = from_end

    @property
    def whole(self) -> bool:
        """The command asks for the file from its first line to its end."""
        return self.first_line == 1 and self.last_line is None

    def _key(self) -> tuple[str, int | None, int | None, int | None]:
        return self.path, self.first_line, self.last_line, self.from_end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Print) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return "Print(%r, %r, %r, %r)" % self._key()


def prints(command: str) -> tuple[Print, ...]:
    """The files that `command` prints, in order, if it does nothing else; else the empty tuple.

    `cat F`, `sed -n 'A,Bp' F`, `sed -n 'Np' F`, `head [-n N|-N] F`, `tail [-n N|-N|-n +N] F`, alone or
    joined by `&&` or `;`. Never a part of a command: one part that is something else makes the answer empty.
    """
    parts = _split(command.strip(" \t\n"))
    found = []
    for words in parts:
        one = _one(words)
        if one is None:
            return ()
        found.append(one)
    return tuple(found)


def read_call(one: Print, lines_in_file: int | None = None) -> dict[str, object] | None:
    """The arguments of the Read call that gives the same lines; None where the file's length is needed and unknown."""
    if one.from_end is not None:
        if lines_in_file is None:
            return None
        first = max(1, lines_in_file - one.from_end + 1)
        return {"file_path": one.path} if first == 1 else {"file_path": one.path, "offset": first}
    if one.whole:
        return {"file_path": one.path}
    call: dict[str, object] = {"file_path": one.path, "offset": one.first_line}
    if one.last_line is not None and one.first_line is not None:
        call["limit"] = one.last_line - one.first_line + 1
    return call


def _split(command: str) -> list[list[str]]:
    """The words of each part of `command`; an empty list where the shell would do more than run the parts."""
    if command[:1] not in ("c", "h", "s", "t"):  # not cat, head, sed, tail: most commands end here
        return []
    parts: list[list[str]] = [[]]
    at, end = 0, len(command)
    joined = False
    while at < end:
        char = command[at]
        if char in " \t":
            at += 1
        elif char == ";" or command.startswith("&&", at):
            if not parts[-1]:
                return []
            parts.append([])
            joined = char == "&"
            at += 2 if joined else 1
        elif char == "&":
            return []
        else:
            word, at = _word(command, at)
            if word is None:
                return []
            parts[-1].append(word)
    if parts[-1]:
        return parts
    return [] if joined else parts[:-1]  # `cat a;` is complete, `cat a &&` is not


def _word(command: str, at: int) -> tuple[str | None, int]:
    """One word from `at`, quotes taken off, and where it ends; None where it is no plain text."""
    start, end, word = at, len(command), ""
    while at < end:
        char = command[at]
        if char in " \t;&":
            break
        if char in "'\"":
            close = command.find(char, at + 1)
            quoted = command[at + 1 : close]
            if close < 0 or (char == '"' and any(special in quoted for special in SPECIAL_IN_DOUBLE)):
                return None, at
            word += quoted
            at = close + 1
            continue
        # zsh takes an unquoted =x for the path of the command x
        if char in SPECIAL or (at == start and char in "~#="):
            return None, at
        word += char
        at += 1
    return (word if word.isprintable() else None), at


def _one(words: list[str]) -> Print | None:
    """What one part prints, or None."""
    rule = {"cat": _cat, "sed": _sed, "head": _head, "tail": _tail}.get(words[0])
    return rule(words[1:]) if rule else None


def _operand(words: list[str]) -> str | None:
    """The one file named by what is left of a command, or None."""
    if len(words) == 2 and words[0] == "--":
        path = words[1]
    elif len(words) == 1 and not words[0].startswith("-"):
        path = words[0]
    else:
        return None
    # A quoted ~ is a plain character to the shell but may not be one to Read.
    return None if path in ("", "-") or path.startswith("~") or path.startswith(NO_FILES) else path


def _number(text: str) -> int | None:
    """A count of 1 to 999,999,999 in plain digits, or None."""
    plain = text and text[0] != "0" and len(text) < 10 and all(char in DIGITS for char in text)
    return int(text) if plain else None


def _cat(words: list[str]) -> Print | None:
    path = _operand(words)
    return Print(path) if path else None


def _sed(words: list[str]) -> Print | None:
    if len(words) < 3 or words[0] != "-n" or not words[1].endswith("p"):
        return None
    first_text, comma, last_text = words[1][:-1].partition(",")
    first = _number(first_text)
    last = _number(last_text) if comma else first
    path = _operand(words[2:])
    # `sed -n 9,5p` prints line 9 alone: nobody means that, so it is left to the shell.
    if path is None or first is None or last is None or last < first:
        return None
    return Print(path, first, last)


def _count(words: list[str]) -> tuple[str, list[str]]:
    """The count option of head and tail as text ("" where it is none) and the rest of the words."""
    if not words or not words[0].startswith("-") or words[0] == "--":
        return str(HEAD_AND_TAIL_LINES), words
    if words[0] == "-n":
        return (words[1], words[2:]) if len(words) > 1 else ("", [])
    attached = words[0][2:] if words[0].startswith("-n") else words[0][1:]
    return attached, words[1:]


def _head(words: list[str]) -> Print | None:
    text, rest = _count(words)
    count, path = _number(text), _operand(rest)
    return Print(path, 1, count) if path and count else None


def _tail(words: list[str]) -> Print | None:
    text, rest = _count(words)
    path = _operand(rest)
    if not path:
        return None
    if text.startswith("+"):
        first = _number(text[1:]) if words[0].startswith("-n") else None  # `tail -+5` means nothing certain
        return Print(path, first) if first else None
    count = _number(text)
    return Print(path, None, None, count) if count else None
