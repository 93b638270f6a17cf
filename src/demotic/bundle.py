"""A model on disk: a folder of parts, or the same folder in one ``.demotic`` file.

    with Bundle.create("de-en.demotic", about) as folder:       # all of it, or nothing
        (folder / "weights.json").write_text(...)
    bundle = Bundle.open("de-en.demotic")
    bundle.about.system, bundle.path("rules.bin")

``model.json`` says what the model is and lists every part with its size, its sha256 and a checksum
that is as fast as memory.  Opening compares the checksums; a part that was compared before and has
not been touched since (size, times and file number are remembered in the user's cache) is not read
again, so that opening takes milliseconds for a model of any size.

A ``.demotic`` file is a zip archive whose members are stored, not compressed.  Parts are mapped
into memory, so it is unpacked into the cache when it is opened for the first time (``shelf.py``).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from demotic import files, shelf
from demotic.cache import Remembered
from demotic.errors import ArgumentError, CorruptFileError, DemoticError, FileAccessError
from demotic.schema import SCHEMA, upgraded

SUFFIX = ".demotic"
ABOUT = "model.json"
_FORMAT = "demotic model"
_DIGEST = "sha256"
MOST_ABOUT = 4 << 20
"""Bytes of ``model.json``; configuration and provenance take some thousand."""
_DEEPEST = 50  # sections of the description within sections


@dataclass(frozen=True, kw_only=True)
class About:
    """What a model is, without its parts."""

    system: str
    source_language: str
    target_language: str
    config: Mapping[str, Any]
    """Everything that was chosen, defaults included."""
    dev: Mapping[str, Any] = field(default_factory=dict)
    """The score on the development set: ``metric``, ``value``, ``signature``, ``sentences``."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Where the text came from, how much of it was used, what training took."""


@dataclass(frozen=True)
class Part:
    """One file of a bundle."""

    bytes: int
    sha256: str
    checksum: str | None = None
    """Finds damage several times as fast; bundles of earlier versions have none."""

    @classmethod
    def of(cls, path: Path) -> Part:
        """A file as it is."""
        return cls(path.stat().st_size, _sha256(path), _checksum(path))

    def is_content_of(self, path: Path, *, thorough: bool) -> bool:
        """Is the file what was written?  ``thorough`` looks at the sha256 as well."""
        if self.checksum is not None and self.checksum != _checksum(path):
            return False
        return (self.checksum is not None and not thorough) or self.sha256 == _sha256(path)


