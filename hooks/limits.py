"""Changes of `setpoint.json`: pure text in, text out, so that everything the user wrote stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hooks.errors import HooksError, WordsError
from hooks.features import Feature, by_name
from hooks.jsonedit import NotStrictJsonError, parse, rewrite, same
from hooks.runtime.returns import FILE_TOKENS, MODES, PASS_TOKENS, Policy, positive


def read(text: str | None, where: object) -> dict[str, Any]:
    """The object in a config text. Raises HooksError when it is none."""
    if text is None:
        return {}
    try:
        value = parse(text).value
    except NotStrictJsonError as error:
        raise HooksError(f"{where} is no strict JSON ({error}); mend it first, nothing was changed.") from error
    if not isinstance(value, dict):
        raise HooksError(f"{where} holds no JSON object; mend it first, nothing was changed.")
    return value


def section_after(feature: Feature, before: object, given: Mapping[str, Any]) -> dict[str, Any]:
    """A feature's section after an install: what is there stays, what was given is set, the rest is the default."""
    kept = dict(before) if isinstance(before, dict) else {}
    section = {**feature.section, **kept}
    for key, value in given.items():
        if key == "byAgentType":
            types = {name: dict(own) for name, own in section.get(key, {}).items() if isinstance(own, dict)}
            for name, own in value.items():
                types[name] = {**types.get(name, {}), **own}
            section[key] = types
        else:
            section[key] = value
    if feature.name == "returns":
        section.setdefault("passTokens", PASS_TOKENS)
        section.setdefault("fileTokens", FILE_TOKENS)
        check(section)
    return section


def check(section: Mapping[str, Any]) -> None:
    """Refuse a pair of limits that leaves no room between them."""
    for key in ("passTokens", "fileTokens"):
        if positive(section.get(key)) is None:
            raise HooksError(f"{key} {section.get(key)!r} is no positive whole number.")
    types = section.get("byAgentType")
    for name in ["", *(types if isinstance(types, dict) else {})]:
        policy = Policy(section, name, {})
        if policy.pass_tokens >= policy.file_tokens:
            who = f" for {name}" if name else ""
            raise WordsError(f"pass {policy.pass_tokens} must be below file {policy.file_tokens}{who}.")


def installed(old: str | None, where: object, sections: Mapping[str, Mapping[str, Any]], version: str, at: str) -> str:
    """The config text with these sections in it, and a line of history for each that changed."""
    config = read(old, where)
    after: dict[str, Any] = {"version": version, "history": [], **config}
    for name, section in sections.items():
        if not same(config.get(name), section):
            limits = {key: value for key, value in section.items() if key not in ("enabled", "evidence")}
            history = after["history"] if isinstance(after["history"], list) else []
            after["history"] = [*history, {"at": at, "feature": name, "what": "install", "limits": limits}]
            after[name] = dict(section)
    after["version"] = version
    return rewrite("{}\n" if old is None else old, after)


def switched(old: str, where: object, names: list[str], enabled: bool) -> str:
    """The config text with only the flag of these sections changed."""
    config = read(old, where)
    for name in names:
        if not isinstance(config.get(name), dict):
            raise HooksError(f"{where} has no section {name}; install it first.")
        config[name] = {**config[name], "enabled": enabled}
    return rewrite(old, config)


def given_values(
    *,
    pass_tokens: int | None,
    file_tokens: int | None,
    by_type: dict[str, dict[str, int]],
    by_type_file: dict[str, dict[str, int]],
    mode: str | None,
    shorten: str | None,
    spill: bool | None,
    exempt: list[str] | None,
    sections: Path | None,
) -> dict[str, dict[str, Any]]:
    """The config values that the options name, by section."""
    given = _sections_of(sections) if sections is not None else {}
    if mode is not None and mode not in MODES:
        raise WordsError(f"--mode {mode}: there are {', '.join(MODES)}.")
    if shorten not in (None, "foreground", "off"):
        raise WordsError(f"--shorten {shorten}: there are foreground and off.")
    types = {name: {**by_type.get(name, {}), **by_type_file.get(name, {})} for name in [*by_type, *by_type_file]}
    values = {
        "passTokens": pass_tokens,
        "fileTokens": file_tokens,
        "mode": mode,
        "shorten": False if shorten == "off" else shorten,
        "spill": spill,
        "exempt": exempt,
        "byAgentType": types or None,
    }
    returns = {key: value for key, value in values.items() if value is not None}
    if returns:
        given["returns"] = {**given.get("returns", {}), **returns}
    return given


def _sections_of(path: Path) -> dict[str, dict[str, Any]]:
    try:
        value = read(path.read_text(encoding="utf-8-sig"), path)
    except OSError as error:
        raise HooksError(f"{path}: cannot be read ({error.strerror}).") from error
    found = {key: dict(one) for key, one in value.items() if by_name(key) and isinstance(one, dict)}
    if not found:
        raise HooksError(f"{path} holds no section of a feature.")
    return found
