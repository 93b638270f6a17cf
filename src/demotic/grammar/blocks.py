"""Blocks: pairs of source and target phrases with counts (Tillmann and Zhang 2005).

    blocks = extract_blocks(source, target, links)         # N(b), lexical weights
    blocks, pairs, counts = orient(blocks, source, target, links)   # N_L, N_R; see orientation
    blocks.save("blocks.bin")
    for block in BlockTable.load("blocks.bin").blocks_for("das haus"):
        print(block)

A block has no alignment inside.  Its number means something in its own table alone; a table's
``fingerprint`` tells tables apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from demotic import _core, files
from demotic.align.text import Text, check_parallel
from demotic.errors import check_choices, check_counts
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import Links

BlockPairs = _core.BlockPairs
_PAIRS = 1 << 12  # sentence pairs worked on between two looks at the keyboard


@dataclass(frozen=True, kw_only=True)
class BlockExtraction:
    """What is a block."""

    max_words: int = 8
    """Words of a block, each side."""
    method: Literal["consistent", "projection"] = "consistent"
    """Every phrase pair ``consistent`` with the links, unaligned words at its edges allowed; or the
    ``projection`` of each source interval (Tillmann and Xia 2003)."""
    min_count: int = 1
    """Rarer blocks are dropped unless they have one word on each side."""
    keep_lone: bool = False
    """A rare block stays where its source phrase has no other."""
    lexical: Literal["literal", "koehn"] = "literal"
    """Word translations are normalised over the targets of a source word (``literal``, as the paper
    prints it) or over the sources of a target word (``koehn``)."""
    longest: int = 200
    """Sentence pairs with more words on a side are skipped."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "max_words", least=1, most=2**16 - 1)
        check_counts(self, "min_count", "longest")


@dataclass(frozen=True)
class Block:
    """One block; ``left`` and ``right`` count how often it followed another on that side."""

    id: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    count: int
    left: int
    right: int
    lexical: float
    """-ln p(source | target)."""
    origins: tuple[int, ...]
    """A few training sentences that gave it, counted from 0."""

    @property
    def scores(self) -> dict[str, float]:
        """What an explanation shows: how often it was seen, and followed on each side."""
        return {
            "Count": float(self.count),
            "Left": float(self.left),
            "Right": float(self.right),
            "Lexical": -self.lexical,
        }

    @property
    def sparse(self) -> dict[str, float]:
        """None: blocks have no sparse features of their own."""
        return {}

    @property
    def counts(self) -> tuple[float, ...]:
        """Those of its sides alone are not kept."""
        return ()

    def __str__(self) -> str:
        return f"{' '.join(self.source)} ||| {' '.join(self.target)}"


class BlockTable(_core.BlockTable):
    """Blocks in a mapped file or in memory; read-only.  ``len`` counts them."""

    @classmethod
    def load(cls, path: str | Path, *, verify: bool | None = None) -> BlockTable:
        """Map a table; files up to 64 MiB are compared with their checksums unless told."""
        with files.naming(path):
            return cls(str(path), verify)

    @classmethod
    def of(cls, core: _core.BlockTable) -> BlockTable:
        """A table of the core."""
        return cls(core)

    def save(self, path: str | Path) -> None:
        """Write the table, whole or not at all."""
        with files.atomic_path(path) as temporary:
            self.save_binary(str(temporary))

    def filter(
        self, sentences: Iterable[str], pairs: BlockPairs | None = None
    ) -> tuple[BlockTable, BlockPairs]:
        """The blocks that some sentences can use, renumbered, and the pairs of these.

        Translations of the sentences stay the same.
        """
        core, kept = self.filtered(list(sentences))
        table = BlockTable.of(core)
        return table, (pairs or no_pairs()).filtered(kept, table.fingerprint)

    def __getitem__(self, block: int) -> Block:
        if block < 0:
            block += len(self)
        if not 0 <= block < len(self):
            raise IndexError(block)
        return Block(
            block,
            tuple(map(self.source_word, self.source_ids(block))),
            tuple(map(self.target_word, self.target_ids(block))),
            self.count(block),
            self.left(block),
            self.right(block),
            self.lexical(block),
            tuple(self.origins(block)),
        )

    def __iter__(self) -> Iterator[Block]:
        return (self[block] for block in range(len(self)))

    def blocks_for(self, source: str) -> list[Block]:
        """The blocks of one source phrase, the most frequent first."""
        words = [self.find_source_word(word) for word in source.split()]
        first, end = self.find(words) if words and all(words) else (0, 0)
        return [self[block] for block in range(first, end)]

    def __repr__(self) -> str:
        return f"<BlockTable of {len(self):,} blocks>"


@dataclass(frozen=True)
class Projection:
    """The two alignments that ``projection`` needs beside the symmetrised one."""

    intersection: Links
    union: Links


def extract_blocks(
    source: Text,
    target: Text,
    links: Links,
    *,
    options: BlockExtraction | None = None,
    projection: Projection | None = None,
    threads: int = 1,
    progress: Progress = SILENT,
) -> BlockTable:
    """The blocks of aligned text, with N(b) and lexical weights but no orientations yet.

    Memory grows with the number of different blocks, about 100 bytes each.
    """
    options = options or BlockExtraction()
    links, union = links_for(options, links, projection)
    check_parallel(source, target)
    for each in (links, union):
        if each is not None:
            each.check(source.lines, target.lines)
    extraction = _core.BlockExtraction(options.max_words, options.longest)
    with progress.step("extracting blocks", len(links), "sentence pairs") as advance:
        for begin in range(0, len(links), _PAIRS):
            end = min(begin + _PAIRS, len(links))
            extraction.run(source.lines, target.lines, links, union, begin, end, threads)
            advance(end - begin)
    occurrences = extraction.occurrences
    table = BlockTable.of(
        extraction.finish(
            source.vocab, target.vocab, options.min_count, options.keep_lone, options.lexical,
            threads,
        )
    )  # fmt: skip
    progress.say(
        f"{occurrences:,} occurrences of {len(table):,} blocks"
        + (f"; {extraction.skipped:,} long pairs skipped" if extraction.skipped else "")
    )
    return table


def links_for(
    options: BlockExtraction, links: Links, projection: Projection | None
) -> tuple[Links, Links | None]:
    """The links that an extraction reads: those given, or intersection and union."""
    if options.method == "consistent":
        return links, None
    if projection is None:
        from demotic.errors import ArgumentError

        raise ArgumentError(
            "projection needs the intersection and the union of both directions",
            remedy="align with the built-in aligner, or take consistent blocks",
        )
    return projection.intersection, projection.union


def no_pairs() -> BlockPairs:
    """No binary features."""
    import numpy as np

    return BlockPairs(np.zeros(0, np.uint64), np.zeros(0, np.float32), 0)


def save_pairs(pairs: BlockPairs, path: str | Path) -> None:
    """Write pairs and their weights, whole or not at all."""
    with files.atomic_path(path) as temporary:
        pairs.save_binary(str(temporary))


def load_pairs(path: str | Path) -> BlockPairs:
    """Pairs and their weights, as :func:`save_pairs` wrote them."""
    with files.naming(path):
        return BlockPairs.open(str(path))
