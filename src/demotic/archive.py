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
import zipfile
from collections.abc import Iterator
from pathlib import Path

from demotic import files, shelf
from demotic.bundle import ABOUT, Part, changed, parse_about
from demotic.errors import CorruptFileError

_CHUNK = 1 << 20
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
                self._about = self._zip.read(ABOUT)
                _, self._parts = parse_about(self._about)
            except BaseException:
                self._zip.close()
                raise
        self._path = path
        self.digest = hashlib.sha256(self._about).hexdigest()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def unpack(self) -> shelf.Held:
        """The folder of its files, every byte compared."""
        with _speaking_of(self._path):
            return shelf.put(self.digest, self._fill)

    def _fill(self, folder: Path) -> None:
        for name, part in self._parts.items():
            self._extract(name, part, folder / name)
        (folder / ABOUT).write_bytes(self._about)

    def _extract(self, name: str, part: Part, to: Path) -> None:
        if self._zip.getinfo(name).file_size != part.bytes:
            raise changed(name)
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
        yield
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        message = f"{error.args[0] if error.args else error}"
        raise CorruptFileError(
            f"not a model, or a damaged one: {message}",
            path=path,
            remedy="copy the model again",
        ) from error
