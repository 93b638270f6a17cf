"""Files to fill in: taken, filled in by a process of their own, and kept for a while.

    uploads = Uploads(options)
    made = await uploads.filled(Upload("app.po", data), served)
    kept = uploads.kept(made.name)                                  # to download
    uploads.close()

A hostile file can hold a reader up, or make it use a lot of memory; in a process with limits of
its own (``filling.py``) it takes nobody with it.  Names that clients give never name files here.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import secrets
import shutil
import sys
import tempfile
import time
import zipfile
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from demotic.documents.formats import SUFFIXES
from demotic.serve.bodies import Upload
from demotic.serve.filling import REFUSED
from demotic.serve.refusal import Refusal, busy

if TYPE_CHECKING:
    from demotic.serve.loaded import Served
    from demotic.serve.options import ServeOptions

PLAIN = ".txt"
FORMATS = tuple(sorted({*SUFFIXES, PLAIN, ".xml"}))
"""Suffixes of files that are taken; .xml is that of Android's."""
_KEPT = 100
"""Files; then the oldest goes."""
_KEPT_BYTES = 2 << 30
"""Of all of them together."""
_SECONDS = 3600.0
"""How long a file is kept."""
_AT_ONCE = 2
_WAITING = 8
_GROWTH = 100
"""An archive may unpack to so many times its size, or to a few megabytes."""
_SMALL = 4 << 20
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Kept:
    """A filled-in file, to be downloaded by its secret name."""

    path: Path
    download: str
    """What the client called it."""
    since: float
    size: int


@dataclass(frozen=True)
class Made:
    """What came of a file."""

    name: str
    """To download it by."""
    page: str | None
    """The same of its report as a page."""
    report: bytes
    """JSON as it was written: to read and write a long one again would hold all others up."""


class Uploads:
    """Files of clients, until they are old or the server stops."""

    def __init__(self, options: ServeOptions) -> None:
        self._options = options
        self._folder: Path | None = None
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._waiting = 0

    def close(self) -> None:
        """Remove all files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def filled(self, upload: Upload, served: Served) -> Made:
        """Fill a file in."""
        name = safe_name(upload.name)
        if not upload.data:
            raise Refusal(400, "Invalid request: empty file")
        suffix = PurePosixPath(name).suffix.lower()
        if suffix not in FORMATS:
            raise Refusal(400, "Invalid request: file format not supported")
        if upload.data[:2] == b"PK":
            await asyncio.to_thread(check_archive, upload.data)
        if self._waiting >= _WAITING:
            raise busy("too many files are being translated")
        self._waiting += 1
        try:
            async with self._places:
                return await self._made(upload.data, name, suffix, served)
        finally:
            self._waiting -= 1

    async def _made(self, data: bytes, name: str, suffix: str, served: Served) -> Made:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="demotic-serve-"))
        secret = secrets.token_hex(16)
        given, made = self._folder / f"{secret}.in", self._folder / f"{secret}.out"
        page = self._folder / f"{secret}.html"
        given.write_bytes(data)
        suggestions = served.suggestion_files
        order = {
            "model": str(served.path), "input": str(given), "name": name, "output": str(made),
            "page": str(page), "suggestions": [str(each) for each in suggestions],
            "threads": self._options.threads, "seconds": self._options.file_timeout,
        }  # fmt: skip
        try:
            report = await self._run(order)
        except BaseException:
            for each in (made, page):
                each.unlink(missing_ok=True)
            raise
        finally:
            given.unlink(missing_ok=True)
        stem = PurePosixPath(name).stem
        filled = self._keep(secret + suffix, made, f"{stem}_{served.target}{suffix}")
        told = page.exists()
        shown = self._keep(f"{secret}.html-report", page, f"{stem}.html") if told else None
        return Made(filled, shown, report)

    async def _run(self, order: dict[str, Any]) -> bytes:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "demotic.serve.filling",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        try:
            out, _ = await asyncio.wait_for(
                child.communicate(json.dumps(order).encode()), self._options.file_timeout
            )
        except TimeoutError:
            raise Refusal(
                503, "Slowdown: the file takes too long to translate", retry_after=60
            ) from None
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        if child.returncode == REFUSED:
            raise Refusal(400, f"Cannot translate file: {out.decode()}")
        if child.returncode:
            raise Refusal(400, "Cannot translate file: it needs more time or memory than it may")
        return out

    # -- downloads ----------------------------------------------------------------------------

    def _keep(self, name: str, path: Path, download: str) -> str:
        self._kept[name] = Kept(path, download, time.monotonic(), path.stat().st_size)
        self._forget()
        asyncio.get_running_loop().call_later(_SECONDS, self._forget)
        return name

    def _forget(self) -> None:
        """Remove what is old, and the oldest of what is too many."""
        now = time.monotonic()
        size = sum(each.size for each in self._kept.values())
        while self._kept and (
            len(self._kept) > _KEPT
            or size > _KEPT_BYTES
            or now - next(iter(self._kept.values())).since >= _SECONDS
        ):
            _, old = self._kept.popitem(last=False)
            size -= old.size
            old.path.unlink(missing_ok=True)

    def kept(self, name: str) -> Kept:
        """The file that was given this name, while it is there."""
        found = self._kept.get(name)
        if found is None or time.monotonic() - found.since >= _SECONDS:
            raise Refusal(404, "Invalid filename")
        return found


def safe_name(given: str) -> str:
    """The last part of a client's path, of harmless characters."""
    last = PureWindowsPath(PurePosixPath(given).name).name
    name = "".join(each if each.isalnum() or each in "._- " else "_" for each in last).strip(". ")
    if not name:
        raise Refusal(400, "Invalid request: empty file name")
    stem, dot, suffix = name.rpartition(".")
    return f"{stem[:_LONGEST_NAME]}{dot}{suffix[:10]}" if dot else name[:_LONGEST_NAME]


def check_archive(data: bytes) -> None:
    """Refuse an archive that is made to grow."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(each.file_size for each in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError) as error:
        raise Refusal(400, f"Cannot translate file: a damaged archive: {error}") from None
    if size > max(_SMALL, _GROWTH * len(data)):
        raise Refusal(
            400, f"Cannot translate file: an archive that grows from {len(data)} to {size} bytes"
        )
