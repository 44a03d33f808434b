"""The command line's words in any order: `install returns project 1000 2500`."""

from __future__ import annotations

from dataclasses import dataclass, field

from hooks.errors import WordsError
from hooks.features import FEATURES, by_name
from hooks.scopes import SCOPES

MODES = ("status", "install", "upgrade", "enable", "disable", "uninstall", "purge", "import", "doctor", "snippet")


@dataclass
class Words:
    """What the bare words say."""

    mode: str | None = None
    scope: str | None = None
    features: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


def sort(words: list[str]) -> Words:
    """Tell modes, features, scopes and limits apart. Raises WordsError for a word that is none of them."""
    said = Words()
    for word in words:
        low = word.lower()
        if low in MODES:
            if said.mode not in (None, low):
                raise WordsError(f"{said.mode} or {low}? Give one mode.")
            said.mode = low
        elif low in SCOPES:
            if said.scope not in (None, low):
                raise WordsError(f"{said.scope} or {low}? Give one scope ({', '.join(SCOPES)}).")
            said.scope = low
        elif by_name(low):
            said.features += [] if low in said.features else [low]
        elif word.isascii() and word.isdigit():
            said.numbers.append(int(word))
        else:
            known = ", ".join(feature.name for feature in FEATURES)
            raise WordsError(f"{word!r} is no mode ({', '.join(MODES)}), feature ({known}) or scope.")
    if len(said.numbers) > 2:
        raise WordsError(
            "give at most two numbers: the limit that passes, and the limit above which a file is asked for."
        )
    return said


def per_type(values: list[str], key: str) -> dict[str, dict[str, int]]:
    """`Explore=600` options as values by agent type."""
    found: dict[str, dict[str, int]] = {}
    for value in values:
        name, _, number = value.rpartition("=")
        if not name or not (number.isascii() and number.isdigit()) or int(number) < 1:
            raise WordsError(f"{value!r}: give TYPE=TOKENS, for instance Explore=600.")
        found.setdefault(name, {})[key] = int(number)
    return found
