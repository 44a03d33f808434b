"""Compare the price table with litellm's figures for the models both have (`just prices`).

litellm is read as a file, never imported: its import takes seconds and tries the network.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from policy.prices import BEGINNING, load

KEYS = {
    "input": "input_cost_per_token",
    "write_5m": "cache_creation_input_token_cost",
    "write_1h": "cache_creation_input_token_cost_above_1hr",
    "read": "cache_read_input_token_cost",
    "output": "output_cost_per_token",
}


def litellm_models() -> dict[str, dict[str, Any]]:
    """litellm's bundled table, Anthropic's own models only."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        raise SystemExit("litellm is not installed: run `just prices`")
    file = Path(spec.origin).with_name("model_prices_and_context_window_backup.json")
    models = json.loads(file.read_text(encoding="utf-8"))
    return {name: row for name, row in models.items() if row.get("litellm_provider") == "anthropic"}


def tier_key(key: str, start: int) -> str:
    """litellm's name of a rate above a tier's start."""
    return f"{key}_above_{start // 1000}k_tokens" if start else key


def main() -> None:
    """Print every difference in the newest rates; exit 1 when there is one."""
    prices = load()
    day = pl.col("valid_from").fill_null(BEGINNING)
    newest = prices.rows.filter(day == day.max().over("model"))
    compared, differences = 0, []
    for name, theirs in litellm_models().items():
        for ours in newest.filter(newest["model"] == (prices.canonical(name) or "")).iter_rows(named=True):
            for rate, key in KEYS.items():
                figure = theirs.get(tier_key(key, ours["tier_start"]))
                if figure is not None:
                    compared += 1
                    if abs(figure * 1e6 - ours[rate]) > 1e-9:
                        differences.append(f"{name} {rate} above {ours['tier_start']}: {figure * 1e6} and {ours[rate]}")
    sys.stdout.write("\n".join([*differences, f"{compared} rates compared, {len(differences)} differ"]) + "\n")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
