"""Parts hold whole sessions, everything once, and what begins alike together."""

from __future__ import annotations

from pathlib import Path

from made_transcripts import OTHER, agent, assistant, session, user

from measure.transcripts.cut import parts
from measure.transcripts.find import META_SUFFIX, listing

THIRD = "33333333-3333-4333-8333-333333333333"


def names(root: Path, size: int) -> list[list[str]]:
    found = listing([root])
    cut = parts(found, size)
    assert sorted(one for part in cut for one in part.files) == found.files
    assert sorted(one for part in cut for one in part.metas) == found.metas
    return [
        [Path(path).name.split("-")[0] for path in [*(one.path for one in part.files), *part.metas]] for part in cut
    ]


def test_a_session_and_its_agents_are_one_part(tmp_path: Path) -> None:
    session(tmp_path, [user(1)])
    path = agent(tmp_path, [user(2)])
    path.with_name(path.stem + META_SUFFIX).write_text("{}")
    session(tmp_path, [user(3, sessionId=OTHER)], OTHER)
    assert names(tmp_path, 1) == [["11111111", "agent", "agent"], ["22222222"]]


def test_forks_moved_sessions_and_old_agents_stand_with_their_originals(tmp_path: Path) -> None:
    session(tmp_path, [user(1), assistant(2)])
    session(tmp_path, [user(5, sessionId=OTHER)], OTHER)
    session(tmp_path, [user(1, sessionId=THIRD), assistant(3, "m3")], THIRD)
    session(tmp_path, [user(6, sessionId=OTHER)], OTHER, "q")
    session(tmp_path, [user(7, isSidechain=True, agentId="a7")], "agent-a7")
    assert names(tmp_path, 1) == [["11111111", "33333333", "agent"], ["22222222", "22222222"]]


def test_parts_are_about_as_large_as_asked_for(tmp_path: Path) -> None:
    for at in range(20):
        name = f"{at:08d}"
        session(tmp_path, [user(100 + at, "x" * 1000, sessionId=name)], name)
    size = sum(one.size for one in listing([tmp_path]).files)
    assert [len(part) for part in names(tmp_path, size // 4 + 1)] == [5, 5, 5, 5]
    assert len(parts(listing([tmp_path]), size)) == 1
    assert len(parts(listing([tmp_path]), size, readers=2)) == 2


def test_nothing_is_one_part(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    assert names(tmp_path, 1) == [[]]
