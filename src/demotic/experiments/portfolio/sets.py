"""Which texts a portfolio has: sets with their languages and sizes, and settings to compare.

    standard, settings = sets_of(setup)

Sets are those of a TOML file, or the standard ones as far as their folders are there, or else every
pair of languages that is found in the folders:

    [[sets]]
    name = "multi30k-de-en"
    folder = "multi30k"          # below the folder of data
    from = "de"
    to = "en"
    train = 20000                # the first pairs; all where it is left out
    dev = 800                    # sentences, half to tune on and half to decide by
    test = 1000
    tune = false                 # training tunes on its own text: "validation"; true by default

    [settings.loose]
    extract.tight = false
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from demotic.errors import ArgumentError, FileAccessError
from demotic.experiments.data import QUICK_LINES, part_files, part_names
from demotic.experiments.setup import Setup
from demotic.systems.records import merged, read_toml

DEFAULT = "default"
"""The setting that all others are compared with."""
_NAME = re.compile(r"[\w][\w.-]*")


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise ArgumentError(
            f"'{name}' is no name for a {what}", remedy="letters, digits, '.', '_' and '-' are"
        )


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A pair of languages in some folder, and how much of its text is taken."""

    name: str
    source: str
    target: str
    folder: str | None = None
    """Below the folder of data; without one, message catalogues of packages are fetched."""
    train: int | None = None
    dev: int = 800
    test: int = 1000
    tune: bool = True
    """Is half of the development set tuned on?  If not, training has to find something in its own
    text."""

    def __post_init__(self) -> None:
        _check_name(self.name, "set")


def _slices(
    folder: str, source: str, target: str, *sizes: int, dev: int = 800, test: int = 1000
) -> list[DataSet]:
    return [
        DataSet(
            name=f"{folder.split('-', maxsplit=1)[0]}-{source}-{target}-{size // 1000}k",
            folder=folder, source=source, target=target, train=size, dev=dev, test=test,
        )
        for size in sizes
    ]  # fmt: skip


def _whole(folder: str, source: str, target: str, train: int | None = None) -> DataSet:
    name = f"{folder.split('-', maxsplit=1)[0]}-{source}-{target}"
    return DataSet(name=name, folder=folder, source=source, target=target, train=train)


# Sentences of Europarl are three times as long as the others: fewer of them take the same time.
_LONG = {"dev": 400, "test": 400}
STANDARD: tuple[DataSet, ...] = (
    _whole("multi30k", "de", "en"),
    _whole("multi30k", "fr", "en"),
    _whole("tatoeba-zh-en", "zh", "en"),
    _whole("tatoeba-zh-en", "en", "zh"),
    _whole("tatoeba-ar-en", "ar", "en"),
    _whole("tatoeba-fr-en", "fr", "en", 60_000),
    _whole("tatoeba-de-en", "de", "en", 60_000),
    _whole("tatoeba-de-en", "en", "de", 60_000),
    *_slices("europarl-fr-en", "fr", "en", 20_000, 50_000, **_LONG),
    *_slices("europarl-de-en", "de", "en", 20_000, 50_000, **_LONG),
    DataSet(name="catalogues-en-fr", source="en", target="fr"),
    *_slices("multi30k", "de", "en", 1_000, 5_000),
    *_slices("tatoeba-ar-en", "ar", "en", 1_000, 5_000),
    *_slices("europarl-fr-en", "fr", "en", 1_000, 5_000, **_LONG),
)


def sets_of(setup: Setup) -> list[DataSet]:
    """The sets that are asked for, as large as they are asked for."""
    known = list(_known(setup))
    names = [each.name for each in known]
    for name in setup.sets:
        if name not in names:
            raise ArgumentError(f"there is no set '{name}'", remedy=f"choose from {names}")
    return [_sized(each, setup) for each in known if not setup.sets or each.name in setup.sets]


def settings_of(setup: Setup) -> dict[str, dict[str, Any]]:
    """What is compared, by name, the default first: records of what differs from a system's own."""
    given = dict(setup.settings)
    if setup.portfolio is not None:
        given = {**read_toml(setup.portfolio).get("settings", {}), **given}
    for name in given:
        _check_name(name, "setting")
    return {name: merged(setup.base, given.get(name, {})) for name in (DEFAULT, *given)}


def _known(setup: Setup) -> Iterator[DataSet]:
    if setup.portfolio is not None:
        for number, record in enumerate(read_toml(setup.portfolio).get("sets", []), start=1):
            yield _of_record(record, f"set {number} of {setup.portfolio}")
        return
    if not setup.data.is_dir():
        raise FileAccessError("no such folder", path=setup.data)
    standard = [
        each for each in STANDARD if each.folder is not None and (setup.data / each.folder).is_dir()
    ]
    if standard:
        for each in STANDARD:
            if each.folder is None or each in standard:
                yield each
            else:
                setup.progress.say(f"{each.name}: left out, there is no folder {each.folder}")
        return
    yield from _found(setup.data)


def _of_record(record: Mapping[str, Any], where: str) -> DataSet:
    names = {"from": "source", "to": "target"}
    try:
        return DataSet(**{names.get(name, name): value for name, value in record.items()})
    except TypeError as error:
        raise ArgumentError(
            f"{where}: {error}", remedy="it has name, folder, from, to, train, dev, test and tune"
        ) from None


def _found(data: Path) -> Iterator[DataSet]:
    """Every pair of languages in every folder; into English where that is one of them."""
    some = False
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        for source, target in _pairs(_languages(folder)):
            some = True
            yield DataSet(
                name=f"{folder.name}.{source}-{target}",
                folder=folder.name, source=source, target=target,
            )  # fmt: skip
    if not some:
        raise FileAccessError(
            "no folder in it has files such as train.de, train.en, dev.de, ...", path=data
        )


def _languages(folder: Path) -> list[str]:
    """Those that all three parts are in."""
    file = re.compile(r"train[^.]*\.(\w+)(\.gz)?")
    named = {found[1] for path in folder.iterdir() if (found := file.fullmatch(path.name))}
    complete = []
    for language in sorted(named):
        try:
            for name in part_names(folder, language):
                part_files(folder, name, language)
        except FileAccessError:
            continue
        complete.append(language)
    return complete


def _pairs(languages: Sequence[str]) -> list[tuple[str, str]]:
    if "en" in languages:
        return [(language, "en") for language in languages if language != "en"]
    return [(a, b) for i, a in enumerate(languages) for b in languages[i + 1 :]]


def _sized(each: DataSet, setup: Setup) -> DataSet:
    """A set as large as a run asks for; slices stay slices."""
    sizes: dict[str, int] = {}
    for part in ("train", "dev", "test"):
        option = f"{part}_lines"
        own, given = getattr(each, part), getattr(setup, option)
        if given is not None and part != "train":
            sizes[part] = given
        elif (limit := given or (QUICK_LINES[option] if setup.quick else None)) is not None:
            sizes[part] = min(limit, own or limit)
    return replace(each, **sizes)  # type: ignore[arg-type]
