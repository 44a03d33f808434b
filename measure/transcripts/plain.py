"""The plain shapes, column by column: one assistant block or one tool result a record, nine records in ten.

The per-record functions (`extract`) say what each table means; this module gives the same rows at a third of the cost,
because no Python runs per field: the decoder builds the leaves, `zip` turns them into columns. Whatever is not plain
goes to the per-record functions. A property test holds both to the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from measure.transcripts import fields as f
from measure.transcripts.assistant import LAUNCHERS, SYNTHETIC, printed
from measure.transcripts.decode import Fields, Wanted
from measure.transcripts.deliveries import is_delivery
from measure.transcripts.others import ATTACHMENTS
from measure.transcripts.sink import Place, Sink
from measure.transcripts.user import content, handed_over, kind_of_turn
from measure.transcripts.values import Oddities, truth, units

_LEAVES = (
    "/message/id",
    "/message/model",
    "/message/usage/input_tokens",
    "/message/usage/cache_read_input_tokens",
    "/message/usage/cache_creation_input_tokens",
    "/message/usage/cache_creation/ephemeral_5m_input_tokens",
    "/message/usage/cache_creation/ephemeral_1h_input_tokens",
    "/message/usage/output_tokens",
    "/message/usage/iterations/1",
    "/message/content/0/type",
    "/message/content/1/type",
    "/message/content/0/text",
    "/message/content/0/thinking",
    "/message/content/0/id",
    "/message/content/0/name",
    "/message/content/0/input",
    "/message/content/0/tool_use_id",
    # Behind these what the sums of requests and threads do not need (`SUMS`).
    "/message/content/0/content",
    "/message/content/0/is_error",
    "/message/stop_reason",
    "/message/usage/output_tokens_details/thinking_tokens",
    "/message/usage/server_tool_use/web_search_requests",
    "/message/usage/service_tier",
    "/message/usage/speed",
    "/message/usage/inference_geo",
    "/version",
    "/promptCacheRequested",
    "/isApiErrorMessage",
    "/toolDenialKind",
    "/querySource",
)
LEAVES = Wanted(f.SHARED + _LEAVES)
(
    MESSAGE_ID,
    MODEL,
    INPUT,
    CACHE_READ,
    CACHE_WRITE,
    FIVE,
    HOUR,
    OUTPUT,
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
    STOP,
    THINKING_TOKENS,
    SEARCHES,
    TIER,
    SPEED,
    GEO,
    VERSION,
    TTL,
    API_ERROR,
    DENIAL,
    QUERY_SOURCE,
) = range(len(f.SHARED), len(LEAVES.pointers))
SUMS = Wanted(LEAVES.pointers[:RESULT])
PARENTS = Wanted(("/parentUuid",))
TURN = Wanted(("/message/content", "/isCompactSummary", "/isMeta"))
PROMPT = b'"message":{"role":"user","content":"'  # a user record that is written so holds one text

_ALONE = (None, None, None, None)  # no second block, and nothing that tells of an agent
_TELLING = ("<persisted", "PreToolUse:", "[Request")
_BLOCKS = frozenset({"text", "thinking", "tool_use"})
INPUT_CHARS = 11  # place of the input's size in the columns of `call`
PRINT_INITIALS = ("c", "h", "s", "t")  # as hooks.runtime.printing: cat, head, sed, tail


class Chunk(Protocol):
    """The good records of one chunk, in order."""

    @property
    def records(self) -> Sequence[Fields]:
        """Their fields."""
        ...

    def place(self, at: int, odd: Oddities) -> Place:
        """Where one of them stands."""
        ...


class Kinds(NamedTuple):
    """Positions of the plain records by what they are (`sent`: api-request), and of `others`, for the per-record
    functions.

    A plain answer is an assistant record of one block, with a usage of one iteration. A plain result is a user record
    of one tool result that is one text and tells of no agent. `prompts` are user records whose content may be one
    text. What is in none of the lists feeds no table.
    """

    answers: list[int]
    results: list[int]
    prompts: list[int]
    sent: list[int]
    others: list[int]


def kinds(columns: Sequence[Sequence[Any]], *, sums_only: bool = False) -> Kinds:
    """Sort the records of a chunk, given by column. `sums_only`: the columns are those of `SUMS`, without results."""
    said: list[int] = []
    asked: list[int] = []
    out = Kinds([], [], [], [], [])
    attached = columns[f.ATTACHMENT]
    for at, kind in enumerate(columns[f.TYPE]):
        if kind == "assistant":
            said.append(at)
        elif kind == "user":
            asked.append(at)
        elif kind == "api-request":
            out.sent.append(at)
        elif kind != "attachment" or type(attached[at]) is not str or attached[at] in ATTACHMENTS:
            out.others.append(at)
    _sort_answers(out, columns, said)
    _sort_users(out, columns, asked, sums_only=sums_only)
    return out


def picker(wanted: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """What takes the values at some positions out of a column."""
    if len(wanted) > 1:
        return itemgetter(*wanted)
    return lambda column: tuple(column[at] for at in wanted)


def _sort_answers(out: Kinds, columns: Sequence[Sequence[Any]], said: list[int]) -> None:
    pick, number = picker(said), len(said)
    told = [pick(columns[at]) for at in (BLOCK_TYPE, SECOND_BLOCK, SECOND_ITERATION, OUTPUT, MODEL)]
    blocks, seconds, iterations, outputs, models = told
    alone = seconds.count(None) == iterations.count(None) == number
    typed = set(map(type, outputs)) <= {int} and set(map(type, models)) <= {str} and set(map(type, blocks)) <= {str}
    if alone and typed and _BLOCKS.issuperset(blocks) and SYNTHETIC not in models:  # as nearly always: all at once
        out.answers.extend(said)
        return
    for at, block, second, iteration, output, model in zip(said, *told, strict=True):
        known = type(block) is str and block in _BLOCKS and second is None and iteration is None
        plain = known and type(output) is int and type(model) is str and model != SYNTHETIC
        (out.answers if plain else out.others).append(at)


def _sort_users(out: Kinds, columns: Sequence[Sequence[Any]], asked: list[int], *, sums_only: bool) -> None:
    pick = picker(asked)
    told = (BLOCK_TYPE, SECOND_BLOCK, f.RESULT_AGENT, f.RESULT_AGENT_OLD, f.RESULT_RUN)
    blocks, *rest = (pick(columns[at]) for at in told)
    texts = blocks if sums_only else pick(columns[RESULT])  # a type passes for a plain text
    for at, block, text, more in zip(asked, blocks, texts, zip(*rest, strict=True), strict=True):
        if more != _ALONE:
            out.others.append(at)
        elif block is None:
            out.prompts.append(at)
        elif block == "tool_result" and _is_plain_text(text):
            out.results.append(at)
        else:
            out.others.append(at)


def _is_plain_text(text: Any) -> bool:
    if type(text) is list and len(text) == 1 and type(text[0]) is dict and text[0].get("type") == "text":
        text = text[0].get("text")
    # Previews, refusals and interrupts are told by their first words.
    return type(text) is str and not text[:200].lstrip().startswith(_TELLING)


def answer_sizes(kind: str, text: Any, thinking: Any) -> tuple[int, int | None, int]:
    """(text, last text, thinking) sizes of a plain answer; the tool input is a matter of `call`."""
    if kind == "text":
        size = units(text) if type(text) is str else None
        return size or 0, size, 0
    return 0, None, units(thinking) if kind == "thinking" and type(thinking) is str else 0


def sent(records: Sequence[Fields], wanted: Sequence[int], *, known: int) -> list[tuple[Any, Any]]:
    """The columns of `api_requests`; of records of fewer than `known` fields the source of the query is null."""
    source = known > QUERY_SOURCE
    return [(records[at][f.ID], records[at][QUERY_SOURCE] if source else None) for at in wanted]


def prompt(turn: Fields | None) -> tuple[str, int, None] | None:
    """The columns of `turns` for the fields `TURN` of a user record; None where it is no plain text of the user's."""
    text = turn and turn[0]
    if turn is None or type(text) is not str or is_delivery(text):
        return None
    kind = kind_of_turn(text, is_summary=turn[1] is True, is_meta=turn[2] is True)
    return None if kind == "interrupt" else (kind, units(text), None)


