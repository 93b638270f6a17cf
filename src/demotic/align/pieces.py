"""Aligned text in pieces that go to other processes: word ids, not words.

for piece in aligned_pieces(source, target, links, engine.piece): ...
source, target, links = aligned_lines(piece)              # there
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from demotic._core import Links, TokenLines
from demotic.align.text import Text

if TYPE_CHECKING:
    from demotic.engine.arrays import Arrays


def aligned_pieces(source: Text, target: Text, links: Links, pairs: int) -> Iterator[Arrays]:
    """The sentence pairs, so many at a time; ``first`` is the number of a piece's first one."""
    sides: dict[str, TokenLines | Links] = {"source": source.lines, "target": target.lines}
    sides["links"] = links
    for begin in range(0, len(links), pairs):
        piece = {"first": np.array([begin], np.uint64)}
        for name, lines in sides.items():
            piece[name], piece[f"{name}_ends"] = lines.arrays(begin, begin + pairs)
        yield piece


def aligned_lines(piece: Arrays) -> tuple[TokenLines, TokenLines, Links]:
    """The text of a piece."""
    source, target = (
        TokenLines.of(piece[side], piece[f"{side}_ends"]) for side in ("source", "target")
    )
    return source, target, Links.of(piece["links"], piece["links_ends"])
