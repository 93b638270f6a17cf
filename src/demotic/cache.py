"""The user's cache folder, and what is remembered there about files that have not changed."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path

from demotic import files
from demotic.errors import DemoticError, FileAccessError


def cache_folder(name: str) -> Path:
    """``$XDG_CACHE_HOME/demotic/NAME``; nothing in it is missed when it is deleted."""
    root = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(root) if root else Path.home() / ".cache") / "demotic" / name
    except RuntimeError as error:
        raise FileAccessError(
            "the user has no home folder for a cache", remedy="set XDG_CACHE_HOME"
        ) from error


class Remembered:
    """A short text about a file, valid as long as the file is not touched."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        # Cheaper to import than real digests; of two paths with one name the later is remembered.
        self._name = f"{zlib.crc32(os.fsencode(self._path)):08x}.json"

    @property
    def value(self) -> str | None:
        """What was remembered, None if nothing was or the file has changed since."""
        try:
            path, stamp, value = json.loads(self._note().read_bytes())
            same = path == str(self._path) and stamp == self._stamp()
            return str(value) if same else None
        except (OSError, DemoticError, ValueError, TypeError, RecursionError):
            return None

    def remember(self, value: str) -> None:
        """Where no cache can be written, nothing is remembered."""
        with contextlib.suppress(OSError, DemoticError):
            note = self._note()
            note.parent.mkdir(parents=True, exist_ok=True)
            files.write_lines(note, [json.dumps([str(self._path), self._stamp(), value])])

    def forget(self) -> None:
        """What was remembered is not true any longer."""
        with contextlib.suppress(OSError, DemoticError):
            self._note().unlink()

    def _note(self) -> Path:
        return cache_folder("seen") / self._name

    def _stamp(self) -> list[int]:
        status = self._path.stat()
        # Whoever changes a file may set its time back, but not the time of that.
        times = [status.st_mtime_ns, status.st_ctime_ns]
        return [status.st_size, *times, status.st_ino, status.st_dev]
