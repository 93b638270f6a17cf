"""Translations as ``demotic translate`` writes them, of many lines at once if need be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from demotic.errors import FileAccessError

if TYPE_CHECKING:
    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays
    from demotic.memory import Match
    from demotic.progress import Progress
    from demotic.systems.model import Model
    from demotic.systems.translator import Translation

_PIECE = 500  # lines that a task translates


class Format(StrEnum):
    """How translations are written."""

    text = "text"
    json = "json"


@dataclass(frozen=True)
class Written:
    """How the translations of a line are written."""

    nbest: int
    format: Format
    matches: Callable[[str], list[Match]]

    def write(self, out: IO[bytes], number: int, line: str, best: list[Translation]) -> None:
        """Those of the line of this number."""
        similar = self.matches(line) if self.format is Format.json else []
        _write(out, number, line, best, similar, self.nbest, self.format)


@dataclass(frozen=True)
class Asked:
    """A model and what it is told beside its own settings."""

    model: Path
    verify: bool | None = None
    search: tuple[tuple[str, int], ...] = ()
    consensus: tuple[tuple[str, Any], ...] = ()
    memory: bool = True
    glossary: tuple[Path, ...] = ()
    own_glossary: bool = True

    def absolute(self) -> Asked:
        """The same from any folder."""
        glossary = tuple(path.absolute() for path in self.glossary)
        return replace(self, model=self.model.absolute(), glossary=glossary)

    def open(self) -> Model:
        """The model so told."""
        from demotic.cli.options import usage
        from demotic.model import load

        translator = load(self.model, verify=self.verify)
        for name, value in self.search:
            with usage(f"--{name}"):
                translator = translator.with_search({name: value})
        for name, value in self.consensus:
            with usage("--consensus" if name == "method" else f"--consensus-{name}"):
                translator = translator.with_consensus({name: value})
        if not self.memory:
            translator = translator.with_memory({"use": False})
        if self.glossary or not self.own_glossary:
            from demotic.glossary import Glossary, read_glossary

            about = translator.about
            languages = {"source": about.source_language, "target": about.target_language}
            own = translator.glossary if self.own_glossary else Glossary()
            given = read_glossary(self.glossary, **languages)
            translator = translator.with_glossary(own.with_terms(given))
        return translator


@dataclass(frozen=True)
class TranslateLines:
    """The translations of a piece of text, as they are written."""

    asked: Asked
    nbest: int
    format: Format
    markup: bool

    def __call__(self, piece: Arrays) -> Arrays:
        """``first`` is the number of the first line."""
        from demotic.engine.arrays import as_array

        if not self.asked.model.exists():
            raise FileAccessError(
                "executors do not see the model",
                path=self.asked.model,
                remedy="put it into a folder that all machines have under the same path",
            )
        translator = _opened(self.asked)
        written = Written(self.nbest, self.format, translator.matches)
        lines = piece["lines"].tobytes().decode().split("\n")
        number = int(piece["first"][0])
        out = BytesIO()
        found = translator.nbest_lines(lines, self.nbest, markup=self.markup)
        for line, best in zip(lines, found, strict=True):
            written.write(out, number, line, best)
            number += 1
        return {"text": as_array(out.getvalue())}


@functools.lru_cache(maxsize=1)
def _opened(asked: Asked) -> Model:
    """For all pieces that a process gets."""
    return asked.open()


def translate_pieces(
    batches: Iterable[Sequence[str]], job: TranslateLines, engine: Engine, progress: Progress
) -> Iterator[bytes]:
    """The translations of lines, piece by piece, in their order."""
    for done in engine.map(
        job, _pieces(batches, min(_PIECE, engine.piece)), "translating", progress
    ):
        yield done["text"].tobytes()


def _pieces(batches: Iterable[Sequence[str]], most: int) -> Iterator[Arrays]:
    import numpy as np

    from demotic.engine.arrays import as_array

    first = 0
    for lines in batches:
        for begin in range(0, len(lines), most):
            some = lines[begin : begin + most]
            text = "\n".join(some).encode("utf-8")
            yield {"first": np.array([first]), "lines": as_array(text)}
            first += len(some)


def _write(
    out: IO[bytes],
    number: int,
    line: str,
    best: list[Translation],
    similar: list[Match],
    nbest: int,
    format: Format,
) -> None:
    import json

    if format is Format.json:
        record: dict[str, object] = {"source": line, **_record(best[0])}
        if nbest > 1:
            record["nbest"] = [_record(each) for each in best]
        if similar:
            record["matches"] = [match.to_record() for match in similar]
        text = json.dumps(record, ensure_ascii=False)
    elif nbest > 1:
        text = "\n".join(
            f"{number} ||| {each.text} ||| {_features(each)} ||| {each.score:.6f}{_gain(each)}"
            for each in best
        )
    else:
        text = best[0].text
    out.write(f"{text}\n".encode())


def _record(translation: Translation) -> dict[str, object]:
    record: dict[str, object] = {
        "text": translation.text,
        "score": translation.score,
        "tokens": list(translation.tokens),
        "alignment": [list(link) for link in translation.alignment],
        "features": translation.features,
    }
    if translation.memory is not None:
        record["memory"] = translation.memory.to_record()
    if translation.terms:
        record["terms"] = [each.to_record() for each in translation.terms]
    if translation.consensus is not None:
        record["consensus"] = asdict(translation.consensus)
    return record


def _gain(translation: Translation) -> str:
    found = translation.consensus
    return "" if found is None else f" ||| {found.gain:.6f}"


def _features(translation: Translation) -> str:
    return " ".join(f"{name}= {value:.6g}" for name, value in translation.features.items())
