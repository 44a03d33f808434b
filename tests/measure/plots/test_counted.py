"""What the pictures of counts are drawn from, by hand."""

import polars as pl
from made_frames import START, frame, made
from matplotlib.lines import Line2D

from measure.plots import style
from measure.plots.context import context, latest_session, threads
from measure.plots.growth import steps
from measure.plots.marks import Mark
from measure.plots.reads import names, repeats
from measure.plots.returns import returns

A = {"session_id": "s1", "agent_id": None}
B = {"session_id": "s1", "agent_id": "a1", "agent_type": "Explore"}


def request(owner: dict[str, object], step: int, context_tokens: int | None, segment: int = 0) -> dict[str, object]:
    return owner | {"step": step, "ts": START, "context_tokens": context_tokens, "segment": segment, "model": "m"}


REQUESTS = frame(
    "requests",
    [request(A, 0, 100), request(A, 1, 150), request(A, 2, 40, 1), request(A, 3, 45, 1), request(B, 0, 10),
     request(B, 1, None), request(B, 2, 30)],
)  # fmt: skip
COMPACTIONS = frame("compactions", [A | {"segment": 0, "ts": START}])


def test_growth_is_counted_within_a_segment_only() -> None:
    found = steps(REQUESTS)
    assert found.filter(thread="main")["growth"].to_list() == [50, 5]


def test_growth_skips_a_request_whose_context_is_unknown() -> None:
    assert steps(REQUESTS).filter(thread="Explore")["growth"].to_list() == []


def test_a_compaction_stands_between_the_two_requests_it_parts() -> None:
    main, agent = threads(REQUESTS, COMPACTIONS, "s1")
    assert (main.name, main.steps, main.contexts, main.compacted_at) == (
        "main",
        [1, 2, 3, 4],
        [100, 150, 40, 45],
        [2.5],
    )
    assert (agent.name, agent.steps, agent.contexts, agent.compacted_at) == ("Explore", [1, 3], [10, 30], [])


def test_the_newest_session_is_drawn_when_none_is_named() -> None:
    assert latest_session(made(3, 0, 2)["requests"]) == "00000002-0000-4000-8000-000000000000"
    assert latest_session(REQUESTS.clear()) is None


def test_marks_far_above_the_curve_are_named_not_drawn() -> None:
    fig = context(REQUESTS, COMPACTIONS, "s1", lambda *_: [Mark(967_000, "asks to compact")])
    assert "above this scale: asks to compact (967k)" in fig.axes[0].get_title("left")
    assert fig.axes[0].get_ylim()[1] < 1_000


def test_more_agents_than_fit_are_counted_in_the_title() -> None:
    rows = [request({"session_id": "s1", "agent_id": f"a{n}"}, 0, n + 1) for n in range(70)]
    fig = context(frame("requests", rows), COMPACTIONS.clear())
    assert len(fig.axes) == 60
    assert "70 agents" in fig.get_suptitle()
    assert "10 smaller agents not shown" in fig.get_suptitle()


def test_limits_are_drawn_on_the_row_of_their_type() -> None:
    rows = [{"agent_type": kind, "est_tokens": 500} for kind in ("Explore", "Plan", None)]
    of_type = {"Explore": 600, "Plan": 1_000, None: 1_000}
    fig = returns(frame("returns", rows), lambda kind: [Mark(of_type[kind], "pass limit")])
    drawn = [line for line in fig.axes[0].lines if isinstance(line, Line2D) and line.get_color() == style.COLOURS[2]]
    assert [line.get_xdata()[0] for line in drawn] == [1_000, 600, 1_000]  # (unknown), Explore, Plan
    assert fig.legends[0].get_texts()[0].get_text() == "pass limit: 600 to 1k, by type"


def test_repeat_reads_are_summed_per_file_and_kind() -> None:
    rows = [
        {"path": "/p/a", "project": "/p", "repeat": repeat, "avoidable_chars": chars}
        for repeat, chars in (("none", 0), ("same", 400), ("same", 1), ("overlap", 10))
    ] + [{"path": "/p/b", "project": "/p", "repeat": "none", "avoidable_chars": 0}]
    columns = ("path", "reads", "repeats", "same", "contained", "overlap", "total")
    assert repeats(frame("reads", rows)).select(columns).rows() == [("/p/a", 4, 3, 101, 0, 3, 104)]


def test_dollar_signs_and_missing_glyphs_are_plain_text() -> None:
    assert style.shown("cost $x_1$ \U0001f9ec\n") == "cost $x_1$ □□"
    assert style.shown("a" * 50, 11) == "aaaaa…aaaaa"


def test_reads_of_unknown_path_are_left_out() -> None:
    rows = frame("reads", [{"path": None, "repeat": "same", "avoidable_chars": 9}])
    assert isinstance(repeats(rows), pl.DataFrame)
    assert repeats(rows).height == 0


def test_files_of_several_projects_are_told_apart() -> None:
    rows = [
        {"path": f"/home/me/{project}/a.py", "project": f"/home/me/{project}", "repeat": "same", "avoidable_chars": 4}
        for project in ("one", "two")
    ]
    assert names(repeats(frame("reads", rows))) == ["one: a.py", "two: a.py"]
    assert names(repeats(frame("reads", rows[:1]))) == ["a.py"]
