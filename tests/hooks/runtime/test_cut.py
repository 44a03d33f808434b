"""The cut of a report: whole lines, nothing opened and left open, never longer than the limit."""

from hypothesis import given
from hypothesis import strategies as st

from hooks.runtime.cut import pieces, pointer, shorten
from hooks.runtime.returns import HEAD, HEAD_TAIL, KEEPS, est_tokens

PATH = "/p/.claude/reports/x/report.md"
LINES = st.sampled_from(
    ["text " * 9, "", "```", "```python", "~~~", "| a | b |", "|---|---|", "- item at a.py:3", "# head", "x" * 90]
)


def head_of(short: str) -> str:
    """What stands before the pointer line."""
    return short.partition("\n\n[Return guard")[0]


@given(st.lists(LINES, min_size=1, max_size=80), st.integers(60, 400), st.sampled_from(KEEPS))
def test_fits_and_is_made_of_whole_pieces(lines: list[str], limit: int, keep: str) -> None:
    text = "\n".join(lines)
    short = shorten(text, limit, PATH, keep)
    if est_tokens(text) <= limit:
        assert short is None
        return
    assert short is not None
    assert est_tokens(short) <= limit
    head, _, rest = short.partition("[Return guard")
    body = text.lstrip("\r\n").split("\n")
    wholes = {"\n".join(body[:end]).rstrip() for _, end in pieces(body)}
    assert head.rstrip() in wholes or not head or body[0].startswith(head.rstrip())
    tail = rest.partition("]")[2].lstrip("\n")
    assert not tail or (keep == HEAD_TAIL and text.endswith(tail))


def test_by_hand() -> None:
    """65 tokens are 260 units; the pointer line takes 172, the blank line 2: two lines of 41 fit, three do not."""
    lines = ["a" * 40, "b" * 40, "c" * 40, "d" * 400]
    note = pointer(65, 131, PATH, 4)
    assert len(note) == 172
    assert shorten("\n".join(lines), 65, PATH, HEAD) == f"{'a' * 40}\n{'b' * 40}\n\n{note}"


def test_a_fence_that_does_not_fit_is_left_out_whole() -> None:
    text = "Verdict.\n```\n" + "code\n" * 300 + "```\nEnd."
    short = shorten(text, 100, PATH, HEAD)
    assert short is not None
    assert head_of(short) == "Verdict."


def test_a_fence_that_fits_stays_whole() -> None:
    text = "Verdict.\n```\ncode\n```\n" + "text line\n" * 300
    short = shorten(text, 100, PATH, HEAD)
    assert short is not None
    assert head_of(short).startswith("Verdict.\n```\ncode\n```\ntext line")


def test_a_table_that_does_not_fit_is_left_out_whole() -> None:
    text = "Verdict.\n\n| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 300
    short = shorten(text, 100, PATH, HEAD)
    assert short is not None
    assert head_of(short) == "Verdict."


def test_a_single_long_line_is_cut_at_a_space() -> None:
    short = shorten("word " * 2000, 100, PATH, HEAD)
    assert short is not None
    assert head_of(short).endswith("word")
    assert est_tokens(short) <= 100


def test_head_and_tail() -> None:
    text = "Verdict.\n" + "".join(f"line {n}\n" for n in range(900)) + "Conclusion."
    short = shorten(text, 200, PATH, HEAD_TAIL)
    assert short is not None
    assert short.startswith("Verdict.\nline 0\n")
    assert short.endswith("line 899\nConclusion.")


def test_emoji_are_never_halved() -> None:
    short = shorten("😀" * 3000, 100, PATH, HEAD)
    assert short is not None
    assert set(head_of(short)) == {"😀"}


def test_no_cut_that_would_not_shorten() -> None:
    assert shorten("x" * 45, 10, PATH, HEAD) is None


def test_inline_code_opens_no_fence() -> None:
    assert pieces(["```one``` line", "two"]) == [(0, 1), (1, 2)]


def test_an_open_fence_reaches_to_the_end() -> None:
    assert pieces(["a", "````", "```", "b"]) == [(0, 1), (1, 4)]
