"""What an orthography learns of a text: counted here in one pass, or elsewhere in pieces."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from demotic.corpus.casing import CaseCounts
from demotic.corpus.mark_pairs import QuoteCounts
from demotic.corpus.normalise import SpaceCounts
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.corpus.orthography import Orthography
    from demotic.corpus.orthography_config import OrthographyConfig
    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays

_SLICE = 10_000


class Counts:
    """How words, quotation marks and spaces are written, and how often words are."""

    def __init__(self) -> None:
        self.cases = CaseCounts()
        self.quotes = QuoteCounts()
        self.spaces = SpaceCounts()
        self.words: Counter[str] = Counter()

    def to_json(self) -> str:
        """For another process."""
        parts = (self.cases.record(), self.quotes.record(), self.spaces.record(), self.words)
        return json.dumps(parts, ensure_ascii=False)

    def absorb(self, text: str) -> None:
        """What was counted of the lines that follow."""
        cases, quotes, spaces, words = json.loads(text)
        self.cases.absorb(cases)
        self.quotes.absorb(quotes)
        self.spaces.absorb(spaces)
        self.words.update(words)


def counted(
    plain: Orthography, lines: Iterable[str], engine: Engine | None, progress: Progress = SILENT
) -> Counts:
    """The counts of a text, in the order of its lines."""
    counts, title = Counts(), f"learning to write {plain.language}"
    if engine is not None and engine.spread:
        job = CountLines(plain.language, plain.config)
        for result in engine.map(job, pieces_of(lines, engine.piece), title, progress):
            counts.absorb(result["counts"].tobytes().decode())
        return counts
    number = 0
    with progress.step(title, unit="lines") as advance:
        for number, line in enumerate(lines, 1):
            plain.count(line, counts)
            if number % _SLICE == 0:
                advance(_SLICE)
        advance(number % _SLICE)
    return counts


@dataclass(frozen=True)
class CountLines:
    """The counts of a piece of a text."""

    language: str
    config: OrthographyConfig

    def __call__(self, piece: Arrays) -> Arrays:
        """As JSON."""
        from demotic.corpus.orthography import Orthography
        from demotic.engine.arrays import as_array

        plain, counts = Orthography(self.language, self.config), Counts()
        for line in lines_of(piece):
            plain.count(line, counts)
        return {"counts": as_array(counts.to_json().encode())}


def pieces_of(lines: Iterable[str], most: int, name: str = "lines") -> Iterator[Arrays]:
    """Lines, so many at a time, for :func:`lines_of`."""
    from demotic.engine.arrays import as_array

    rest = iter(lines)
    while some := list(islice(rest, most)):
        yield {name: as_array("\n".join(some).encode("utf-8"))}


def lines_of(piece: Arrays, name: str = "lines") -> list[str]:
    """The lines of a piece, none of which has a newline in it."""
    return piece[name].tobytes().decode().split("\n")
