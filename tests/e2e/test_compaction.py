"""The compaction policy in the real client: each party at its own point, on request, and as without us when off."""

from typing import Any

import pytest
from lab.turns import agent, bash, read, report
from lab.workspace import Run, Workspace

pytestmark = pytest.mark.e2e

NOTE = "Compaction note"
CUSTOM = "---\nname: worker\ndescription: d.\ntools: Read\nautoCompact:\n  forceAt: 50k\n---\nYou read files.\n"
POLICY = {
    "main": {"forceAt": "90k", "nudgeFrom": "80k"},
    "subagent": {"nudgeFrom": "30k", "nudgeEvery": "100k"},
    "byAgentType": {"Explore": {"forceAt": "45k"}, "general-purpose": {"forceAt": 62_000}},
}
DONE = {"text": "All done.", "context": 30_000}


def install(workspace: Workspace, policy: dict[str, Any]) -> Workspace:
    workspace.write({f"f{n}.txt": f"file {n}\n" * 20 for n in range(9)})
    workspace.config(compaction=policy)
    workspace.setpoint("hooks", "install", "compaction", "--scope", "project", "--yes")
    return workspace


def steps(*contexts: int, text: str = "step") -> list[dict[str, Any]]:
    return [
        {"text": f"{text} {n}", "tools": [read(f"f{n % 9}.txt")], "context": size} for n, size in enumerate(contexts)
    ]


def spans(run: Run, thread: str) -> list[int]:
    """Context of the request before each compaction."""
    return [int(meta["preTokens"]) for meta in run.boundaries(thread)]


def test_each_party_compacts_at_its_own_point(workspace: Workspace) -> None:
    workspace.write({".claude/agents/worker.md": CUSTOM})
    install(workspace, POLICY)
    grown = {
        "explore": steps(10_000, 18_000, 25_000, 31_000, 38_000, 46_000, 12_000),
        "general": steps(10_000, 18_000, 25_000, 31_000, 38_000, 46_000, 53_000, 59_000, 65_000, 12_000),
        "worker": steps(10_000, 18_000, 25_000, 31_000, 38_000, 46_000, 53_000, 12_000),
    }
    threads = {name: [*turns, {"text": "Report.", "context": 13_000}] for name, turns in grown.items()}
    kinds = {"explore": "Explore", "general": "general-purpose", "worker": "worker"}
    calls = [agent(name, kind) for name, kind in kinds.items()]
    threads["main"] = [{"tools": calls, "context": 20_000}, *steps(70_000, 85_000, 95_000), DONE, DONE]
    run = workspace.run(threads)
    points = {"explore": 45_000, "general": 62_000, "worker": 50_000, "main": 90_000}
    for thread, point in points.items():
        found = spans(run, thread)
        assert len(found) == 1, f"{thread}: {found}"
        assert point <= found[0] < point + 8_000, f"{thread}: {found}"


ASK = {
    "subagent": {"nudgeFrom": "25k", "nudgeEvery": "10k", "forceAt": "90k"},
    "main": {"nudgeFrom": "25k", "forceAt": "90k"},
}
MAIN = [{"tools": [agent("sub")], "context": 20_000}, DONE, DONE]


def instructions(run: Run, thread: str) -> str:
    """What the summariser was told beside its own prompt."""
    return run.seen(thread, 0, "summary").partition("Additional Instructions:")[2]


def marked(text: str, context: int, number: int) -> dict[str, Any]:
    return {"text": text, "tools": [read(f"f{number}.txt")], "context": context}


def test_a_marker_compacts_at_the_next_ask_with_its_focus(workspace: Workspace) -> None:
    install(workspace, ASK)
    sub = [*steps(12_000, 20_000, 26_000), marked("<compact-now>keep the file names</compact-now>", 30_000, 3)]
    sub += [*steps(32_000, 12_000), {"text": "Report.", "context": 13_000}]
    run = workspace.run({"main": MAIN, "sub": sub})
    assert len(run.boundaries("sub")) == 1
    assert 30_000 <= spans(run, "sub")[0] < 34_000
    assert "keep the file names" in instructions(run, "sub")
    assert "your request is taken" in run.seen("sub", 4) + run.seen("sub", 5)


def test_a_quoted_marker_or_an_early_one_does_nothing(workspace: Workspace) -> None:
    install(workspace, ASK)
    early = marked("<compact-now>too early</compact-now>", 12_000, 1)
    quoted = marked("I could write `<compact-now>x</compact-now>` here.", 30_000, 2)
    fenced = marked("```\n<compact-now>x</compact-now>\n```", 32_000, 3)
    sub = [early, *steps(20_000), quoted, fenced, *steps(33_000, 34_000), {"text": "Report.", "context": 34_500}]
    run = workspace.run({"main": MAIN, "sub": sub})
    assert run.boundaries("sub") == []
    assert "your request is refused" in run.seen("sub")


def test_a_lone_marker_stop_is_refused_once_and_the_report_is_still_guarded(workspace: Workspace) -> None:
    install(workspace, ASK)
    workspace.setpoint("hooks", "install", "returns", "--scope", "project", "--yes")
    lone = {"text": "<compact-now>keep it</compact-now>", "context": 30_000}
    sub = [
        *steps(20_000),
        lone,
        {"text": report(1500), "context": 31_000},
        {"text": "Short a.txt:1.", "context": 32_000},
    ]
    run = workspace.run({"main": MAIN, "sub": [*sub, {"text": "More.", "context": 33_000}]})
    assert len(run.requests("sub")) == 4
    assert "alone is no report" in run.new("sub", 2)
    assert "Return guard" in run.new("sub", 3)
    assert "Short a.txt:1." in run.seen("main")


