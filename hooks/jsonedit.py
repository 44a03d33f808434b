"""Change values in a JSON text and leave every other byte as it stands: order, indent, line ends, spelling."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from json.scanner import NUMBER_RE
from typing import Any

SPACE = " \t\n\r"


@dataclass
class Node:
    """A value with its place in the text; `items` are (key, key's start, node) of a container, key None in arrays."""

    start: int
    end: int
    value: Any
    items: list[tuple[str | None, int, Node]] = field(default_factory=list)


class NotStrictJsonError(ValueError):
    """The text is no strict JSON: comments, trailing commas, a key twice, or something after the value."""


def parse(text: str) -> Node:
    """The tree of a strict JSON text."""
    try:
        node = _value(text, _skip(text, 0))
    except (IndexError, RecursionError) as error:
        raise NotStrictJsonError("the text ends too early or nests too deep") from error
    if _skip(text, node.end) != len(text):
        raise NotStrictJsonError(f"unexpected text at character {node.end}")
    return node


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def _value(text: str, at: int) -> Node:
    if text[at] in "{[":
        return _container(text, at)
    if text[at] == '"':
        value, end = _string(text, at)
        return Node(at, end, value)
    for word in ("true", "false", "null"):
        if text.startswith(word, at):
            return Node(at, at + len(word), json.loads(word))
    match = NUMBER_RE.match(text, at)
    if match is None:
        raise NotStrictJsonError(f"no value at character {at}")
    return Node(at, match.end(), json.loads(match.group()))


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        return json.decoder.scanstring(text, at + 1, True)  # type: ignore[attr-defined, no-any-return]
    except json.JSONDecodeError as error:
        raise NotStrictJsonError(str(error)) from error


def _container(text: str, start: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    items: list[tuple[str | None, int, Node]] = []
    at = _skip(text, start + 1)
    while text[at] != close:
        key, key_start = None, at
        if is_object:
            if text[at] != '"':
                raise NotStrictJsonError(f"no key at character {at}")
            key, at = _string(text, at)
            at = _skip(text, at)
            if text[at] != ":":
                raise NotStrictJsonError(f"no colon at character {at}")
            at = _skip(text, at + 1)
        node = _value(text, at)
        items.append((key, key_start, node))
        at = _skip(text, node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
            if text[at] == close:
                raise NotStrictJsonError(f"a comma before the end at character {at}")
        elif text[at] != close:
            raise NotStrictJsonError(f"no comma at character {at}")
    keys = [key for key, _, _ in items]
    if is_object and len(set(keys)) != len(keys):
        raise NotStrictJsonError("a key stands twice in one object")
    value = {key: node.value for key, _, node in items} if is_object else [node.value for _, _, node in items]
    return Node(start, at + 1, value, items)


@dataclass(frozen=True)
class Style:
    """How new text is written: like the text around it."""

    unit: str
    newline: str

    @staticmethod
    def of(text: str, root: Node) -> Style:
        newline = "\r\n" if "\r\n" in text else "\n"
        lead = text[root.start + 1 : root.items[0][1]] if root.items else ""
        return Style(lead.rpartition("\n")[2] or "  " if "\n" in lead else "  ", newline)

    def render(self, value: Any, indent: str | None) -> str:
        """JSON of a value whose first line stands at `indent`; on one line when `indent` is None."""
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return text.replace("\n", self.newline + indent)


def rewrite(text: str, wanted: Any, spellings: dict[str, str] | None = None) -> str:
    """The text changed so that it reads as `wanted`; only what differs is touched.

    `spellings` gives, by path, how a value is to be spelled where it comes to stand there again ("/hooks/Stop": "[ ]").
    """
    root = parse(text)
    edits: list[tuple[int, int, str]] = []
    _Writer(text, Style.of(text, root), spellings or {}, edits).change(root, wanted, "")
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values that tells 1 from true and 1 from 1.0."""
    return canonical(left) == canonical(right)


def canonical(value: Any) -> str:
    """One spelling of a JSON value, key order kept."""
    return json.dumps(value)


@dataclass
class _Writer:
    text: str
    style: Style
    spellings: dict[str, str]
    edits: list[tuple[int, int, str]]

    def change(self, node: Node, wanted: Any, path: str) -> None:
        if same(node.value, wanted):
            return
        if (spelling := self.spelled(path, wanted)) is not None:
            self.edits.append((node.start, node.end, spelling))
        elif isinstance(wanted, dict) and isinstance(node.value, dict):
            self.change_object(node, wanted, path)
        elif isinstance(wanted, list) and isinstance(node.value, list):
            self.change_array(node, wanted, path)
        else:
            self.edits.append((node.start, node.end, self.style.render(wanted, self.indent_at(node.start))))

    def spelled(self, path: str, wanted: Any) -> str | None:
        spelling = self.spellings.get(path)
        return spelling if spelling is not None and same(parse(spelling).value, wanted) else None

    def change_object(self, node: Node, wanted: dict[str, Any], path: str) -> None:
        kept = []
        for index, (key, _, child) in enumerate(node.items):
            if key in wanted:
                kept.append(index)
                self.change(child, wanted[str(key)], f"{path}/{key}")
        new: list[tuple[str | None, Any]] = [(key, item) for key, item in wanted.items() if key not in node.value]
        self.resize(node, kept, {len(node.items): new} if new else {})

    def change_array(self, node: Node, wanted: list[Any], path: str) -> None:
        old = [canonical(item) for item in node.value]
        kept: list[int] = []
        added: dict[int, list[tuple[str | None, Any]]] = {}
        matcher = SequenceMatcher(None, old, [canonical(item) for item in wanted], autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                kept.extend(range(i1, i2))
            elif tag == "replace":
                pairs = min(i2 - i1, j2 - j1)
                for offset in range(pairs):
                    self.change(node.items[i1 + offset][2], wanted[j1 + offset], f"{path}/{i1 + offset}")
                kept.extend(range(i1, i1 + pairs))
                if j2 - j1 > pairs:
                    added[i2] = [(None, item) for item in wanted[j1 + pairs : j2]]
            elif tag == "insert":
                added[i1] = [(None, item) for item in wanted[j1:j2]]
        self.resize(node, kept, added)

    def resize(self, node: Node, kept: list[int], added: dict[int, list[tuple[str | None, Any]]]) -> None:
        """Drop the items not kept, insert the added ones before the item of that index."""
        if not node.items or (not kept and added):
            new = [pair for pairs in added.values() for pair in pairs]
            self.edits.append((node.start + 1, node.end - 1, self.filled(node, new)))
            return
        if not kept:
            self.edits.append((node.start, node.end, "{}" if isinstance(node.value, dict) else "[]"))
            return
        self.drop(node, kept)
        for index, pairs in added.items():
            before = [item for item in kept if item < index]
            gap, indent = self.gap(node)
            new_texts = [self.member(key, value, indent) for key, value in pairs]
            if before:
                at = node.items[before[-1]][2].end
                self.edits.append((at, at, "".join(f",{gap}{new}" for new in new_texts)))
            else:
                at = node.items[kept[0]][1]
                self.edits.append((at, at, "".join(f"{new},{gap}" for new in new_texts)))

    def drop(self, node: Node, kept: list[int]) -> None:
        for index in range(len(node.items)):
            if index in kept:
                continue
            if index < kept[0]:
                self.edits.append((node.items[index][1], node.items[index + 1][1], ""))
            else:
                self.edits.append((node.items[index - 1][2].end, node.items[index][2].end, ""))

    def gap(self, node: Node) -> tuple[str, str | None]:
        """What stands between two items of a container, and their indent (None: all on one line)."""
        if len(node.items) > 1:
            between = self.text[node.items[-2][2].end : node.items[-1][1]]
            gap = between.partition(",")[2]
        else:
            gap = self.text[node.start + 1 : node.items[0][1]]
            if "\n" not in gap:
                gap = " "
        return gap, gap.rpartition("\n")[2] if "\n" in gap else None

    def filled(self, node: Node, new: list[tuple[str | None, Any]]) -> str:
        outer = self.indent_at(node.start) or ""
        inner = outer + self.style.unit
        joined = f",{self.style.newline}{inner}".join(self.member(key, value, inner) for key, value in new)
        return f"{self.style.newline}{inner}{joined}{self.style.newline}{outer}"

    def member(self, key: str | None, value: Any, indent: str | None) -> str:
        text = self.style.render(value, indent)
        return text if key is None else f"{json.dumps(key, ensure_ascii=False)}: {text}"

    def indent_at(self, at: int) -> str | None:
        """The indent of the line on which a place stands."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]
