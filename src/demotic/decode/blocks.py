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
from demotic.errors import ArgumentError
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
class BlockDecoderOptions:
    """How to search.

    ``reorder``: ``monotone`` takes source phrases in their order; ``swap`` may skip the words of
    one block, which come next (so does ``None``, which leaves the choice to a preset).  A block
    goes to the left if its left count is at least ``min_left``.  ``partition`` is Z: a constant of
    one ``half``, or the sum over the ``alternatives``.  ``boundary``, ``smoothing`` and ``unigram``
    are those of training, but that the unigram cost is divided by the number of source words.
    """

    reorder: Literal["monotone", "swap"] | None = None
    alternatives: int = 9
    """The most frequent blocks of each source phrase."""
    min_left: int = 3
    partition: Literal["half", "alternatives"] = "half"
    boundary: Literal["start", "neutral"] = "start"
    smoothing: float = 0.5
    unigram: Literal["raw", "per-word", "equal-length"] = "per-word"
    beam: int = 500
    """Hypotheses of each number of covered words; 0 keeps all."""
    delta: float = 10.0
    """Hypotheses that are worse than the best one by more are dropped; ``inf`` drops none."""
    max_nodes: int = 5_000_000
    """Bounds memory: for a very long sentence the beam is narrower."""


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
        options: BlockDecoderOptions | None = None,
    ) -> None:
        from demotic.grammar.blocks import no_pairs

        begin = time.thread_time()
        options = options or BlockDecoderOptions()
        self.rules, self.lm, self.options = blocks, lm, options
        self.pairs = no_pairs() if pairs is None else pairs
        self._use_weights(_core.block_feature_names(), {**FIXED, **weights})
        check_positive(options, "alternatives", "max_nodes")
        if options.min_left < 0:
            raise ArgumentError("min_left must be 0 or more")
        if options.beam < 0:
            raise ArgumentError("beam must be 0 or more", remedy="0 sets no limit")
        if math.isnan(options.delta):
            raise ArgumentError("delta must be a number, or inf")
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

    def pair_forests(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Forest]:
        """As :meth:`forests`, each pair of blocks being a feature of its own, of value 1."""
        from demotic.forest import Forest

        def run(sentences: list[list[str]], threads: int) -> list[_core.Forest]:
            return self._search.forests(sentences, threads, True)

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