class Bundle:
    """A model's parts, each of them present and as it was written."""

    def __init__(self, folder: Path, about: About, parts: Mapping[str, Part]) -> None:
        """Use ``Bundle.open``."""
        self.folder = folder
        self.about = about
        self.parts = dict(parts)
        self.thorough = False
        """Was it opened to be verified?  Then whoever opens a part looks at all that is in it."""
        self.compared = False
        """Was every part compared when it was opened, or were some only remembered?"""
        self._held: shelf.Held | None = None  # as long as the bundle lives

    @classmethod
    @contextmanager
    def create(cls, path: str | Path, about: About) -> Iterator[Path]:
        """An empty folder for the parts; it becomes the bundle at ``path`` when the block ends.

        A ``path`` that ends in ``.demotic`` becomes one file, any other a folder.
        """
        with _made(Path(path)) as folder:
            yield folder
            _write_about(folder, about)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool | None = None) -> Bundle:
        """A bundle, after a look at its parts.

        ``verify`` reads and compares every part, True always and by its sha256, False never;
        without it, those that were not compared before.
        """
        bundle = cls._open(Path(path), verify)
        bundle.thorough = bool(verify)
        return bundle

    @classmethod
    def _open(cls, path: Path, verify: bool | None) -> Bundle:
        with files.naming(path):
            if path.is_dir():
                bundle = cls._read(path, verify)
                bundle._check(verify)
                return bundle
            if not path.exists():
                raise FileAccessError("no such model", path=path)
            return cls._unpacked(path, verify)

    def path(self, part: str) -> Path:
        """Where a part is."""
        if part not in self.parts:
            raise CorruptFileError(
                f"the model has no part {part}", path=self.folder, remedy="train it again"
            )
        return self.folder / part

    def copy(self, path: str | Path) -> None:
        """The same bundle in another place, as a folder or as a ``.demotic`` file."""
        import shutil

        with _made(Path(path)) as folder:
            for name in [ABOUT, *self.parts]:
                shutil.copyfile(self.folder / name, folder / name)

    # -- reading --------------------------------------------------------------------------------

    @classmethod
    def _read(cls, folder: Path, verify: bool | None = None) -> Bundle:
        path = folder / ABOUT
        if not path.is_file():
            raise CorruptFileError(
                f"not a model: it has no {ABOUT}", path=folder, remedy="give a trained model"
            )
        with files.naming(path):
            with path.open("rb") as file:
                content = file.read(MOST_ABOUT + 1)
            known, mark = Remembered(path), f"{zlib.crc32(content):08x}"
            seen = not verify and known.value == mark
            bundle = cls(folder, *parse_about(content, compare=not seen))
        if not seen:
            known.remember(mark)
        return bundle

    def _check(self, verify: bool | None) -> None:
        read = 0
        for name, part in self.parts.items():
            path = self.folder / name
            if not path.is_file():
                raise CorruptFileError(
                    f"the model's part {name} is missing", path=path, remedy="copy the model again"
                )
            size = path.stat().st_size
            if size != part.bytes:
                raise CorruptFileError(
                    f"the model's part {name} has {size:,} bytes and should have {part.bytes:,}",
                    path=path,
                    remedy="copy the model again",
                )
            if verify is False:
                continue
            known = Remembered(path)
            if verify or known.value != part.sha256:
                if not part.is_content_of(path, thorough=bool(verify)):
                    known.forget()
                    raise changed(name).at(path)
                known.remember(part.sha256)
                read += 1
        self.compared = read == len(self.parts)

    @classmethod
    def _unpacked(cls, path: Path, verify: bool | None) -> Bundle:
        known = Remembered(path)
        if known.value and not verify and (bundle := cls._cached(known.value, verify)):
            return bundle
        from demotic.archive import Archive

        try:
            with Archive(path) as archive:
                # Another process, or another copy of the file, may have put it there.
                bundle = None if verify else cls._cached(archive.digest, verify)
                bundle = bundle or cls._of(archive.unpack(), None)
        except CorruptFileError:
            known.forget()
            raise
        known.remember(archive.digest)
        return bundle

    @classmethod
    def _cached(cls, digest: str, verify: bool | None) -> Bundle | None:
        """The copy in the cache; None if there is none, or if it was damaged."""
        held = shelf.take(digest)
        try:
            return cls._of(held, verify) if held else None
        except (DemoticError, OSError):
            return None  # the archive has the original

    @classmethod
    def _of(cls, held: shelf.Held, verify: bool | None) -> Bundle:
        bundle = cls._read(held.folder)
        bundle._check(verify)
        bundle._held = held
        return bundle