def test_the_brief_is_seated_once_after_each_of_three_compactions(workspace: Workspace) -> None:
    install(workspace, {"subagent": {"nudgeFrom": "30k", "forceAt": "45k"}})
    brief = 'BRIEF-LINE-1 read every file.\nBRIEF-LINE-2 cite path:line <and> "quotes" too.'
    cycle = (12_000, 20_000, 28_000, 36_000, 46_000)
    sub = [*steps(*(cycle * 3)), *steps(12_000), {"text": "Report.", "context": 13_000}]
    main = [{"tools": [agent("sub", prompt=brief)], "context": 20_000}, DONE]
    run = workspace.run({"main": main, "sub": sub})
    assert len(run.boundaries("sub")) == 3
    for index in (5, 10, 15):
        first = run.seen("sub", index)
        assert "being continued from a previous" in first
        assert first.count(f"[[sub]] {brief}") == 1


def test_nudges_come_at_their_levels_and_start_over_after_a_compaction(workspace: Workspace) -> None:
    install(workspace, {"subagent": {"nudgeFrom": "20k", "nudgeEvery": "10k", "forceAt": "45k"}})
    curve = (
        12_000,
        18_000,
        21_000,
        25_000,
        31_000,
        38_000,
        41_000,
        46_000,
        12_000,
        18_000,
        22_000,
        29_000,
        31_000,
        32_000,
    )
    run = workspace.run({"main": MAIN, "sub": [*steps(*curve), {"text": "Report.", "context": 33_000}]})
    assert len(run.boundaries("sub")) == 1
    rows = [row for row in run.rows("sub") if row.get("attachment", {}).get("type") == "hook_additional_context"]
    said = [str(row["attachment"]["content"]) for row in rows if NOTE in str(row["attachment"]["content"])]
    levels = [int(text.split("counted ")[1].split(" of")[0].replace(",", "")) // 1000 for text in said]
    assert levels == [21, 31, 41, 22, 31]
    assert "compacted at 45,000" in said[0]


def test_main_asks_by_the_command_and_is_refused_below_its_first_nudge(workspace: Workspace) -> None:
    install(workspace, ASK)
    first = workspace.run({"main": [*steps(12_000, 26_000), {"text": "Stop.", "context": 27_000}]})
    said = first.seen("main")
    assert "A person waiting comes first" in said
    command = next(line for line in said.split("run: ") if "run.py compact" in line).split(' "what')[0]
    asking = {"tools": [bash(f'{command} "keep the names"')], "context": 30_000}
    run = workspace.run({"main": [*steps(12_000, 26_000), asking, *steps(31_000, 12_000), DONE]})
    assert len(run.boundaries()) == 1
    assert "keep the names" in instructions(run, "main")
    turns = [*steps(12_000, 26_000), {"tools": [bash(f'{command} "x"')], "context": 24_000, "delay": 0.5}]
    refused = workspace.run({"main": [*turns, DONE]})
    assert "your request is refused" in refused.seen("main")


OFF = ["disabled", "malformed", "uninstalled", "disabled by command"]


@pytest.mark.parametrize("how", OFF)
def test_switched_off_the_client_behaves_as_without_us(workspace: Workspace, how: str) -> None:
    """The window is 100,000: by itself the client compacts at 67,000, and so it must."""
    install(workspace, POLICY)
    if how == "disabled":
        workspace.config(compaction={"enabled": False})
    elif how == "malformed":
        (workspace.work / ".claude" / "setpoint.json").write_text("{not json")
    elif how == "uninstalled":
        workspace.setpoint("hooks", "uninstall", "--scope", "project", "--yes")
    else:
        workspace.setpoint("hooks", "disable", "compaction", "--scope", "project", "--yes")
    lowered = "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE" in workspace.read_settings().get("env", {})
    assert lowered == (how in ("disabled", "malformed"))
    curve = (12_000, 25_000, 38_000, 46_000, 55_000, 63_000, 69_000, 12_000)
    check_as_without_us(workspace, curve)


def check_as_without_us(workspace: Workspace, curve: tuple[int, ...]) -> None:
    workspace.record_window(100_000)
    sub = [*steps(*curve), {"text": "Report.", "context": 13_000}]
    run = workspace.run({"main": MAIN, "sub": sub}, env={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"})
    found = spans(run, "sub")
    assert len(found) == 1
    assert 67_000 <= found[0] < 72_000
    assert NOTE not in run.seen("sub", -1)


@pytest.mark.parametrize("version", ["2.1.283"])
def test_an_old_client_behaves_as_without_us(workspace: Workspace) -> None:
    """It does not say whose compaction it asks about: the ask point stays, and nothing is held."""
    workspace.run({"main": [{"text": "A first run, so that the client's version is known."}]})
    install(workspace, POLICY)
    assert "env" not in workspace.read_settings()
    workspace.config(compaction={"subagent": {"enabled": False}})
    check_as_without_us(workspace, (12_000, 25_000, 38_000, 46_000, 55_000, 63_000, 69_000, 12_000))
