"""Where transcripts are sought, and what is left out with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from made_transcripts import SESSION, agent, assistant, session, user

from measure.frames import load
from measure.horizon import horizon
from measure.transcripts.find import default_roots, listing, place_of


def found(*roots: Path) -> list[str]:
    return [Path(one.path).name for one in listing(roots).files]


def test_every_kind_of_root_leads_to_the_session(tmp_path: Path) -> None:
    main = session(tmp_path, [assistant(1)])
    agent(tmp_path, [assistant(2, "m2")])
    both = ["agent-a1.jsonl", f"{SESSION}.jsonl"]
    config, projects, project = tmp_path, tmp_path / "projects", main.parent
    for root in (config, projects, project, main.with_suffix(""), main):
        assert sorted(found(root)) == sorted(both), root
    assert found(main.with_suffix("") / "subagents" / "agent-a1.jsonl") == ["agent-a1.jsonl"]


def test_config_folder_is_read_below_projects_only(tmp_path: Path) -> None:
    session(tmp_path, [assistant(1)])
    (tmp_path / "history.jsonl").write_text('{"display":"x"}\n')
    assert found(tmp_path) == [f"{SESSION}.jsonl"]


@pytest.mark.parametrize("separator", [",", os.pathsep, " , "])
def test_config_dir_may_name_several_folders(tmp_path: Path, separator: str) -> None:
    roots = default_roots({"CLAUDE_CONFIG_DIR": f"{tmp_path / 'a'}{separator}{tmp_path / 'b'}"})
    assert roots == [tmp_path / "a", tmp_path / "b"]


def test_a_folder_whose_name_holds_the_separator_is_one_folder(tmp_path: Path) -> None:
    odd = tmp_path / f"a{os.pathsep}b"
    odd.mkdir()
    assert default_roots({"CLAUDE_CONFIG_DIR": str(odd)}) == [odd]


def test_default_roots_are_the_two_the_client_uses() -> None:
    assert default_roots({}) == [Path("~/.config/claude").expanduser(), Path("~/.claude").expanduser()]


def test_missing_default_root_is_no_error_and_a_missing_argument_is_one(tmp_path: Path) -> None:
    assert listing(None, {"CLAUDE_CONFIG_DIR": str(tmp_path / "none")}).bad_roots == []
    assert listing([tmp_path / "none"]).bad_roots == [(str(tmp_path / "none"), "no such file or directory")]


def test_all_layouts_are_walked(tmp_path: Path) -> None:
    session(tmp_path, [assistant(1, "m1")])
    agent(tmp_path, [assistant(2, "m2", request="r2")], "a1")
    agent(tmp_path, [assistant(3, "m3", request="r3")], "a2", below="workflows/wf_1")
    flat = tmp_path / "projects" / "p" / "agent-a3.jsonl"
    flat.write_bytes(agent(tmp_path, [assistant(4, "m4", request="r4")], "a3").read_bytes())
    (tmp_path / "projects" / "p" / SESSION / "subagents" / "agent-a3.jsonl").unlink()
    frames = load([tmp_path])
    assert dict(frames.files.select("agent_id", "kind").iter_rows()) == {
        None: "main",
        "a1": "agent",
        "a2": "workflow agent",
        "a3": "old agent",
    }
    assert sorted(frames.requests["agent_id"].drop_nulls()) == ["a1", "a2", "a3"]
    assert frames.requests["session_id"].unique().to_list() == [SESSION]


def test_names_are_hints_only(tmp_path: Path) -> None:
    # a main file named like an agent's, an agent's file named like a main one, a continuation
    folder = tmp_path / "projects" / "p"
    folder.mkdir(parents=True)
    agents = agent(tmp_path, [assistant(2, "m2", request="r2")])
    (folder / "agent-main.jsonl").write_bytes(session(tmp_path, [user(1), assistant(1, "m1")]).read_bytes())
    (folder / "full.jsonl.001").write_bytes(agents.read_bytes())
    kinds = dict(
        load([folder / "agent-main.jsonl", folder / "full.jsonl.001"]).files.select("file", "kind").iter_rows()
    )
    assert {Path(path).name: kind for path, kind in kinds.items()} == {
        "agent-main.jsonl": "main",
        "full.jsonl.001": "old agent",
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b"no json\nat all\n", "no transcript: no JSON object in it"),
        (b'{"timestamp":"t","type":"session_meta","payload":{}}\n', "no transcript: a log of Codex"),
        (b'{"type":"started","agentId":"a"}\n{"type":"result"}\n', "no transcript: a workflow's journal"),
        (b'{"display":"hi","project":"/p","sessionId":"s"}\n', "no transcript: a prompt history"),
        (
            b'{"type":"user","message":{"role":"user"}}\n',
            "no transcript: no record in it is one that Claude Code writes",
        ),
    ],
)
def test_other_files_are_skipped_with_a_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(content)
    assert load([tmp_path]).skipped == [{"path": str(tmp_path / "x.jsonl"), "reason": reason}]


def test_damage_at_the_start_does_not_hide_a_transcript(tmp_path: Path) -> None:
    path = session(tmp_path, [b"\0" * 100, "{torn", assistant(1)])
    assert load([path]).requests.height == 1


def test_links_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    main = session(tmp_path / "real", [assistant(1)])
    (tmp_path / "real" / "projects" / "again").symlink_to(main.parent, target_is_directory=True)
    (tmp_path / "real" / "projects" / "up").symlink_to("..", target_is_directory=True)
    (main.parent / "twin.jsonl").symlink_to(main)
    os.link(main, main.parent / "hard.jsonl")
    (main.parent / "lost.jsonl").symlink_to(tmp_path / "nowhere")
    frames = load([tmp_path / "real"])
    assert frames.files.filter(frames.files["skipped"].is_null()).height == 1
    assert [one["reason"] for one in frames.skipped] == ["the link leads nowhere"]
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "linked").symlink_to(main.parent, target_is_directory=True)
    assert load([outside]).requests.height == 1


def test_unreadable_file_is_named_and_the_rest_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session(tmp_path, [assistant(1)])
    session(tmp_path, [assistant(2, "m2", request="r2")], "other")

    def refuse(name: str, mode: str) -> object:
        # root may read everything: the refusal has to be made
        if name == str(path):
            raise PermissionError(13, "Permission denied", name)
        return open(name, mode)  # noqa: PTH123

    monkeypatch.setattr("measure.transcripts.scan.open", refuse, raising=False)
    frames = load([tmp_path])
    assert frames.requests.height == 1
    assert frames.skipped == [{"path": str(path), "reason": "permission denied"}]


def test_file_that_vanishes_after_the_listing_is_no_error(tmp_path: Path) -> None:
    from measure.frames import resolve
    from measure.transcripts.scan import scan

    path = session(tmp_path, [assistant(1)])
    listed = listing([tmp_path])
    path.unlink()
    assert resolve(scan(listed), listed).files.height == 0


def test_place_of_a_nested_agent() -> None:
    path = "/c/projects/p/S/subagents/workflows/wf_1/agent-x.jsonl"
    assert place_of(path) == ("workflow agent", "S", "x")
    assert place_of("/c/projects/subagents/S.jsonl")[0] == "agent"


def test_folder_that_may_not_be_entered_is_named_and_the_rest_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    main = session(tmp_path, [assistant(1)])
    stat, scandir = os.stat, os.scandir

    def refuse(path: object, *more: object, **options: object) -> os.stat_result:
        # root may look at everything: the refusal has to be made
        if str(path).startswith(f"{closed}{os.sep}"):
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, *more, **options)  # type: ignore[call-overload,no-any-return]

    def locked(path: str) -> object:
        if path == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.stat", refuse)
    monkeypatch.setattr("os.scandir", locked)
    seen = listing([closed, main])
    assert [Path(one.path).name for one in seen.files] == [f"{SESSION}.jsonl"]
    assert seen.skipped == [(str(closed), "permission denied")]
    assert horizon([str(closed)], None).is_default
