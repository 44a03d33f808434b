"""Who may import whom (ARCHITECTURE.md), read from the source."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = {"measure", "policy", "hooks"}


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(("." * node.level) + (node.module or ""))
    return names


def ours(path: Path) -> set[str]:
    return {name for name in imports(path) if name.split(".")[0] in OURS}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@pytest.mark.parametrize("path", modules("measure"), ids=str)
def test_measure_knows_only_itself_and_pure_rules(path: Path) -> None:
    if path == ROOT / "measure" / "cli.py":
        return
    for name in ours(path):
        assert name.startswith(("measure", "hooks.runtime")), f"{path} imports {name}"


@pytest.mark.parametrize("path", modules("policy"), ids=str)
def test_policy_never_imports_the_installer(path: Path) -> None:
    for name in ours(path):
        assert not name.startswith("hooks") or name.startswith("hooks.runtime"), f"{path} imports {name}"


@pytest.mark.parametrize("path", modules("hooks"), ids=str)
def test_hooks_know_only_stdlib_and_the_runtime(path: Path) -> None:
    relative = path.relative_to(ROOT / "hooks")
    for name in imports(path):
        top = name.split(".")[0]
        if relative.parts[0] == "runtime" or relative == Path("run.py"):
            assert top in {"", "runtime"} or top in sys.stdlib_module_names, f"{path} imports {name}"
        elif relative == Path("cli.py"):
            assert top in {"", "hooks", "typer", "rich"} or top in sys.stdlib_module_names, f"{path} imports {name}"
        else:
            assert top in {"", "hooks"} or top in sys.stdlib_module_names, f"{path} imports {name}"


@pytest.mark.parametrize("path", [ROOT / "hooks" / "run.py", *modules("hooks/runtime")], ids=str)
def test_runtime_is_python_39(path: Path) -> None:
    if path.exists():
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_imported_packages_are_ours() -> None:
    import hooks
    import measure
    import policy

    for package in (measure, policy, hooks):
        assert Path(str(package.__file__)).resolve().parent.parent == ROOT


def test_tests_hold_no_init_file() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))
