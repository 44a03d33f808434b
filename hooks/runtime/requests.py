"""What a transcript's end says about requests: how many since the last compaction, and how much text there is."""

from .compaction import QUICK
from .marker import message_id
from .tail import boundary, est_tokens, response, row_of, tails


def requests_since(path: str) -> "int | None":
    """Responses since the last compaction, counted up to QUICK; None where the thread was never compacted."""
    seen: list[str] = []
    try:
        for lines in tails(path):
            for line in lines:
                if b'"usage"' in line and b'"assistant"' in line:
                    found = response(line)
                    if found is not None and found.message_id not in seen:
                        seen.append(found.message_id)
                        if len(seen) >= QUICK:
                            return QUICK
                elif boundary(line[-65_536:]):
                    return len(seen)
    except OSError:
        return None
    return None


def whole_estimate(path: str) -> "int | None":
    """Est. tokens of all text since the last compaction, where no usage says it; None where nothing can be read."""
    total = 0
    try:
        for lines in tails(path):
            for line in lines:
                if boundary(line[-65_536:]):
                    return total or None
                total += est_tokens(line) or assistant_tokens(line)
    except OSError:
        return None
    return total or None


def assistant_tokens(line: bytes) -> int:
    """Est. tokens of an assistant record, by its length."""
    return len(line) // 4 if b'"assistant"' in line and message_id(row_of(line)) else 0
