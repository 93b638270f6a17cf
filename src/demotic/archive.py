"""A model in one file: a zip archive whose members are stored, not compressed.

pack(folder, Path("de-en.demotic"))            # all of the folder's files
with Archive(Path("de-en.demotic")) as archive:
    archive.digest                             # which model it is
    held = archive.unpack()                    # into the cache, every byte compared
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

from demotic import files, shelf
from demotic.bundle import ABOUT, MOST_ABOUT, Part, changed, parse_about
from demotic.errors import CorruptFileError

_CHUNK = 1 << 20
_UNZIP = "unpack it (unzip -d FOLDER), and give the folder"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same parts give the same archive


def pack(folder: Path, path: Path) -> None:
    """Write a folder's files into an archive, complete or not at all."""
    with files.atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for part in sorted(folder.iterdir()):
            member = zipfile.ZipInfo(part.name, _EPOCH)
            with part.open("rb") as content, archive.open(member, "w", force_zip64=True) as out:
                shutil.copyfileobj(content, out, _CHUNK)


class Archive:
    """A model in one file, open for reading."""

    def __init__(self, path: Path) -> None:
        """Raise CorruptFileError if it is no model."""
        with _speaking_of(path):
            self._zip = zipfile.ZipFile(path)
            try:
                self._about = self._read_about()
                _, self._parts = parse_about(self._about)
                self._check_sizes(path.stat().st_size)
            except BaseException:
                self._zip.close()
                raise
        self._path = path
        self.digest = hashlib.sha256(self._about).hexdigest()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def _read_about(self) -> bytes:
        self._check_member(ABOUT, self._zip.getinfo(ABOUT).file_size)
        with self._zip.open(ABOUT) as file:
            return file.read(MOST_ABOUT + 1)  # more is refused

    def _check_sizes(self, archive: int) -> None:
        """Raise unless what is unpacked is as large as the archive at most."""
        for name, part in self._parts.items():
            self._check_member(name, part.bytes)
        if sum(part.bytes for part in self._parts.values()) > archive:
            raise CorruptFileError(
                "an archive whose parts overlap: together they are larger than it is",
                remedy="copy the model again",
            )

    def _check_member(self, name: str, size: int) -> None:
        member = self._zip.getinfo(name)
        if member.compress_type != zipfile.ZIP_STORED:
            raise CorruptFileError(f"{name} is compressed, which models are not", remedy=_UNZIP)
        if not member.file_size == member.compress_size == size:
            raise changed(name)

    def unpack(self) -> shelf.Held:
        """The folder of its files, every byte compared."""
        with _speaking_of(self._path):
            return shelf.put(self.digest, self._fill)

    def _fill(self, folder: Path) -> None:
        for name, part in self._parts.items():
            self._extract(name, part, folder / name)
        (folder / ABOUT).write_bytes(self._about)

    def _extract(self, name: str, part: Part, to: Path) -> None:
        found = hashlib.sha256()
        with self._zip.open(name) as packed, to.open("wb") as out:
            while chunk := packed.read(_CHUNK):
                found.update(chunk)
                out.write(chunk)
        if found.hexdigest() != part.sha256:
            raise changed(name)


@contextlib.contextmanager
def _speaking_of(path: Path) -> Iterator[None]:
    try:
        with files.naming(path):
            yield
    except (
        zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, ValueError,
        struct.error,
    ) as error:  # fmt: skip
        message = f"{error.args[0] if error.args else error}"
        raise CorruptFileError(
            f"not a model, or a damaged one: {message}",
            path=path,
            remedy="copy the model again",
        ) from error
