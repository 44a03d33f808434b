"""Project identity is the repository of the working folder."""

from __future__ import annotations

from pathlib import Path

from made_transcripts import assistant, read

from measure.frames.projects import project


def test_client_worktrees_fold_into_their_repository() -> None:
    assert project("/work/repo/.claude/worktrees/fix-1/src") == "/work/repo"
    assert project(r"C:\repo\.claude\worktrees\x") == r"C:\repo"


def test_git_worktree_folds_into_its_repository(tmp_path: Path) -> None:
    repo, tree = tmp_path / "repo", tmp_path / "tree"
    (repo / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (tree / "src").mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {repo}/.git/worktrees/tree\n")
    assert project(str(tree / "src")) == str(repo)
    assert project(str(repo)) == str(repo)


def test_folder_below_the_start_belongs_to_it_unless_it_is_a_repository(tmp_path: Path) -> None:
    assert project("/gone/repo/src", "/gone/repo") == "/gone/repo"
    assert project("/gone/repo2", "/gone/repo") == "/gone/repo2"
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    assert project(str(tmp_path / "inner"), str(tmp_path)) == str(tmp_path / "inner")


def test_one_slug_with_two_folders_is_two_projects(tmp_path: Path) -> None:
    frames = read(tmp_path, [assistant(1, cwd="/w/my_app"), assistant(2, "m2", request="r2", cwd="/w/my.app")])
    assert sorted(frames.requests["project"]) == ["/w/my.app", "/w/my_app"]


def test_unknown_folder_is_null(tmp_path: Path) -> None:
    assert read(tmp_path, [assistant(1, cwd=None)]).requests["project"].to_list() == [None]
