"""Compactions, worked out by hand."""

from __future__ import annotations

from typing import Any

from measure.columns import schema


def test_a_boundary_ends_a_segment_of_its_own_thread(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1", agentType="Explore")
    main.text("1")
    main.text("2")
    facts = {"trigger": "auto", "preTokens": 80_583, "postTokens": 4_880, "durationMs": 533}
    main.add("system", subtype="compact_boundary", compactMetadata=facts)
    main.user("This session is being continued", isCompactSummary=True)
    main.text("3")
    main.add("system", subtype="compact_boundary", compactMetadata={"trigger": "manual"})
    agent.text("1")
    agent.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    agent.add("system", subtype="microcompact_boundary", compactMetadata={"trigger": "auto"})
    frames = tree.frames()
    assert frames.compactions.schema == schema("compactions")
    columns = ("agent_id", "agent_type", "trigger", "pre_tokens", "post_tokens", "duration_ms", "segment")
    assert frames.compactions.select(*columns, "requests_since_last").rows() == [
        (None, None, "auto", 80_583, 4_880, 533, 0, 2),
        (None, None, "manual", None, None, None, 1, 1),
        ("a1", "Explore", "auto", 9, None, None, 0, 1),
    ]
    assert frames.requests.select("agent_id", "segment").rows() == [(None, 0), (None, 0), (None, 1), ("a1", 0)]
    assert frames.events.filter(kind="compact_unseen").height == 0


def test_a_replayed_boundary_is_not_a_new_one(tree: Any) -> None:
    main = tree.main()
    boundary = main.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"})
    main.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto"}, uuid=boundary["uuid"])
    assert tree.frames().compactions.height == 1


def test_a_summary_without_a_boundary_is_an_event(tree: Any) -> None:
    main = tree.main()
    main.user("This session is being continued", isCompactSummary=True)
    frames = tree.frames()
    assert frames.compactions.height == 0
    assert frames.events.select("kind").rows() == [("compact_unseen",)]