def parse_about(content: bytes, *, compare: bool = True) -> tuple[About, dict[str, Part]]:
    """What ``model.json`` says, every field of it checked; ``compare`` it with its digest."""
    try:
        if len(content) > MOST_ABOUT:
            raise ValueError(f"it has more than {MOST_ABOUT:,} bytes")
        record = json.loads(content)
        if record["format"] != _FORMAT:
            raise ValueError("it describes something else")
        _check_depth(record)
        schema = _count(record["schema"])
        if schema > SCHEMA:
            raise CorruptFileError(
                f"a model of version {schema}, and this Demotic reads up to version {SCHEMA}",
                remedy="upgrade Demotic",
            )
        digest = record.pop(_DIGEST, None)
        if compare and digest is not None and digest != _digest(record):
            raise changed(ABOUT)
        parts = {
            str(name): Part(
                _count(part["bytes"]),
                str(part["sha256"]),
                str(part["checksum"]) if "checksum" in part else None,
            )
            for name, part in record["parts"].items()
        }
        about = About(
            system=str(record["system"]),
            source_language=str(record["source_language"]),
            target_language=str(record["target_language"]),
            config=upgraded(record["config"], schema, str(record["system"])),
            dev=dict(record["dev"]),
            provenance=dict(record["provenance"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CorruptFileError(
            f"the description of the model cannot be read: {error}", remedy="copy the model again"
        ) from error
    for name in parts:
        if Path(name).name != name or name in ("", ".", "..", ABOUT):
            raise CorruptFileError(f"a part of the model is called '{name}'")
    return about, parts


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{str(value)[:20]!r} stands where a number should")
    return value


def _check_depth(value: object, room: int = _DEEPEST) -> None:
    """Whoever walks through a description may do so by recursion."""
    if not room:
        raise ValueError(f"more than {_DEEPEST} sections in one another")
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _check_depth(each, room - 1)


def _digest(record: Mapping[str, Any]) -> str:
    """Of the description itself, however it is spaced."""
    import hashlib

    text = json.dumps(record, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _sha256(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum(path: Path) -> str:
    from demotic import _core

    return f"{_core.file_checksum(str(path)):016x}"


def changed(part: str) -> CorruptFileError:
    """The error of a part that is not what was written."""
    return CorruptFileError(
        f"the model's part {part} has changed since it was written", remedy="copy the model again"
    )


# -- writing ------------------------------------------------------------------------------------


def check_place(path: str | Path) -> None:
    """Raise if no model can be written to ``path``: better before training than after it."""
    import tempfile

    path = Path(path)
    if path.is_dir() and path.suffix == SUFFIX:
        raise ArgumentError(f"{path} is a folder", remedy="choose another name for the model")
    if path.is_dir() and any(path.iterdir()) and not (path / ABOUT).is_file():
        raise ArgumentError(
            f"{path} is a folder with other files in it", remedy="name a new folder"
        )
    if path.exists() and not path.is_dir() and path.suffix != SUFFIX:
        raise ArgumentError(
            f"{path} is a file", remedy=f"name a folder, or a file that ends in {SUFFIX}"
        )
    if not path.parent.is_dir():
        raise FileAccessError(
            f"no such folder: {path.parent}", path=path, remedy="create the folder first"
        )
    prefix = files.temporary_prefix(path)
    with files.naming(path), files.speaking_of(path, path):
        tempfile.TemporaryFile(prefix=prefix, dir=path.parent).close()


def check_vacant(path: Path) -> None:
    """Raise if there is something at a place: a model that took hours should not go by mistake."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise ArgumentError(
            f"{path} is there already", remedy="say --force to replace it, or choose another name"
        )


@contextmanager
def _made(path: Path) -> Iterator[Path]:
    """An empty folder whose content takes the place of ``path`` when the block ends well."""
    check_place(path)
    if path.suffix != SUFFIX:
        with files.atomic_folder(path) as folder:
            yield folder
        _remember_parts(path)
        return
    import tempfile

    from demotic.archive import pack

    with (
        files.naming(path),
        files.speaking_of(path, path),
        tempfile.TemporaryDirectory(prefix=files.temporary_prefix(path), dir=path.parent) as name,
    ):
        yield Path(name)
        pack(Path(name), path)


def _write_about(folder: Path, about: About) -> None:
    from demotic import __version__

    parts = {
        path.name: asdict(Part.of(path)) for path in sorted(folder.iterdir()) if path.name != ABOUT
    }
    record = {
        "format": _FORMAT,
        "schema": SCHEMA,
        "demotic": __version__,
        **asdict(about),
        "parts": parts,
    }
    record = json.loads(json.dumps(record))  # as it will be read
    record[_DIGEST] = _digest(record)
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    (folder / ABOUT).write_text(text, encoding="utf-8")


def _remember_parts(folder: Path) -> None:
    """What was just written needs no comparison when it is opened for the first time."""
    _, parts = parse_about((folder / ABOUT).read_bytes())
    for name, part in parts.items():
        Remembered(folder / name).remember(part.sha256)
