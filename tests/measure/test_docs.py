"""The page of frames says what the declarations say."""

from __future__ import annotations

from measure.columns import FRAMES
from measure.docs import PAGE, ROWS, frames_page


def test_the_page_of_frames_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == frames_page(), "run: python -m measure.docs"


def test_every_frame_and_column_is_on_the_page() -> None:
    page = frames_page()
    assert list(ROWS) == list(FRAMES)
    for frame, columns in FRAMES.items():
        assert f"\n## {frame}\n" in page
        for column in columns:
            assert f"| `{column.name}` | {column.dtype} |" in page


def test_every_column_is_declared_well() -> None:
    for frame, columns in FRAMES.items():
        names = [column.name for column in columns]
        assert len(set(names)) == len(names), frame
        for column in columns:
            assert column.doc.endswith("."), (frame, column.name)
            assert column.source, (frame, column.name)
