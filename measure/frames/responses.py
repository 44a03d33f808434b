"""Which records make one response, which of them counts, and whose it is: told in row numbers, since rows are wide.

Nearly every response stands in one file, in records that follow each other and whose counters only grow. For those
the first record owns and the last one counts; the full order of claims is asked for the others alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from measure.frames.ownership import CLAIM
from measure.frames.runs import first_rows, same_as_before
from measure.frames.sums import roomy

PROMPT = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
_BEST = ("output_tokens", "prompt", "ts", "line", "uuid", "path")
_BEST_DESCENDING = (True, True, True, True, True, False)
_OWNERS = (*CLAIM[:2], "unproved", *CLAIM[2:])
_GROWING = ("output_tokens", "prompt", "ts")


def responses(records: pl.DataFrame, api_requests: pl.DataFrame) -> pl.DataFrame:
    """One row a request: `best` and `owner`, rows of `records`, the text it `held`, and whether `is_replay`.

    `held` counts each uuid once. `is_replay`: another requestId repeated it.
    """
    prompt = pl.sum_horizontal(pl.col(PROMPT).cast(roomy(records, *PROMPT))).alias("prompt")
    sizes = pl.sum_horizontal("text_chars", "thinking_chars", "tool_chars").alias("held")
    names = ("seat", "thread", "file", "line", "rank", "unnamed", "copied", "output_tokens", "ts", "request_id")
    rows = records.select(*names, prompt, sizes, _unproved(records, api_requests)).with_row_index("row")
    unit, replayed = _units(records, rows)
    rows = _in_order(rows.with_columns(unit))
    same = same_as_before(rows["unit"])
    rows = rows.with_columns((~same).cum_sum().alias("number") - 1)
    ends = same.not_().shift(-1, fill_value=True)
    held = rows["held"].cum_sum().filter(ends)
    out = pl.DataFrame(
        {
            "unit": rows["unit"].filter(ends),
            "best": rows["row"].filter(ends),
            "owner": rows["row"].filter(~same),
            "held": held - held.shift(1, fill_value=0),
        }
    )
    alike = same_as_before(*rows.select("file", "thread", "rank", "unnamed", "unproved"))
    grown = same_as_before(*rows.select("file", "thread")) & _grown(rows)
    out = _corrected(out, "owner", rows.filter(same & ~alike), rows, records, _owners)
    out = _corrected(out, "best", rows.filter(same & ~grown), rows, records, _best)
    out = _corrected(out, "held", rows.filter("copied"), rows, records, _held)
    return out.with_columns(pl.col("unit").is_in(replayed.implode()).alias("is_replay"))


def keys(records: pl.DataFrame) -> pl.Series:
    """What names the response of each record: its message id; without one each record is its own."""
    ids = records["message_id"]
    if not ids.null_count() and not (ids == "").any():
        return ids
    alone = pl.coalesce("u:" + pl.col("uuid"), pl.concat_str("path", pl.lit(":"), pl.col("line")))
    return records.select(pl.coalesce("m:" + pl.col("message_id").replace("", None), alone)).to_series()


def _unproved(records: pl.DataFrame, api_requests: pl.DataFrame) -> pl.Series:
    """Whether no api-request in the same file is the proof that its session sent the request."""
    proof = api_requests.select("file", "request_ref").drop_nulls().unique()
    if not proof.height:
        return pl.repeat(value=True, n=records.height, eager=True).alias("unproved")
    asked = records.select("file", "request_ref").join(
        proof.with_columns(unproved=False), on=("file", "request_ref"), how="left", maintain_order="left"
    )
    return asked["unproved"].fill_null(value=True)


def _units(records: pl.DataFrame, rows: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """The number of the request of each record, and the numbers of those that another requestId replayed.

    The same id under another requestId is the same request where the prompt counters are equal, else another.
    """
    unit = first_rows(keys(records)).alias("unit")
    asked = records["request_id"]
    several = unit.filter(asked.ne_missing(asked.gather(unit))).unique()
    shared = unit.is_in(several.implode())
    if not several.len():
        return unit, several
    part = rows.filter(shared).with_columns(unit.filter(shared))
    part = part.hstack(records.select("uuid", "path", *PROMPT)[part["row"]].get_columns())
    part = part.join(_numbers(part), on=("unit", "request_id"), how="left", nulls_equal=True, maintain_order="left")
    first = first_rows(part["unit"], part["sub"].fill_null(0))
    part = part.with_columns(part["row"].gather(first).alias("unit"))
    replays = part.group_by("unit").agg(pl.col("request_id").drop_nulls().n_unique().alias("ids"))
    return unit.scatter(part["row"], part["unit"]), replays.filter(pl.col("ids") > 1)["unit"]


def _numbers(part: pl.DataFrame) -> pl.DataFrame:
    """`sub` of each (unit, request_id): the number of the request among those that share a message id."""
    best = part.sort(*_BEST, descending=_BEST_DESCENDING, nulls_last=True)
    by_unit: dict[int, list[tuple[str | None, tuple[int, ...]]]] = {}
    pairs = best.unique(("unit", "request_id"), keep="first", maintain_order=True)
    for unit, request, *prompt in pairs.select("unit", "request_id", *PROMPT).iter_rows():
        by_unit.setdefault(unit, []).append((request, tuple(value or 0 for value in prompt)))
    rows = [(unit, request, sub) for unit, pair in by_unit.items() for request, sub in numbered(pair)]
    schema = {"unit": pl.UInt32, "request_id": pl.String, "sub": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def numbered(pairs: Iterable[tuple[str | None, tuple[int, ...]]]) -> list[tuple[str | None, int]]:
    """A number for each requestId of one message id; equal prompts share it.

    Records without a requestId, and zero placeholders, go with an equal prompt, else with the largest one.
    """
    pairs = list(pairs)
    real = sorted({prompt for request, prompt in pairs if request is not None and any(prompt)}, key=_largest)
    numbers = {prompt: number for number, prompt in enumerate(real)}
    return [(request, numbers.get(prompt, 0)) for request, prompt in pairs]


def _largest(prompt: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return -sum(prompt), prompt


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """The records of each request together, in the order of their seats."""
    if not rows["unit"].is_sorted():
        rows = rows.sort("unit", maintain_order=True)
    if (same_as_before(rows["unit"]) & (rows["seat"] < rows["seat"].shift())).any():
        rows = rows.sort("unit", "seat", maintain_order=True)
    return rows


def _grown(rows: pl.DataFrame) -> pl.Series:
    """Whether no counter is smaller than in the row before; unknown is smallest."""
    pairs = ((pl.col(name).shift(), pl.col(name)) for name in _GROWING)
    return rows.select(pl.all_horizontal((a <= b).fill_null(a.is_null()) for a, b in pairs)).to_series()


def _corrected(
    out: pl.DataFrame,
    name: str,
    doubtful: pl.DataFrame,
    rows: pl.DataFrame,
    records: pl.DataFrame,
    exactly: Callable[[pl.DataFrame], pl.DataFrame],
) -> pl.DataFrame:
    """`out` with the column `name` by `exactly` for the requests of the `doubtful` rows."""
    numbers = doubtful["number"].unique()
    if not numbers.len():
        return out
    part = rows.filter(pl.col("number").is_in(numbers.implode()))
    wanted = ("file_ts", "session_id", "path", "uuid", "block")
    exact = exactly(part.hstack(records.select(wanted)[part["row"]].get_columns()))
    return out.with_columns(out[name].scatter(exact["number"], exact[name]))


def _owners(part: pl.DataFrame) -> pl.DataFrame:
    """The record with the best claim."""
    rows = part.sort(*_OWNERS, nulls_last=True).unique("number", keep="first", maintain_order=True)
    return rows.select("number", pl.col("row").alias("owner"))


def _best(part: pl.DataFrame) -> pl.DataFrame:
    """The record that counts whole."""
    rows = part.sort(*_BEST, descending=_BEST_DESCENDING, nulls_last=True)
    return rows.unique("number", keep="first", maintain_order=True).select("number", pl.col("row").alias("best"))


def _held(part: pl.DataFrame) -> pl.DataFrame:
    texts = part.group_by("number", "uuid", "block").agg(pl.col("held").max())
    return texts.group_by("number").agg(pl.col("held").sum())
