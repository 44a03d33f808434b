"""JSON without the `json` package: its C scanner alone parses an event for a millisecond instead of fourteen."""

MAX_BYTES = 64_000_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Scanner:
    """What `_json.make_scanner` reads its settings from (the attributes of a plain `json.JSONDecoder`)."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: "dict[str, str]" = {}  # noqa: RUF012 (the C scanner clears it after each text)

    @staticmethod
    def parse_constant(name: str) -> float:
        """NaN and the infinities are no JSON: refuse them, as the client does."""
        raise ValueError(name)


def _fast() -> "tuple[Callable[[str, int], tuple[Any, int]], Callable[[str], str]] | None":
    try:
        from _json import encode_basestring_ascii, make_scanner
    except ImportError:
        return None
    return make_scanner(Scanner), encode_basestring_ascii  # type: ignore[arg-type]


_FAST = _fast()


def loads(raw: bytes) -> "Any":
    """The value of a UTF-8 JSON text, a byte order mark aside. Raises ValueError for anything else."""
    if len(raw) > MAX_BYTES:
        raise ValueError("too long")
    text = raw.decode("utf-8")
    if text[:1] == "\ufeff":
        text = text[1:]
    if _FAST is None:
        import json

        return json.loads(text, parse_constant=Scanner.parse_constant)
    start = 0
    while text[start : start + 1] in (" ", "\t", "\n", "\r"):
        start += 1
    try:
        value, end = _FAST[0](text, start)
    except Exception as error:
        # Without `json` imported the scanner ends in StopIteration, SystemError or RecursionError as it likes.
        raise ValueError(type(error).__name__) from None
    if text[end:].strip(" \t\n\r"):
        raise ValueError("trailing text")
    return value


def quote(text: str) -> str:
    """The text as a JSON string, ASCII only."""
    if _FAST is None:
        import json

        return json.dumps(text)
    return _FAST[1](text)


def dumps(value: object) -> str:
    """Compact JSON of plain values. Raises TypeError for anything else, ValueError for NaN and infinities."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        if value - value != 0:
            raise ValueError("not a number")
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{quote(str(key))}:{dumps(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([dumps(item) for item in value]) + "]"
    raise TypeError(type(value).__name__)
