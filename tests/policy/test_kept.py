"""What was measured on stored frames is read, not measured again; whatever is wrong with the file, the factors hold."""

from pathlib import Path

import pytest

from measure.frames import Frames, load
from measure.sample import transcripts
from policy import kept
from policy.calibrate import calibrate


@pytest.fixture(scope="module")
def frames() -> Frames:
    return load([transcripts()], store=False)


@pytest.fixture
def stored(frames: Frames, tmp_path: Path) -> Frames:
    return Frames(frames.requests, returns=frames.returns, tool_calls=frames.tool_calls, stored=tmp_path)


def models(frames: Frames) -> list[str]:
    found: list[str] = frames.requests["model"].drop_nulls().unique().sort().to_list()
    return found


def test_factors_are_measured_once(stored: Frames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = models(stored)
    first = kept.calibration(stored, names[:1])
    both = kept.calibration(stored, names)
    assert both.of(names[0]) == first.of(names[0])
    assert both == calibrate(stored.requests, stored.tool_calls, stored.returns)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(kept, "calibrate", None)
    assert kept.calibration(stored, names) == both


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'[{"model": "m"}]', b"\xff"])
def test_a_damaged_file_is_measured_anew(stored: Frames, tmp_path: Path, content: bytes) -> None:
    names = models(stored)
    right = kept.calibration(stored, names)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert kept.calibration(stored, names) == right


def test_frames_of_no_store_and_a_folder_that_is_gone_keep_nothing(frames: Frames, stored: Frames) -> None:
    names = models(frames)
    assert stored.stored is not None
    stored.stored = stored.stored / "gone"
    assert kept.calibration(stored, names) == kept.calibration(frames, names)
