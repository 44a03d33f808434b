"""The plain shapes, column by column: one assistant block or one tool result a record, nine records in ten.

The per-record functions (`extract`) say what each table means; this module gives the same rows at a third of the cost,
because no Python runs per field: the decoder builds the leaves, `zip` turns them into columns. Whatever is not plain
goes to the per-record functions. A property test holds both to the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from measure.transcripts import fields as f
from measure.transcripts.assistant import LAUNCHERS, SYNTHETIC, printed
from measure.transcripts.decode import Fields, Wanted
from measure.transcripts.others import ATTACHMENTS
from measure.transcripts.sink import Place, Sink
from measure.transcripts.user import brought
from measure.transcripts.values import Oddities, truth

_COMMON = f.POINTERS[: f.MESSAGE]
_LEAVES = (
    "/message/id",
    "/message/model",
    "/message/stop_reason",
    "/message/usage/input_tokens",
    "/message/usage/cache_read_input_tokens",
    "/message/usage/cache_creation_input_tokens",
    "/message/usage/cache_creation/ephemeral_5m_input_tokens",
    "/message/usage/cache_creation/ephemeral_1h_input_tokens",
    "/message/usage/output_tokens",
    "/message/usage/output_tokens_details/thinking_tokens",
    "/message/usage/server_tool_use/web_search_requests",
    "/message/usage/service_tier",
    "/message/usage/speed",
    "/message/usage/inference_geo",
    "/message/usage/iterations/1",
    "/message/content/0/type",
    "/message/content/1/type",
    "/message/content/0/text",
    "/message/content/0/thinking",
    "/message/content/0/id",
    "/message/content/0/name",
    "/message/content/0/input",
    "/message/content/0/tool_use_id",
    "/message/content/0/content",
    "/message/content/0/is_error",
)
LEAVES = Wanted(_COMMON + _LEAVES)
(
    MESSAGE_ID,
    MODEL,
    STOP,
    INPUT,
    CACHE_READ,
    CACHE_WRITE,
    FIVE,
    HOUR,
    OUTPUT,
    THINKING_TOKENS,
    SEARCHES,
    TIER,
    SPEED,
    GEO,
    SECOND_ITERATION,
    BLOCK_TYPE,
    SECOND_BLOCK,
    TEXT,
    THINKING,
    CALL,
    TOOL,
    GIVEN,
    RESULT_OF,
    RESULT,
    IS_ERROR,
) = range(f.MESSAGE, f.MESSAGE + len(_LEAVES))

_TELLING = ("<persisted", "PreToolUse:", "[Request")
_BLOCKS = ("text", "thinking", "tool_use")
INPUT_CHARS = 11  # place of the input's size in the columns of `call`
PRINT_INITIALS = ("c", "h", "s", "t")  # as hooks.runtime.printing: cat, head, sed, tail


def kinds(columns: Sequence[Sequence[Any]]) -> tuple[list[int], list[int], list[int]]:
    """Positions of the plain answers, of the plain results, and of what the per-record functions must see.

    A plain answer is an assistant record of one block, with a usage of one iteration. A plain result is a user record
    of one tool result that is one text and tells of no agent.
    """
    answers: list[int] = []
    results: list[int] = []
    others: list[int] = []
    told = (f.TYPE, BLOCK_TYPE, SECOND_BLOCK, MODEL, OUTPUT, SECOND_ITERATION, RESULT, f.ATTACHMENT)
    rows = zip(*(columns[at] for at in told), strict=True)
    agents = zip(*(columns[at] for at in (f.RESULT_AGENT, f.RESULT_AGENT_OLD, f.RESULT_RUN)), strict=True)
    nobody = (None, None, None)
    for at, ((kind, block, second, model, output, iteration, text, attached), agent) in enumerate(
        zip(rows, agents, strict=True)
    ):
        if kind == "assistant":
            known = block in _BLOCKS and second is None and iteration is None and type(output) is int
            (answers if known and type(model) is str and model != SYNTHETIC else others).append(at)
        elif kind == "user":
            known = block == "tool_result" and second is None and agent == nobody
            (results if known and _is_plain_text(text) else others).append(at)
        elif kind != "attachment" or type(attached) is not str or attached in ATTACHMENTS:
            others.append(at)
    return answers, results, others


def _is_plain_text(text: Any) -> bool:
    if type(text) is list and len(text) == 1 and type(text[0]) is dict and text[0].get("type") == "text":
        text = text[0].get("text")
    # Previews, refusals and interrupts are told by their first words.
    return type(text) is str and not text[:200].lstrip().startswith(_TELLING)


def answer_sizes(kind: str, text: Any, thinking: Any, odd: Oddities) -> tuple[int, int | None, int]:
    """(text, last text, thinking) sizes of a plain answer; the tool input is a matter of `call`."""
    if kind == "text":
        size = odd.units(text) if type(text) is str else None
        return size or 0, size, 0
    return 0, None, odd.units(thinking) if kind == "thinking" and type(thinking) is str else 0


def call(sink: Sink, place: Callable[[], Place], record: Fields) -> tuple[Any, ...]:
    """The columns of `tool_uses` from `message_id` on for a plain answer that calls a tool."""
    given = record[GIVEN]
    if type(given) is not dict:
        given = {}
    name, call_id = record[TOOL], record[CALL]
    if type(call_id) is str:
        reads = name == "Read" or (name == "Bash" and _prints(sink, place, record, given.get("command")))
        sink.calls[call_id] = "read" if reads else "launch" if name in LAUNCHERS else "other"
    odd = sink.odd
    units = odd.units
    size = 0
    for value in given.values():
        size += units(value) if type(value) is str else odd.strings(value)
    get = given.get
    message = get("message")
    return (
        record[MESSAGE_ID],
        call_id,
        name,
        get("file_path") or get("notebook_path") or get("path"),
        odd.counter(get("offset")),
        odd.counter(get("limit")),
        get("subagent_type"),
        get("model"),
        truth(get("run_in_background")),
        get("to") or get("agent_id") or get("task_id"),
        units(message) if type(message) is str else None,
        size,
        record[f.CWD],
    )


def _prints(sink: Sink, place: Callable[[], Place], record: Fields, command: Any) -> bool:
    # Most commands begin with something else: no place is made up for them.
    if type(command) is not str or command[:1] not in PRINT_INITIALS:
        return False
    return printed(sink, place(), record[CALL], command, record[f.CWD])


def result(sink: Sink, place: Callable[[], Place], record: Fields) -> tuple[Any, ...]:
    """The columns of `tool_results` from `tool_use_id` on for a plain result; a read's lines go to `contents`."""
    text, call_id, is_error = record[RESULT], record[RESULT_OF], truth(record[IS_ERROR])
    if type(text) is list:
        text = text[0]["text"]
    size = sink.odd.units(text)
    kind = sink.calls.get(call_id) if type(call_id) is str else "other"
    if text and not is_error and kind != "other":
        brought(sink, place(), call_id, [text], size, kind, named=False)
    return call_id, size, 0, is_error, False, False, record[f.DENIAL], False