def named_call(sink: Sink, chunk: Chunk, at: int) -> tuple[Any, ...]:
    """As `call`, but of a tool that launches no agent only its name and the size of its input: the rest is null."""
    record = chunk.records[at]
    given, name, call_id = record[GIVEN], record[TOOL], record[CALL]
    if name in LAUNCHERS:
        return call(sink, chunk, at)
    if type(call_id) is str:
        sink.calls[call_id] = "other"
    size = 0
    for value in given.values() if type(given) is dict else ():
        size += units(value) if type(value) is str else sink.odd.strings(value)
    return record[MESSAGE_ID], call_id, name, None, None, None, None, None, None, None, None, size, None


def call(sink: Sink, chunk: Chunk, at: int) -> tuple[Any, ...]:
    """The columns of `tool_uses` from `message_id` on for a plain answer that calls a tool."""
    record = chunk.records[at]
    given = record[GIVEN]
    if type(given) is not dict:
        given = {}
    name, call_id = record[TOOL], record[CALL]
    if type(call_id) is str:
        reads = name == "Read" or (name == "Bash" and _prints(sink, chunk, at, given.get("command")))
        sink.calls[call_id] = "read" if reads else "launch" if name in LAUNCHERS else "other"
    odd = sink.odd
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


def _prints(sink: Sink, chunk: Chunk, at: int, command: Any) -> bool:
    # Most commands begin with something else: no place is made up for them.
    if type(command) is not str or command[:1] not in PRINT_INITIALS:
        return False
    record = chunk.records[at]
    return printed(sink, chunk.place(at, sink.odd), record[CALL], command, record[f.CWD])


def results(sink: Sink, chunk: Chunk, wanted: Sequence[int]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The columns of `tool_results` from `tool_use_id` on for plain results; and what those of reads brought in:
    position, tool_use_id, text and stub."""
    rows: list[tuple[Any, ...]] = []
    read: list[tuple[Any, ...]] = []
    records, calls, contents = chunk.records, sink.calls, sink.contents
    for at in wanted:
        record = records[at]
        text, call_id, is_error = record[RESULT], record[RESULT_OF], truth(record[IS_ERROR])
        if type(text) is list:
            text = text[0]["text"]
        size = units(text)
        rows.append((call_id, size, 0, is_error, False, False, record[DENIAL], False))
        kind = calls.get(call_id) if type(call_id) is str else "other"
        if kind == "other" or is_error or not text:
            continue
        if kind != "launch" and contents:
            found = content(text)
            if found is not None:
                read.append((at, call_id, *found))
        if kind != "read":
            handed_over(sink, chunk.place(at, sink.odd), call_id, [text], size)
    return rows, read
