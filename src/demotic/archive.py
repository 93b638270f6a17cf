"""A model in one file: a zip archive whose members are stored, not compressed.

pack(folder, Path("de-en.demotic"))       all of the folder's files
digest = unpack(Path("de-en.demotic"))    into the cache, every byte compared
"""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

from demotic import files
from demotic.bundle import ABOUT, Part, changed, parse_about
from demotic.cache import cache_folder
from demotic.errors import CorruptFileError

_CHUNK = 1 << 20
_UNPACKED = 8  # models kept in the cache
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same parts give the same archive


def pack(folder: Path, path: Path) -> None:
    """Write a folder's files into an archive, complete or not at all."""
    with files.atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for part in sorted(folder.iterdir()):
            member = zipfile.ZipInfo(part.name, _EPOCH)
            with part.open("rb") as content, archive.open(member, "w", force_zip64=True) as out:
                shutil.copyfileobj(content, out, _CHUNK)


def unpack(path: Path) -> str:
    """Unpack an archive into the cache, every byte compared; the name of its folder there."""
    try:
        with zipfile.ZipFile(path) as archive:
            content = archive.read(ABOUT)
            _, parts = parse_about(content)
            digest = hashlib.sha256(content).hexdigest()
            with files.atomic_folder(cache_folder("models") / digest) as folder:
                (folder / ABOUT).write_bytes(content)
                for name, part in parts.items():
                    _extract(archive, name, part, folder / name)
            _forget_old(cache_folder("models"))
            return digest
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        message = f"{error.args[0] if error.args else error}"
        raise CorruptFileError(
            f"not a model, or a damaged one: {message}",
            path=path,
            remedy="copy the model again",
        ) from error


def _forget_old(folder: Path) -> None:
    """Unpacked models that were not opened for longest go; their archives unpack again."""
    unpacked = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in unpacked[:-_UNPACKED]:
        shutil.rmtree(path, ignore_errors=True)


def _extract(archive: zipfile.ZipFile, name: str, part: Part, to: Path) -> None:
    if archive.getinfo(name).file_size != part.bytes:
        raise changed(name)
    found = hashlib.sha256()
    with archive.open(name) as packed, to.open("wb") as out:
        while chunk := packed.read(_CHUNK):
            found.update(chunk)
            out.write(chunk)
    if found.hexdigest() != part.sha256:
        raise changed(name)
