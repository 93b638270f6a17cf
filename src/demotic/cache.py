"""The user's cache folder, and what is remembered there about files that have not changed."""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from pathlib import Path

from demotic import files
from demotic.errors import DemoticError


def cache_folder(name: str) -> Path:
    """``$XDG_CACHE_HOME/demotic/NAME``; nothing in it is missed when it is deleted."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "demotic" / name


class Remembered:
    """A short text about a file, valid as long as the file is not touched."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        # Cheaper to import than real digests; of two paths with one name the later is remembered.
        name = zlib.crc32(os.fsencode(self._path))
        self._note = cache_folder("seen") / f"{name:08x}.json"

    @property
    def value(self) -> str | None:
        """What was remembered, None if nothing was or the file has changed since."""
        try:
            path, stamp, value = json.loads(self._note.read_bytes())
            same = path == str(self._path) and stamp == self._stamp()
            return str(value) if same else None
        except (OSError, ValueError, TypeError, RecursionError):
            return None

    def remember(self, value: str) -> None:
        """Where no cache can be written, nothing is remembered."""
        with contextlib.suppress(OSError, DemoticError):
            self._note.parent.mkdir(parents=True, exist_ok=True)
            note = json.dumps([str(self._path), self._stamp(), value])
            files.write_lines(self._note, [note])

    def _stamp(self) -> list[int]:
        status = self._path.stat()
        return [status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev]
