"""Folders of corpora: ``train.de.gz``, ``train.en.gz``, ``val.de.gz``, ..., ``test2016.en.gz``.

    data = read_folder(Path("multi30k/tok"), "de", "en")
    data.train, data.dev, data.test                     # Bitexts

The training part's name begins with ``train``; the development part is ``dev``, ``val``, ``valid``
or ``tune``; the test part's name begins with ``test``, or is ``devtest``.  Files end in the
language, with ``.gz`` after it if they are compressed; where there are several references, with the
number of each before that: ``dev.en.0.gz``, ``dev.en.1.gz``.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from demotic import files
from demotic.corpus import Bitext
from demotic.errors import ArgumentError, FileAccessError, FormatError
from demotic.experiments.setup import Setup

DEV = ("dev", "val", "valid", "tune")
QUICK_LINES = {"train_lines": 1500, "dev_lines": 40, "test_lines": 40}
"""Of a quick run."""


@dataclass(frozen=True)
class DataFolder:
    """The three parts of a corpus."""

    train: Bitext
    dev: Bitext
    test: Bitext
    names: tuple[str, str, str]
    """What the parts are called."""


def read_folder(
    folder: Path,
    source: str,
    target: str,
    *,
    train_lines: int | None = None,
    dev_lines: int | None = None,
    test_lines: int | None = None,
) -> DataFolder:
    """The parts of a corpus, each whole or its first lines."""
    train, dev, test = part_names(folder, source)

    def read(name: str, lines: int | None) -> Bitext:
        return _bitext(folder, name, source, target, lines)

    return DataFolder(
        read(train, train_lines), read(dev, dev_lines), read(test, test_lines), (train, dev, test)
    )


def part_names(folder: Path, language: str) -> tuple[str, str, str]:
    """What the parts for training, development and test are called."""
    if not folder.is_dir():
        raise FileAccessError("no such folder", path=folder)
    file = re.compile(rf"(.+)\.{re.escape(language)}(\.0)?(\.gz)?")
    names = sorted(found[1] for path in folder.iterdir() if (found := file.fullmatch(path.name)))
    train = _one(folder, [name for name in names if name.startswith("train")], "train", language)
    dev = _one(folder, [name for name in DEV if name in names], "dev", language)
    tests = [name for name in names if name.startswith("test")] or [
        name for name in names if name == "devtest"
    ]
    return train, dev, _one(folder, tests, "test", language)


def part_files(folder: Path, name: str, language: str) -> list[Path]:
    """The files of a part in one language: one, or one for each reference."""
    for names in ([f"{name}.{language}"], [f"{name}.{language}.{number}" for number in range(10)]):
        paths = (folder / f"{each}{suffix}" for each in names for suffix in ("", ".gz"))
        if found := [path for path in paths if path.is_file()]:
            return found
    raise FileAccessError(f"no file {name}.{language} or {name}.{language}.gz", path=folder)


def data_for(setup: Setup) -> DataFolder:
    """The data of an experiment, which its output folder belongs to from now on."""
    lines = {
        name: getattr(setup, name) or (QUICK_LINES[name] if setup.quick else None)
        for name in QUICK_LINES
    }
    data = read_folder(setup.data, setup.source, setup.target, **lines)
    claim(setup.out, data)
    return data


def digest_of(data: DataFolder) -> str:
    """Of all its sentences."""
    digest = hashlib.sha256()
    for part in (data.train, data.dev, data.test):
        digest.update(f"{len(part)}\n".encode())
        for pair in part:
            digest.update(f"{pair.source}\n{pair.target}\n".encode())
    return digest.hexdigest()


def claim(folder: Path, data: DataFolder) -> None:
    """Make a folder the place of results on this data; raise if it holds those of other data."""
    digest = digest_of(data)
    mark = folder / "data.sha256"
    with files.naming(mark):
        folder.mkdir(parents=True, exist_ok=True)
        known = mark.read_text(encoding="utf-8").strip() if mark.is_file() else None
    if known is None:
        files.write_lines(mark, [digest])
    elif known != digest:
        raise ArgumentError(
            "a folder with results on other data, or on another part of it",
            path=folder,
            remedy="name another --out",
        )


def _one(folder: Path, found: list[str], part: str, language: str) -> str:
    if not found:
        raise FileAccessError(f"no file {part}.{language} or {part}.{language}.gz", path=folder)
    return found[0]


def _bitext(folder: Path, name: str, source: str, target: str, lines: int | None) -> Bitext:
    paths = [part_files(folder, name, language)[0] for language in (source, target)]
    sides = [list(islice(files.read_lines(path), lines)) for path in paths]
    if len(sides[0]) != len(sides[1]):
        raise FormatError(
            f"{len(sides[0])} lines, and {len(sides[1])} in {paths[1].name}", path=paths[0]
        )
    return Bitext.from_pairs(
        zip(*sides, strict=True),
        source_language=source,
        target_language=target,
        file=paths[0].name,
    )
