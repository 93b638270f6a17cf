"""A model of the opposite direction, which says what a sentence might be a translation of.

    model = open_reverse(Path("en-de.demotic"), source_language="de", target_language="en")

It is asked for by its decoder, not by its memory: what was learned by heart has no probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from demotic.bundle import ABOUT, Bundle
from demotic.decode.decoder import Hypothesis
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.corpus import Orthography
    from demotic.systems.model import Model

_TOGETHER = 64  # sentences decoded at a time


def file_of(path: Path) -> Path:
    """The file that tells a model from another one: the archive, or the list of a folder's parts,
    which has their checksums."""
    return path / ABOUT if path.is_dir() else path


def open_reverse(path: Path, *, source_language: str, target_language: str) -> Model:
    """A model that translates from the target language into the source language."""
    from demotic.systems import system_named

    check_reverse(path, source_language=source_language, target_language=target_language)
    bundle = Bundle.open(path)
    model: Model = system_named(bundle.about.system).Model.open(bundle)
    return model


def check_reverse(path: Path, *, source_language: str, target_language: str) -> None:
    """Raise unless there is such a model; its parts are not looked at."""
    about = Bundle.open(path).about
    if (about.source_language, about.target_language) != (target_language, source_language):
        raise ArgumentError(
            f"a model from {about.source_language} to {about.target_language}",
            path=path,
            remedy=f"give one from {target_language} to {source_language}",
        )


def sources_of(
    model: Model,
    lines: Sequence[str],
    source: Orthography,
    target: Orthography,
    *,
    most: int,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Iterator[list[tuple[str, float]]]:
    """For each sentence the best ``most`` sources with their scores, best first.

    Sentences and sources are tokens of ``target`` and ``source``; the model has its own.
    """
    encoded = [str(model.source.encode(target.decode(line.split()))) for line in lines]
    with progress.step("imputing sources", len(lines), "sentences") as advance:
        for begin in range(0, len(encoded), _TOGETHER):
            part = encoded[begin : begin + _TOGETHER]
            for found in model.decoder.kbest_lines(part, most, threads=threads):
                yield [*_written(found, model.target, source)]
            advance(len(part))


def _written(
    found: Sequence[Hypothesis], theirs: Orthography, ours: Orthography
) -> Iterator[tuple[str, float]]:
    """Different texts, each with the score of the best hypothesis that reads like this."""
    seen: set[str] = set()
    for each in found:
        text = str(ours.encode(theirs.decode(each.tokens)))
        if text.split() and text not in seen:
            seen.add(text)
            yield text, each.score
