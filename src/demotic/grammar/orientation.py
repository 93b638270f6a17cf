"""How blocks follow each other: orientation counts, and the events that a local model learns from.

oriented = orient(blocks, source, target, links, options=EventOptions(pairs="observed"))
oriented.blocks                  # with N_L and N_R
oriented.pairs                   # binary features: pairs of blocks seen more than 3 times
events = block_events(oriented.blocks, source, target, links, lm=lm, pairs=oriented.pairs)
events.successors                # L/R events, features Unigram ... Lexical, and pairs
events.neutral                   # N events
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from demotic import _core
from demotic.align.text import Text, check_parallel
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.grammar.blocks import (
    BlockExtraction,
    BlockPairs,
    BlockTable,
    Projection,
    links_for,
    no_pairs,
)
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import Links
    from demotic.lm import LanguageModel

FEATURES = ("Unigram", "Orientation", "FirstWord", "RestWords", "Lexical")
"""Of L/R events: (a) to (e) of the paper, each -ln of a probability."""
NEUTRAL_FEATURES = ("Unigram", "FirstWord", "RestWords", "Lexical")

UnigramCost = Literal["raw", "per-word", "equal-length"]
_PAIRS = _core.EVENT_WINDOW  # sentence pairs between two looks at the keyboard, for each thread


@dataclass(frozen=True, kw_only=True)
class EventOptions:
    """What is an event, and what its candidates cost."""

    matching: Literal["string", "aligned"] = "string"
    """Blocks are found wherever both sides occur (``string``), or where the links give them."""
    boundary: Literal["start", "neutral"] = "start"
    """The first block follows a virtual one at the ``start``, or is ``neutral``."""
    alternatives: int = 9
    """Candidates: the most frequent blocks of a source phrase."""
    rare: Literal["replace", "drop"] = "replace"
    """An event of a rarer block: it takes the place of the last candidate, or there is no event."""
    pairs: Literal["none", "observed", "candidates"] = "observed"
    """Pairs of blocks are counted over events that were ``observed``, over all ``candidates``, or
    not at all."""
    pair_threshold: int = 3
    """Pairs seen more often than this are kept."""
    smoothing: float = 0.5
    """Of orientation probabilities."""
    unigram: UnigramCost = "raw"
    """What feature (a) is while training."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "alternatives", "pair_threshold")
        if not 0 <= self.smoothing < math.inf:
            raise ArgumentError("smoothing must be a number that is not negative")

    def core(self, extraction: BlockExtraction) -> _core.BlockEventOptions:
        """The same for the core."""
        return _core.BlockEventOptions(
            aligned=self.matching == "aligned",
            projection=extraction.method == "projection",
            start=self.boundary == "start",
            alternatives=self.alternatives,
            drop_rare=self.rare == "drop",
            count_pairs=self.pairs,
            longest=extraction.longest,
        )


@dataclass(frozen=True)
class EventCounts:
    """What was found in a text; the paper's text gave 28.6 events a pair, 18.3 of them L or R."""

    pairs: int
    skipped: int
    """Sentence pairs that are too long."""
    occurrences: int
    left: int
    right: int
    neutral: int
    groups: int
    candidates: int
    rare: int
    """L/R events whose block is not among the alternatives of its source phrase."""

    @property
    def events(self) -> int:
        """Of all orientations."""
        return self.left + self.right + self.neutral

    def __str__(self) -> str:
        pairs = max(1, self.pairs - self.skipped)
        sides = max(1, self.left + self.right)
        return (
            f"{self.events / pairs:.1f} events a pair, {sides / pairs:.1f} of them L or R "
            f"({self.left / sides:.1%} L), {self.candidates / max(1, self.groups):.1f} candidates, "
            f"{self.rare / sides:.1%} rare"
        )


@dataclass(frozen=True)
class Oriented:
    """A table with orientation counts, the pairs that become features, and what was counted."""

    blocks: BlockTable
    pairs: BlockPairs
    counts: EventCounts


@dataclass(frozen=True, eq=False)
class BlockEvents:
    """Events for :func:`demotic.learn.sgd`."""

    successors: _core.EventGroups
    neutral: _core.EventGroups


