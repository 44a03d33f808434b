"""Reads and repeats, over a file of lines `line 1`, `line 2` ...: worked out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl

from measure.columns import schema


def numbered(first: int, last: int, word: str = "line") -> str:
    """What Read gives: number, tab, text."""
    return "\n".join(f"{line}\t{word} {line}" for line in range(first, last + 1))


def plain(first: int, last: int) -> str:
    return "\n".join(f"line {line}" for line in range(first, last + 1))


def rows(frames: Any, *columns: str) -> list[tuple[Any, ...]]:
    assert frames.reads.schema == schema("reads")
    found: list[tuple[Any, ...]] = frames.reads.select(columns).rows()
    return found


def test_a_read_has_its_range_and_its_size(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt")
    main.tool("t2", "Read", numbered(3, 4), file_path="b/../b.txt", offset=3, limit=2)
    main.text("done")
    # nine lines of "N\tline N" are 8 units each, with 8 line feeds: 80
    columns = ("path", "first_line", "last_line", "whole", "via", "chars", "repeat", "avoidable_chars", "result_step")
    assert rows(tree.frames(), *columns) == [
        ("/p/a.txt", 1, None, True, "Read", 80, "none", 0, 1),
        ("/p/b.txt", 3, 4, False, "Read", 17, "none", 0, 2),
    ]


def test_bash_that_only_prints_is_a_read_and_other_bash_is_none(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Bash", plain(1, 9), command="cat a.txt")
    main.tool("t2", "Bash", plain(2, 3), command="sed -n '2,3p' a.txt")
    main.tool("t3", "Bash", plain(8, 9), command="tail -n 2 a.txt")
    main.tool("t4", "Bash", plain(1, 9), command="cat a.txt | head -9")
    main.tool("t5", "Bash", plain(1, 9), command="ls")
    assert rows(tree.frames(), "via", "path", "first_line", "last_line", "chars", "repeat", "avoidable_chars") == [
        ("Bash", "/p/a.txt", 1, None, 62, "none", 0),
        ("Bash", "/p/a.txt", 2, 3, 13, "contained", 13),
        ("Bash", "/p/a.txt", None, None, 13, "contained", 13),
    ]


def test_kinds_of_repeats(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt", offset=1, limit=9)
    main.tool("t2", "Read", numbered(1, 9), file_path="/p/a.txt", offset=1, limit=9)
    main.tool("t3", "Read", numbered(4, 5), file_path="/p/a.txt", offset=4, limit=2)
    main.tool("t4", "Read", numbered(8, 12), file_path="/p/a.txt", offset=8, limit=5)
    main.tool("t5", "Read", numbered(1, 9), file_path="/p/b.txt", offset=1, limit=9)
    # t4: lines 8 and 9 are held: 8 units and a line feed each
    assert rows(tree.frames(), "repeat", "avoidable_chars") == [
        ("none", 0),
        ("same", 80),
        ("contained", 17),
        ("overlap", 18),
        ("none", 0),
    ]


def test_an_edit_or_write_in_between_clears_the_file_and_no_other(tree: Any) -> None:
    main = tree.main()
    for number, (tool, key) in enumerate(
        [("Edit", "file_path"), ("Write", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")]
    ):
        path = f"/p/{number}.txt"
        main.tool(f"a{number}", "Read", numbered(1, 9), file_path=path)
        main.tool(f"b{number}", "Read", numbered(1, 9), file_path="/p/other.txt")
        main.tool(f"c{number}", tool, "ok", **{key: path})
        main.tool(f"d{number}", "Read", numbered(1, 9), file_path=path)
    frames = tree.frames()
    assert frames.reads.filter(pl.col("path") != "/p/other.txt")["repeat"].to_list() == ["none"] * 8
    assert frames.reads.filter(pl.col("path") == "/p/other.txt")["repeat"].to_list() == ["none", "same", "same", "same"]


def test_an_edit_that_failed_clears_nothing(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt")
    main.tool("t2", "Edit", "String not found", is_error=True, file_path="/p/a.txt")
    main.tool("t3", "Read", numbered(1, 9), file_path="/p/a.txt")
    assert rows(tree.frames(), "repeat") == [("none",), ("same",)]


def test_a_file_that_another_hand_changed_is_no_repeat(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt")
    main.tool("t2", "Bash", "", command="sed -i s/line/LINE/ a.txt")
    main.tool("t3", "Read", numbered(1, 9, "LINE"), file_path="/p/a.txt")
    assert rows(tree.frames(), "repeat", "avoidable_chars") == [("none", 0), ("none", 0)]


def test_a_bash_command_that_left_the_file_alone_clears_nothing(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt")
    main.tool("t2", "Bash", "ok", command="make a.txt")
    main.tool("t3", "Read", numbered(1, 9), file_path="/p/a.txt")
    assert rows(tree.frames(), "repeat") == [("none",), ("same",)]


def test_each_thread_and_each_segment_holds_its_own(tree: Any) -> None:
    main, agent = tree.main(), tree.agent("a1")
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt")
    agent.tool("t2", "Read", numbered(1, 9), file_path="/p/a.txt")
    main.add("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    main.tool("t3", "Read", numbered(1, 9), file_path="/p/a.txt")
    main.tool("t4", "Read", numbered(1, 9), file_path="/p/a.txt")
    assert rows(tree.frames(), "agent_id", "segment", "repeat") == [
        (None, 0, "none"),
        (None, 1, "none"),
        (None, 1, "same"),
        ("a1", 0, "none"),
    ]


def test_errors_warnings_previews_and_unanswered_calls_are_no_reads(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", "File does not exist.", is_error=True, file_path="/p/a.txt")
    main.tool("t2", "Read", "<system-reminder>Warning: the file is empty</system-reminder>", file_path="/p/a.txt")
    main.tool("t3", "Bash", "<persisted-output>\nOutput too large", command="cat a.txt")
    main.tool("t4", "Bash", "cat: a.txt: No such file", is_error=True, command="cat a.txt")
    main.call("t5", "Read", file_path="/p/a.txt")
    assert tree.frames().reads.height == 0


def test_the_clients_stub_is_a_repeat_that_cost_nothing(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="/p/a.txt")
    stub = "File unchanged since last read. The content from the earlier Read is still current."
    main.tool("t2", "Read", stub, file_path="/p/a.txt")
    assert rows(tree.frames(), "repeat", "chars", "avoidable_chars") == [("none", 80, 0), ("same", len(stub), 0)]


def test_two_files_of_one_command_share_its_result_where_the_counts_tell_the_border(tree: Any) -> None:
    main = tree.main()
    both = plain(1, 2) + "\n" + plain(5, 9)
    main.tool("t1", "Bash", both, command="head -2 a.txt && sed -n '5,9p' b.txt")
    main.tool("t2", "Bash", both, command="cat a.txt; cat b.txt")
    # two lines with their line feeds: 14; five lines with four: 34; of two whole files the border is not known
    assert rows(tree.frames(), "path", "chars", "repeat", "avoidable_chars") == [
        ("/p/a.txt", 14, "none", 0),
        ("/p/b.txt", 34, "none", 0),
        ("/p/a.txt", None, "none", None),
        ("/p/b.txt", None, "none", None),
    ]


def test_windows_paths_are_one_file_in_each_spelling(tree: Any) -> None:
    main = tree.main()
    main.tool("t1", "Read", numbered(1, 9), file_path="C:\\w\\a.txt")
    main.tool("t2", "Bash", plain(1, 9), command='cat "C:/w/a.txt"')
    assert rows(tree.frames(), "path", "repeat") == [("C:/w/a.txt", "none"), ("C:/w/a.txt", "same")]
