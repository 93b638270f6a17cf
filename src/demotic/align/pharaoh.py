"""Word alignments as text in Pharaoh format: one sentence pair a line, ``0-0 1-2``, plain or gzip.

    links = pharaoh.read("train.align.gz")
    gold = pharaoh.read_gold("test.gold", one_based=True)      # also possible links: 1?2 or 1p2
    pharaoh.write("out.align", links)

``i-j`` links source word i with target word j, counted from 0 (from 1 with ``one_based``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from demotic import _core, files
from demotic._core import Links, TokenLines

_LINES = 1 << 16  # written at a time


@dataclass(frozen=True)
class Gold:
    """A hand-made alignment: sure links, and possible ones, which include the sure."""

    sure: Links
    possible: Links


def stream(path: str | Path, *, one_based: bool = False) -> Iterator[Links]:
    """The links of a file piece by piece, each piece some thousand sentence pairs."""
    for gold in _pieces(path, one_based=one_based, allow_possible=False):
        yield gold.sure


def read(
    path: str | Path,
    *,
    one_based: bool = False,
    source: TokenLines | None = None,
    target: TokenLines | None = None,
) -> Links:
    """The links of a file; given the texts, positions and the number of lines are checked."""
    links = Links()
    for piece in stream(path, one_based=one_based):
        links.extend(piece)
    if source is not None and target is not None:
        with files.naming(path):
            links.check(source, target, base=int(one_based))
    return links


def read_gold(path: str | Path, *, one_based: bool = False) -> Gold:
    """A reference alignment, in which ``i?j`` and ``ipj`` are possible links."""
    gold = Gold(Links(), Links())
    for piece in _pieces(path, one_based=one_based, allow_possible=True):
        gold.sure.extend(piece.sure)
        gold.possible.extend(piece.possible)
    return gold


def write(path: str | Path, links: Links, *, one_based: bool = False) -> None:
    """Write the links; ``.gz`` compresses, ``-`` is the standard output."""
    with files.write_bytes(path) as out:
        out.writelines(text(links, one_based=one_based))


def text(links: Links, *, one_based: bool = False) -> Iterator[bytes]:
    """The links as text, in chunks of whole lines."""
    for begin in range(0, len(links), _LINES):
        yield links.pharaoh(begin, begin + _LINES, base=int(one_based))


def _pieces(path: str | Path, *, one_based: bool, allow_possible: bool) -> Iterator[Gold]:
    line = 1
    for chunk in files.read_text(path):
        with files.naming(path):
            sure, possible = _core.parse_pharaoh(
                chunk, base=int(one_based), allow_possible=allow_possible, first_line=line
            )
        yield Gold(sure, possible)
        line += len(sure)