def orient(
    blocks: BlockTable,
    source: Text,
    target: Text,
    links: Links,
    *,
    options: EventOptions | None = None,
    extraction: BlockExtraction | None = None,
    projection: Projection | None = None,
    folder: str | Path | None = None,
    memory: int = 1 << 30,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Oriented:
    """Count how blocks follow each other in a text.

    Pairs of blocks are counted in ``memory`` bytes; what does not fit goes to a file without a name
    in ``folder``.
    """
    options, extraction = options or EventOptions(), extraction or BlockExtraction()
    text = _Encoded(blocks, source, target, links_for(extraction, links, projection))
    counter = _core.BlockEventCounter(
        blocks, options.core(extraction), str(folder or tempfile.gettempdir()), memory
    )
    with progress.step("counting orientations", len(text), "sentence pairs") as advance:
        for begin, end in text.slices(threads):
            counter.run(text.source, text.target, text.links, text.union, begin, end, threads)
            advance(end - begin)
    core = counter.counts
    counts = EventCounts(*(getattr(core, name) for name in EventCounts.__annotations__))
    progress.say(str(counts))
    keys = counter.frequent_pairs(options.pair_threshold)
    oriented = BlockTable.of(blocks.with_orientation(counter.left(), counter.right()))
    pairs = BlockPairs(keys, np.zeros(len(keys), np.float32), blocks.fingerprint)
    return Oriented(oriented, pairs, counts)


def block_events(
    blocks: BlockTable,
    source: Text,
    target: Text,
    links: Links,
    *,
    lm: LanguageModel | Sequence[LanguageModel] | None,
    pairs: BlockPairs | None = None,
    sentences: Iterable[str] | None = None,
    least: int = 1,
    options: EventOptions | None = None,
    extraction: BlockExtraction | None = None,
    projection: Projection | None = None,
    folder: str | Path | None = None,
    memory: int = 1 << 30,
    threads: int = 1,
    progress: Progress = SILENT,
) -> BlockEvents:
    """The events of a text, with the features of their candidates.

    With n language models, line i is priced by model i mod n.  ``sentences`` are source sentences
    to be translated: only blocks that these can use make events, and only those seen ``least``
    times.
    Arrays larger than ``memory`` bytes live in a mapped file in ``folder``, which has no name and
    is gone when the events are.
    """
    options, extraction = options or EventOptions(), extraction or BlockExtraction()
    text = _Encoded(blocks, source, target, links_for(extraction, links, projection))
    models = list(lm) if isinstance(lm, Sequence) else [] if lm is None else [lm]
    builder = _core.BlockEventBuilder(
        blocks,
        models,
        no_pairs() if pairs is None else pairs,
        options.core(extraction),
        options.smoothing,
        options.unigram,
        str(folder or tempfile.gettempdir()),
        memory,
    )
    if sentences is not None or least > 1:
        usable = range(len(blocks)) if sentences is None else blocks.filtered(list(sentences))[1]
        often = [block for block in usable if blocks.count(block) >= least]
        builder.allow(np.array(often, dtype=np.uint32))
    with progress.step("collecting events", len(text), "sentence pairs") as advance:
        for begin, end in text.slices(threads):
            builder.run(text.source, text.target, text.links, text.union, begin, end, threads)
            advance(end - begin)
    return BlockEvents(*builder.finish())


class _Encoded:
    """A text in the ids of a table."""

    def __init__(
        self, blocks: BlockTable, source: Text, target: Text, links: tuple[Links, Links | None]
    ) -> None:
        check_parallel(source, target)
        self.source, self.target = _core.TokenLines(), _core.TokenLines()
        for chunk in source.chunks():
            blocks.encode_source(chunk, self.source)
        for chunk in target.chunks():
            blocks.encode_target(chunk, self.target)
        self.links, self.union = links
        for each in links:
            if each is not None:
                each.check(self.source, self.target)

    def __len__(self) -> int:
        return len(self.source)

    def slices(self, threads: int) -> list[tuple[int, int]]:
        step = _PAIRS * threads
        return [(begin, min(begin + step, len(self))) for begin in range(0, len(self), step)]
