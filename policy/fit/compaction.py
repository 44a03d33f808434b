"""When a thread should compact: the closed form, and the replay of its own measured steps.

A cycle of n requests starts at base b and grows g a request. Per request it costs
J(n) = rho (b + g (n-1)/2) + [K0 + rho_c (b + g n)]/n plus what does not depend on n. The part rho_c g is constant,
so n* = sqrt(2 K(b) / (g rho)) with K(b) = K0 + rho_c b: the cost of a compaction AT THE BASE. rho is the read price
raised by the share of requests that rebuild the cache. It holds for constant growth and a run of at least 2 n*;
with fewer than 1.41 n* requests no compaction pays. Real steps are heavy-tailed, so limits come from the replay and
the closed form checks it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policy.fit.quantiles import Floats, nearest_rank

ROOM_STEPS, ROOM_QUANTILE = 3, 0.99
WORTH_IT = math.sqrt(2)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Base and growth in tokens; `rho` and `rho_c` dollars per token; `k0` dollars of a compaction beside its reads."""

    base: float
    growth: float
    rho: float
    rho_c: float
    k0: float

    @property
    def at_base(self) -> float:
        """K(b) in dollars."""
        return self.k0 + self.rho_c * self.base


def fixed_cost(
    summary: float,
    prompt: float,
    base: float,
    prefix: float,
    reread: float,
    rereads: float,
    *,
    read: float,
    write: float,
    output: float,
    rho: float,
    request_output: float,
) -> float:
    """K0 in dollars: S o + s_in w + (b - p)(w - r) + q w + m (rho b + o_req).

    `summary` tokens written out, `prompt` tokens asking for it, `prefix` tokens that stay cached, `reread` tokens
    brought in again over `rereads` requests, `request_output` tokens each of those writes.
    """
    again = reread * write + rereads * (rho * base + request_output * output)
    return summary * output + prompt * write + max(0.0, base - prefix) * (write - read) + again


def per_request(cycle: Cycle, n: float) -> float:
    """J(n) in dollars without the parts that n does not change."""
    reading = cycle.rho * (cycle.base + cycle.growth * (n - 1) / 2)
    return reading + (cycle.k0 + cycle.rho_c * (cycle.base + cycle.growth * n)) / n


def best_requests(cycle: Cycle) -> float:
    """n*, the requests between compactions at which J is least."""
    return math.sqrt(2 * cycle.at_base / (cycle.growth * cycle.rho))


def numeric_best(cycle: Cycle, longest: int = 10_000) -> int:
    """The whole n at which J is least, by trying each."""
    n = np.arange(1, longest + 1, dtype=np.float64)
    cost = (
        cycle.rho * (cycle.base + cycle.growth * (n - 1) / 2)
        + (cycle.k0 + cycle.rho_c * (cycle.base + cycle.growth * n)) / n
    )
    return int(cost.argmin()) + 1


def arm_total(requests: float, context: float, read: float, rest: float, compactions: float, k: float) -> float:
    """Dollars of a run: every request reads its mean context, `rest` for writes and output, `k` a compaction.

    Reading the whole context is an upper bound: what a request writes stands in its context but is not read.
    """
    return requests * context * read + rest + compactions * k


@dataclass(frozen=True, slots=True)
class Steps:
    """One thread as measured: growth of context before each request, and what a token of its prompt cost there.

    `growth[0]` is the first context. `price` is the read price, or the write price where that request rebuilt the
    cache; `read` is the read price throughout.
    """

    growth: Floats
    price: Floats
    read: float


def replay(steps: Steps, at: float, base: float, k0: float) -> tuple[float, int]:
    """(dollars of reading and compacting, compactions) of the thread if it compacted whenever its context reached `at`.

    After a compaction the context is `base`. The compaction reads the context it ends, at the price of the request
    that follows; that request then finds a fresh cache. So one on a cold cache is not charged the write that the
    next request would have paid anyway.
    """
    usd, count = replay_each(steps, [at], base, k0)
    return float(usd[0]), int(count[0])


def replay_each(steps: Steps, points: Sequence[float], base: float, k0: float) -> tuple[Floats, Floats]:
    """`replay` for several points: the sums over the thread are taken once, and short threads cost next to nothing."""
    reached = np.cumsum(steps.growth)
    if len(reached) < 2 or reached[-2] < min(points):
        return np.full(len(points), float(steps.price @ reached)), np.zeros(len(points))
    spent = np.concatenate(([0.0], np.cumsum(steps.price))).tolist()
    weighted = np.concatenate(([0.0], np.cumsum(steps.price * reached))).tolist()
    usd, count = np.full(len(points), weighted[-1]), np.zeros(len(points))
    # A compaction needs a later request: the last context counts for nothing.
    way, price = reached.tolist(), steps.price.tolist()
    for i, point in enumerate(points):
        if way[-2] >= point:
            usd[i], count[i] = _walk(way, spent, weighted, price, steps.read, point, base, k0)
    return usd, count


def _walk(
    way: list[float],
    spent: list[float],
    weighted: list[float],
    price: list[float],
    read: float,
    point: float,
    base: float,
    k0: float,
) -> tuple[float, int]:
    total, count, start, shift, n = 0.0, 0, 0, 0.0, len(way)
    while start < n:
        # Last request of this stretch: the first one whose context reaches the point.
        end = max(start, min(bisect_left(way, point + shift, start), n - 1))
        total += weighted[end + 1] - weighted[start] - shift * (spent[end + 1] - spent[start])
        if end + 1 >= n or way[end] - shift < point:
            break
        count += 1
        total += k0 + price[end + 1] * (way[end] - shift)
        shift = way[end] - base
        # The next request is warm whatever it was: take its rebuild back.
        total -= (price[end + 1] - read) * (way[end + 1] - shift)
        start = end + 1
    return total, count


def replay_at(steps: Steps, at: Sequence[int], base: float, k0: float) -> tuple[float, float]:
    """(dollars of reading and compacting, tokens read) of the thread compacted after the requests `at`, as `replay`."""
    reached = np.cumsum(steps.growth)
    price, shift, extra = steps.price.copy(), np.zeros(len(reached)), 0.0
    for step in at:
        context = reached[step] - shift[step]
        extra += k0 + float(steps.price[step + 1]) * context
        price[step + 1] = steps.read
        shift[step + 1 :] = reached[step] - base
    context = reached - shift
    return float((price * context).sum()) + extra, float(context.sum())


def room(growths: list[Floats]) -> float | None:
    """p99 of the sum of three successive steps (nearest rank), None below three steps anywhere.

    The client ends an agent whose context refills three times in a row within three requests, and three steps are
    not three mean steps: the tail decides.
    """
    sums = [np.convolve(g, np.ones(ROOM_STEPS), "valid") for g in growths if len(g) >= ROOM_STEPS]
    return nearest_rank(np.sort(np.concatenate(sums)), ROOM_QUANTILE) if sums else None


def overshoot(steps: Floats) -> float:
    """Mean tokens by which a trigger is overshot: E[s^2] / 2 E[s]."""
    return float((steps**2).mean() / (2 * steps.mean())) if len(steps) and steps.mean() > 0 else 0.0
