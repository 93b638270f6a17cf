"""Unpacked models in the user's cache: any number of processes put them there and take them.

    held = shelf.take(digest)              # None if it is not there
    held = shelf.put(digest, fill)         # fill(folder) writes the files
    held.folder / "rules.bin"              # stays there as long as `held` lives

A folder appears under its name complete or not at all.  Whoever uses one holds a shared lock on it,
and whoever tidies up deletes only what it can lock alone: folders beyond the last few, and what a
killed process left half made.  Where nothing can be written, a temporary folder takes the place of
the cache and lives as long as what holds it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from demotic.cache import cache_folder
from demotic.errors import FileAccessError

_KEPT = 8  # models
_REMEDY = "free some space, or set XDG_CACHE_HOME or TMPDIR to a folder that can be written"


class Held:
    """A folder that stays as long as this object lives."""

    def __init__(self, folder: Path, release: Callable[[], object]) -> None:
        """Use ``take`` or ``put``; ``release`` is called once, at the end of the process latest."""
        self.folder = folder
        weakref.finalize(self, release)


def take(digest: str) -> Held | None:
    """An unpacked model, None if it is not in the cache."""
    try:
        held = _hold(_root() / digest)
    except (OSError, FileAccessError):
        return None
    with contextlib.suppress(OSError):  # of a cache that cannot be written
        os.utime(held.folder)
    return held


def put(digest: str, fill: Callable[[Path], None]) -> Held:
    """The folder of this name, with the files that ``fill`` writes into it."""
    try:
        _put(_root(), digest, fill)
    except (OSError, FileAccessError):
        return _lend(fill)
    return take(digest) or _lend(fill)


def _root() -> Path:
    return cache_folder("models")


def _put(root: Path, digest: str, fill: Callable[[Path], None]) -> None:
    import shutil

    root.mkdir(parents=True, exist_ok=True)
    making = _make(root, digest)
    try:
        fill(making.folder)
        _move(making.folder, root / digest)
    finally:
        shutil.rmtree(making.folder, ignore_errors=True)
    _tidy(root)


def _make(root: Path, digest: str) -> Held:
    """A new folder with a name of its own, held; somebody who tidies up may be faster."""
    while True:
        folder = _hidden(root, digest)
        folder.mkdir()
        with contextlib.suppress(FileNotFoundError):
            return _hold(folder)


def _hidden(root: Path, name: str) -> Path:
    return root / f".{name}.{os.urandom(8).hex()}"


def _move(folder: Path, target: Path) -> None:
    """Files that are there already are replaced one by one: they are the same, or damaged."""
    try:
        folder.rename(target)
    except OSError:
        for file in folder.iterdir():
            file.replace(target / file.name)


def _lend(fill: Callable[[Path], None]) -> Held:
    """A folder that is deleted when nobody holds it any longer."""
    import shutil
    import tempfile

    try:
        folder = Path(tempfile.mkdtemp(prefix="demotic-model-"))
        held = Held(folder, lambda: shutil.rmtree(folder, ignore_errors=True))
        fill(folder)
    except OSError as error:
        raise FileAccessError(
            f"no place to unpack the model: {error.strerror or error}", remedy=_REMEDY
        ) from error
    return held


# -- locks --------------------------------------------------------------------------------------


def _hold(folder: Path) -> Held:
    """Raise FileNotFoundError if the folder is gone, or goes while we wait for the lock."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    held = Held(folder, lambda: os.close(handle))
    with contextlib.suppress(
        OSError
    ):  # file systems without locks: nobody deletes there, see below
        fcntl.flock(handle, fcntl.LOCK_SH)
    if not os.path.samestat(folder.stat(), os.fstat(handle)):
        raise FileNotFoundError(folder)
    return held


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Raise OSError if somebody uses the folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _tidy(root: Path) -> None:
    """Models that were not opened for longest go; their archives unpack again."""
    hidden = [path for path in root.iterdir() if path.name.startswith(".")]
    models = sorted(set(root.iterdir()) - set(hidden), key=_age)
    for folder in hidden + models[:-_KEPT]:
        with contextlib.suppress(OSError), _alone(folder):
            _delete(folder)


def _age(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # somebody else deleted it
        return 0.0


def _delete(folder: Path) -> None:
    """First its name, at once, so that nobody finds half of it."""
    import shutil

    gone = _hidden(folder.parent, folder.name.lstrip("."))
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)
