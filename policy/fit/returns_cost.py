"""What stopping a long return costs the agent, and what its text would have cost the caller.

Symbols: t size delivered now, t2 size after the block (tokens); c the agent's context when it stops; b tokens of
the order's text, h of a tool call's frame, th thinking tokens of the extra answer. A thread's prices are
dollars per token: r cache read, w cache write (of that thread's cache life), o output. Every function takes
numbers or NumPy arrays alike.

The price of a saved token is plain carry (one write, then a read or a rewrite a request). Where a segment ends in
an AUTOMATIC compaction at T its shadow price is r (R_rem - n/2) + K/(T - base): equal to carry at the
optimal T, below it where T lies too late, above it where T lies too early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from policy.fit.quantiles import Floats

N = TypeVar("N", float, Floats)
ORDER_TOKENS, FILE_ORDER_TOKENS, TOOL_FRAME, REQUEST_OUTPUT = 100, 150, 50, 100


@dataclass(frozen=True, slots=True)
class Paid(Generic[N]):
    """Prices of a thread in dollars per token."""

    read: N
    write: N
    output: N


@dataclass(frozen=True, slots=True)
class Prior:
    """A named figure that the transcripts do not give, with where it comes from."""

    value: float
    source: str


PRIORS = {
    "compressed": Prior(1.026, "prior, n = 1: size after a compress order, as a share of the announced target"),
    "pointer_tokens": Prior(245, "prior, n = 1: size after a file order, est. tokens"),
    "order_tokens": Prior(ORDER_TOKENS, "the text of the compress order"),
    "file_order_tokens": Prior(FILE_ORDER_TOKENS, "the text of the file order"),
    "tool_frame_tokens": Prior(TOOL_FRAME, "prior: frame of one tool call and its result"),
    "thinking_tokens": Prior(0, "median thinking tokens of the agents' own requests where recorded, else 0"),
    "read_back_share": Prior(0.2, "prior, no data: share of callers that read the saved file afterwards"),
    "ttl_push_share": Prior(0.014, "derived: a block's 15 s push a waiting caller (median 120 s) past 5 minutes"),
}


def compress(c: N, t: N, t2: N, agent: Paid[N], b: float = ORDER_TOKENS, th: float = 0.0) -> N:
    """Dollars of one compress order: the agent reads its context again and writes the answer once more.

    The write of the first answer belongs to it: without the order nobody would have sent it again.
    """
    return c * agent.read + (t + b) * agent.write + (t2 + th) * agent.output


def file_order(
    c: N, t: N, t2: N, agent: Paid[N], b: float = FILE_ORDER_TOKENS, h: float = TOOL_FRAME, th: float = 0.0
) -> N:
    """Dollars of one file order: a request that writes the report AGAIN as the tool's input, and one that answers."""
    writing = c * agent.read + (t + b) * agent.write + (t + h + th) * agent.output
    answer = (c + t + b) * agent.read + (t + 2 * h) * agent.write + (t2 + th) * agent.output
    return writing + answer


def spill(c: N, t: N, t2: N, agent: Paid[N], b: float = FILE_ORDER_TOKENS, th: float = 0.0) -> N:
    """Dollars of one spill: the hook wrote the file, the agent only answers in three lines."""
    return compress(c, t, t2, agent, b, th)


def read_back(context: N, t: N, carry: N, caller: Paid[N]) -> N:
    """Dollars when the caller reads the saved text after all: one more request, and the text carried from then on."""
    return context * caller.read + REQUEST_OUTPUT * caller.output + (t + REQUEST_OUTPUT) * carry


def break_even_requests(cost: N, saved: N, write: N, per_request: N) -> N:
    """Later requests of the caller after which `cost` is earned back: (B - D w_k) / (D abar)."""
    return (cost - saved * write) / (saved * per_request)


def mean_price(read: float, write: float, rebuilt: float) -> float:
    """abar: the price of carrying a token over one request when a share `rebuilt` of requests write the cache anew."""
    return (1 - rebuilt) * read + rebuilt * write


def break_even_size(
    target: float, c: float, carry: float, agent: Paid[float], b: float = ORDER_TOKENS, th: float = 0.0
) -> float | None:
    """t0: the size from which a compress order to `target` tokens pays; None where it never does.

    Solves (t - t2) carry = c r + (t + b) w + (t2 + th) o for t; `carry` is w_k plus the sum of later a_j.
    """
    if carry <= agent.write:
        return None
    fixed = c * agent.read + b * agent.write + (target + th) * agent.output
    return (target * carry + fixed) / (carry - agent.write)


def session_total(values: Floats, codes: np.ndarray) -> tuple[float, float, float]:
    """(sum, low, high): 95 % interval of a total over sessions, from the spread of the sessions' own sums."""
    from policy.fit.student import quantile

    sums = np.bincount(codes, weights=values) if len(values) else np.zeros(0)
    total = float(sums.sum())
    count = len(sums)
    if count < 2:
        return total, float("-inf"), float("inf")
    half = quantile(0.975, count - 1) * float(sums.std(ddof=1)) * count**0.5
    return total, total - half, total + half
