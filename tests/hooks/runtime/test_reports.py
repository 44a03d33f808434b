"""Report files: the whole or nothing."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from hooks.runtime import reports


def test_a_full_disk_leaves_no_half_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = reports.system.write
    sizes = iter([10])

    def full(handle: int, data: bytes) -> int:
        room = next(sizes, None)
        if room is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data[:room])

    with monkeypatch.context() as patch:
        patch.setattr(reports.system, "write", full)
        with pytest.raises(OSError, match="No space"):
            reports.save(f"{tmp_path}/reports/one", "x" * 100)
    assert list((tmp_path / "reports" / "one").iterdir()) == []


def test_a_report_is_saved_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = Path(reports.save(f"{tmp_path}/reports/one", "Verdict: é 😀\r\n"))
    assert path.read_bytes() == "Verdict: é 😀\r\n".encode()
    assert path.stat().st_mode & 0o777 == 0o600
