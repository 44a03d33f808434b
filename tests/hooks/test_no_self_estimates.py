"""No text of ours asks a model to judge how full its own context is: figures come from a program."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASKS = re.compile(
    r"(estimate|guess|judge|assess|gauge|keep track of|how (full|large|much)).{0,40}\b(your|own|the) (own )?context"
    r"|if (your|the) context (is|gets|becomes|grows)"
    r"|when (you think|you feel|your context)",
    re.IGNORECASE | re.DOTALL,
)


def sources() -> list[Path]:
    return [path for folder in ("hooks", "policy", "measure") for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_asks_for_an_estimate_of_the_own_context(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.body[0].value) for node in ast.walk(tree) if has_docstring(node)}  # type: ignore[attr-defined]
    texts = [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docs
    ]
    assert not [text for text in texts if ASKS.search(text)]


def has_docstring(node: ast.AST) -> bool:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


def test_the_pattern_finds_what_it_is_for() -> None:
    assert ASKS.search("Estimate how full your context is and report early.")
    assert ASKS.search("If your context gets large, stop.")
    assert not ASKS.search("A program measured this agent's context at 52,000 tokens.")
