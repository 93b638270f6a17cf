"""Confusion forests: sentences of one language, decoded into those that they may be taken for.

    confuser = Confuser(table, lm)                      # table: ConfusionGrammar.table(...)
    confuser.best(lines, {"LanguageModel": 1.0})        # the best of each sentence's confusions
    for forest in confuser.forests(lines, weights):     # all of them, pruned, one after the other
        ...

This is hierarchical decoding with a confusion grammar (Li et al. 2010, section 3.2).  A word
without a rule of its own passes through at a fixed cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from demotic.decode.core_decoder import check_positive
from demotic.decode.derivation import Derivation
from demotic.decode.hiero import HieroDecoder, HieroSearch
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.forest import Forest
    from demotic.grammar import RuleTable
    from demotic.lm import LanguageModel

PASS_THROUGH = -100.0
"""What a word without a rule scores; never learned, never scaled."""
START = {"LanguageModel": 1.0, "WordPenalty": 0.0}
"""The n-gram model alone."""
BLEU_CONTEXT = 3
"""Boundary words of a node that the n-grams of BLEU ask for."""
_TOGETHER = 8  # sentences decoded at once, for each thread: their forests are large before pruning
_NODES_PER_EDGE = 2  # of a forest that is split by boundary words, before it is pruned again
_OWN = 5  # of the edges of a forest, one part for the sentence itself
_LEAST_MODEL = 1e-3  # weight of the language model by which weights are divided


@dataclass(frozen=True, kw_only=True)
class ConfusionSearch(HieroSearch):
    """How to search, and what to keep of it."""

    pops: int = 200
    """Candidates taken at each node of the forest."""
    edges_per_word: int = 100
    """Edges of a forest that stay for each word, those of the best derivations."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "edges_per_word")


DEFAULTS = ConfusionSearch()


class Confuser:
    """Finds what sentences may be taken for, under any weights."""

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel,
        *,
        unchanged: RuleTable | None = None,
        options: ConfusionSearch = DEFAULTS,
    ) -> None:
        """``unchanged`` are the rules whose sides are the same, for :meth:`identity`."""
        self.options = options
        self._decoder = HieroDecoder(rules, lm, {}, options=options)
        self._unchanged = (
            None if unchanged is None else HieroDecoder(unchanged, lm, {}, options=options)
        )
        self.context = max(BLEU_CONTEXT, lm.order - 1)
        """Boundary words that nodes know: enough for BLEU and for the language model."""

    def decoder(self, weights: Mapping[str, float]) -> HieroDecoder:
        """The decoder under weights, which are divided by that of the language model."""
        return self._decoder.with_weights(_scaled(weights))

    def identity(self, line: str, weights: Mapping[str, float]) -> Forest:
        """Ways in which a line stands for itself, few and the best; nodes as in :meth:`forests`."""
        if self._unchanged is None:
            raise ArgumentError("no rules that leave sentences as they are", remedy="give them")
        forest = self._unchanged.with_weights(_scaled(weights)).forest(line)
        most = max(1, self.options.edges_per_word // _OWN) * max(1, len(line.split()))
        return forest.prune(max_edges=most).refine(self.context)

    def best(
        self,
        lines: Iterable[str],
        weights: Mapping[str, float],
        *,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> list[Derivation]:
        """The best confusion of each line."""
        return self.decoder(weights).decode_lines(lines, threads=threads, progress=progress)

    def forests(
        self,
        lines: Iterable[str],
        weights: Mapping[str, float],
        *,
        threads: int = 1,
        progress: Progress = SILENT,
    ) -> Iterator[Forest]:
        """The confusions of each line, one forest after the other: few are in memory at a time.

        Nodes know ``context`` boundary words.
        """
        from demotic.forest import prune

        decoder = self.decoder(weights)
        total = len(lines) if isinstance(lines, Sequence) else None
        waiting = iter(lines)
        with progress.step("confusing sentences", total, "sentences") as advance:
            while batch := list(islice(waiting, _TOGETHER * threads)):
                for line, forest in zip(
                    batch, decoder.forests(batch, threads=threads), strict=True
                ):
                    most = self.options.edges_per_word * max(1, len(line.split()))
                    [small] = prune([forest], max_edges=most)
                    yield prune([self._refined(small, most)], max_edges=most)[0]
                advance(len(batch))

    def _refined(self, forest: Forest, most: int) -> Forest:
        """With boundary words; one that grows too much by that is pruned further."""
        nodes = _NODES_PER_EDGE * most + len(forest.viterbi())
        while True:
            try:
                return forest.refine(self.context, max_nodes=nodes)
            except ArgumentError:
                if forest.edges <= len(forest.viterbi()):
                    raise
                forest = forest.prune(max_edges=forest.edges // 2)


def _scaled(weights: Mapping[str, float]) -> dict[str, float]:
    if "PassThrough" in weights:
        raise ArgumentError("the weight of PassThrough is fixed", remedy="leave it out")
    scale = abs(weights.get("LanguageModel", 0.0))
    divisor = scale if scale >= _LEAST_MODEL else 1.0
    return {name: value / divisor for name, value in weights.items()} | {
        "PassThrough": PASS_THROUGH
    }
