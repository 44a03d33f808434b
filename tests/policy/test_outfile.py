"""Files the user names are written whole, keep their mode, and fail with one sentence."""

import os
from pathlib import Path

import pytest

from measure.errors import SetpointError
from policy.outfile import write


def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new.svg", tmp_path / "old.svg"
    old.write_text("before")
    old.chmod(0o600)
    before = os.umask(0o027)
    try:
        write(new, b"x")
        write(old, b"y")
    finally:
        os.umask(before)
    assert (new.read_bytes(), new.stat().st_mode & 0o777) == (b"x", 0o640)
    assert (old.read_bytes(), old.stat().st_mode & 0o777) == (b"y", 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.svg", "old.svg"]


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.png"
    link.symlink_to(tmp_path / "real" / "target.png")
    write(link, b"x")
    assert link.is_symlink()
    assert (tmp_path / "real" / "target.png").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("name", "why"), [("missing/a.svg", "no folder"), (".", "it is a folder"), ("file/a.svg", "no folder")]
)
def test_a_place_that_cannot_be_written_is_told_in_one_sentence(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetpointError, match=why):
        write(tmp_path / name, b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
