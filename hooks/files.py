"""Files that others read and write too: a lock, a dated copy, and a replacement that is whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from hooks.errors import HooksError

LOCK_STALE_SECONDS = 30
LOCK_TRIES, LOCK_WAIT = 150, 0.1
BACKUPS = 5
TEMPORARY = ".setpoint-new"


def target_of(path: Path) -> Path:
    """The file behind a symlink (stow, chezmoi): it is the one to replace, the link stays."""
    return Path(os.path.realpath(path))


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold `<file>.lock`, a folder: the lock other set-up tools take too. A holder that died leaves it stale."""
    folder = Path(f"{target_of(path)}.lock")
    for _ in range(LOCK_TRIES):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
            break
        except FileExistsError:
            _break_stale(folder)
            time.sleep(LOCK_WAIT)
        except OSError as error:
            raise HooksError(f"{folder.parent}: cannot write here ({error.strerror}).") from error
    else:
        raise HooksError(f"{path} is locked by another installer; if none runs, remove {folder}.")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _break_stale(folder: Path) -> None:
    try:
        age = time.time() - folder.stat().st_mtime
    except OSError:
        return
    if age > LOCK_STALE_SECONDS:
        with contextlib.suppress(OSError):
            # renamed first: of two that find it stale only one gets it, and a fresh lock is never removed
            gone = folder.with_name(f"{folder.name}.{os.getpid()}")
            folder.rename(gone)
            gone.rmdir()


def read_text(path: Path) -> tuple[str, bool] | None:
    """(text, whether it began with a byte order mark); None when there is no file."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise HooksError(f"{path}: cannot be read ({error.strerror}).") from error
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HooksError(f"{path} is not UTF-8; nothing was changed.") from error
    return (text[1:], True) if text.startswith("\ufeff") else (text, False)


def replace(path: Path, data: bytes, unchanged: Callable[[], bool] = lambda: True) -> bool:
    """Put `data` in place of the file behind `path`, keeping its mode and owner; False when `unchanged` says no."""
    target = target_of(path)
    spare = target.with_name(target.name + TEMPORARY)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with spare.open("wb") as handle:
            handle.write(data)
            handle.flush()
            _keep_rights(target, handle.fileno())
            os.fsync(handle.fileno())
        if not unchanged():
            spare.unlink()
            return False
        spare.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            spare.unlink()
        raise HooksError(f"{path}: cannot be written ({error.strerror}); it is as it was.") from error
    return True


def _keep_rights(target: Path, handle: int) -> None:
    try:
        was = target.stat()
    except FileNotFoundError:
        return
    with contextlib.suppress(OSError, AttributeError):
        os.fchown(handle, was.st_uid, was.st_gid)
    with contextlib.suppress(OSError, AttributeError):
        os.fchmod(handle, was.st_mode & 0o7777)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_read_only(path: Path) -> bool:
    """Whether the file says by its mode that it is not to be changed."""
    try:
        return target_of(path).stat().st_mode & 0o222 == 0
    except OSError:
        return False


def backup(path: Path, folder: Path) -> Path | None:
    """A dated copy of a file; the oldest beyond five go."""
    target = target_of(path)
    if not target.exists():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S-%f")
    copy = folder / f"{path.name}.{stamp}"
    shutil.copy2(target, copy)
    for old in sorted(folder.glob(f"{path.name}.*"))[:-BACKUPS]:
        old.unlink()
    return copy
