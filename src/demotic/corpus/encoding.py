"""Training pairs taken apart, as lines of two files: here one by one, or elsewhere in pieces."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demotic.corpus.bitext import Bitext
from demotic.corpus.counts import lines_of, pieces_of
from demotic.corpus.orthography import Orthography, encode_pairs

if TYPE_CHECKING:
    from demotic.engine import Engine
    from demotic.engine.arrays import Arrays


def encoded_text(
    source: Orthography, target: Orthography, bitext: Bitext, engine: Engine
) -> Iterator[tuple[bytes, bytes, int]]:
    """Lines of both sides, their tokens separated by spaces, and how many they are."""
    if not engine.spread:
        for one, other in encode_pairs(
            source, target, ((pair.source, pair.target) for pair in bitext)
        ):
            yield f"{one}\n".encode(), f"{other}\n".encode(), 1
        return
    job = EncodePairs(source.to_json(), target.to_json())
    for result in engine.map(job, _pieces(bitext, engine.piece), "sending pairs"):
        ours, theirs = (result[side].tobytes() for side in ("source", "target"))
        yield ours, theirs, ours.count(b"\n")


def _pieces(bitext: Bitext, most: int) -> Iterator[Arrays]:
    ours = pieces_of(bitext.source_lines(), most, "source")
    theirs = pieces_of(bitext.target_lines(), most, "target")
    return ({**one, **other} for one, other in zip(ours, theirs, strict=True))


@dataclass(frozen=True)
class EncodePairs:
    """The lines of a piece; the orthographies as JSON."""

    source: str
    target: str

    def __call__(self, piece: Arrays) -> Arrays:
        """Each with its newline."""
        from demotic.engine.arrays import as_array

        pairs = zip(lines_of(piece, "source"), lines_of(piece, "target"), strict=True)
        found = list(encode_pairs(_read(self.source), _read(self.target), pairs))
        ours = "".join(f"{one}\n" for one, _ in found)
        theirs = "".join(f"{other}\n" for _, other in found)
        return {"source": as_array(ours.encode()), "target": as_array(theirs.encode())}


@functools.lru_cache(maxsize=2)
def _read(text: str) -> Orthography:
    """For all pieces that a process gets."""
    return Orthography.from_json(text)
