"""The block decoder: local choices of blocks from left to right, neighbours may swap.

    decoder = BlockDecoder(blocks, lm, {"Unigram": -0.1, "FirstWord": -0.8, ...}, pairs=pairs)
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    decoder.kbest("das haus ist klein .", 10)
    decoder.forest("das haus ist klein .").posteriors()

Features are costs, -ln of probabilities, so that useful weights are negative.  ``Partition`` (-ln
Z) and ``Pairs`` (the sum of the pairs' weights) have weight 1 unless told otherwise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from demotic import _core
from demotic.decode.core_decoder import MOST, CoreForestDecoder, check_positive
from demotic.decode.derivation import Derivation
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic._core import BlockPairs
    from demotic.decode.decoder import Sentence
    from demotic.forest import Forest
    from demotic.grammar import BlockTable
    from demotic.lm import LanguageModel

FIXED = {"Partition": 1.0, "Pairs": 1.0}
"""Weights of features that weigh their parts themselves."""


@dataclass(frozen=True, kw_only=True)
class BlockSearch:
    """How to search."""

    reorder: Literal["monotone", "swap"] | None = None
    """``monotone`` takes source phrases in their order; ``swap`` may skip the words of one block,
    which come next.  Without either it is what the preset says, or ``swap``."""
    alternatives: int = 9
    """The most frequent blocks of each source phrase."""
    min_left: int = 3
    """A block goes to the left if its left count is at least this."""
    partition: Literal["half", "alternatives"] = "half"
    """Z: a constant of one half, or the sum over the alternatives."""
    boundary: Literal["start", "neutral"] = "start"
    """That of training."""
    smoothing: float = 0.5
    """That of training."""
    unigram: Literal["raw", "per-word", "equal-length"] = "per-word"
    """That of training, but that the cost is divided by the number of source words."""
    beam: int = 500
    """Hypotheses of each number of covered words; 0 keeps all."""
    delta: float = 10.0
    """Hypotheses that are worse than the best one by more are dropped; ``inf`` drops none."""
    max_nodes: int = 5_000_000
    """Bounds memory: for a very long sentence the beam is narrower."""
    zones: bool = True
    """Keep together what stands between brackets, quotation marks or tags, and paragraphs apart."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, "alternatives", "max_nodes")
        check_counts(self, "min_left", "beam", most=2**63 - 1)
        if not 0 <= self.smoothing < math.inf:
            raise ArgumentError("smoothing must be a number that is not negative")
        if not self.delta >= 0:
            raise ArgumentError("delta must be a number that is not negative, or inf")


@dataclass(frozen=True)
class BlockCounters:
    """What the decoder did so far."""

    sentences: int
    options: int
    """Blocks at their places."""
    nodes: int
    arcs: int
    expanded: int
    """Nodes that survived pruning."""
    lm_blocks: int
    """Blocks, after some state, that the language model has scored."""
    narrowed: int
    """Very long sentences with a narrower beam."""
    seconds: dict[str, float]
    """CPU time by phase: ``load``, ``search``."""


@dataclass(frozen=True, eq=False)
class BlockOracle:
    """The best of a list by score, the best by BLEU, and what the list uses."""

    first: Derivation
    best: Derivation
    listed: frozenset[tuple[int, int, int]]
    """Blocks with the source words they cover: number, begin, end."""


class BlockDecoder(CoreForestDecoder):
    """Translates lists of tokens; safe to share between threads."""

    _search: _core.BlockDecoder
    rules: BlockTable

    def __init__(
        self,
        blocks: BlockTable,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        pairs: BlockPairs | None = None,
        options: BlockSearch | None = None,
    ) -> None:
        from demotic.grammar.blocks import no_pairs

        begin = time.thread_time()
        options = options or BlockSearch()
        self.rules, self.lm, self.options = blocks, lm, options
        self.pairs = no_pairs() if pairs is None else pairs
        self._use_weights(_core.block_feature_names(), {**FIXED, **weights})
        self._search = _core.BlockDecoder(
            blocks,
            lm,
            self.pairs,
            list(self.weights.values()),
            swap=options.reorder != "monotone",
            alternatives=min(options.alternatives, MOST),
            min_left=min(options.min_left, MOST),
            z_alternatives=options.partition == "alternatives",
            start=options.boundary == "start",
            smoothing=options.smoothing,
            unigram=options.unigram,
            beam=options.beam,
            delta=options.delta,
            max_nodes=options.max_nodes,
        )
        self._labels = tuple(self._search.labels)
        self._load_seconds = time.thread_time() - begin

    def with_weights(self, weights: Mapping[str, float]) -> BlockDecoder:
        """The same decoder with other weights."""
        return BlockDecoder(self.rules, self.lm, weights, pairs=self.pairs, options=self.options)

    def forests(
        self,
        lines: Iterable[Sentence],
        *,
        pairs: bool = False,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[Forest]:
        """One forest for each line; with ``pairs`` each pair of blocks is a feature of its own.

        Such a feature has the value 1, and ``Pairs`` is 0.
        """
        from demotic.forest import Forest

        def run(sentences: list[list[str]], threads: int) -> list[_core.Forest]:
            return self._search.forests(sentences, threads, pairs)

        return [Forest(core) for _, core in self._each(lines, threads, progress, "decoding", run)]

    def oracles(
        self,
        lines: Sequence[Sentence],
        references: Sequence[Sequence[str]],
        k: int,
        *,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[BlockOracle]:
        """Of the k best derivations of each line the one with the best sentence BLEU.

        BLEU adds one to matches and totals; ties go to the better score.
        """
        if k < 1:
            raise ArgumentError("k must be at least 1")
        if len(lines) != len(references):
            raise ArgumentError(f"{len(lines)} sentences and references for {len(references)}")
        rest = iter(references)

        def run(sentences: list[list[str]], threads: int) -> list[_core.BlockOracle]:
            wanted = [list(each) for each in islice(rest, len(sentences))]
            return self._search.oracles(sentences, wanted, k, threads)

        return [
            BlockOracle(
                self._derivation(tokens, core.first),
                self._derivation(tokens, core.best),
                frozenset((block, begin, end) for block, begin, end in core.listed),
            )
            for tokens, core in self._each(lines, threads, progress, "looking for oracles", run)
        ]

    @property
    def counters(self) -> BlockCounters:
        """Work done since the decoder was made or :meth:`reset_counters` was called."""
        core = self._search.counters
        return BlockCounters(
            core.sentences,
            core.options,
            core.nodes,
            core.arcs,
            core.expanded,
            core.lm_blocks,
            core.narrowed,
            {"load": self._load_seconds, "search": core.seconds},
        )

    def _shortened(self) -> int:
        return int(self._search.counters.narrowed)

    def _lowered(self) -> str:
        return "beam"
