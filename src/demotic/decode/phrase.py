"""The phrase-based decoder: target phrases from left to right, source phrases in any order.

    decoder = PhraseDecoder(rules, lm, {"LanguageModel": 0.5, "TargetGivenSource": 0.4, ...})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    print(derivation.tree())
    decoder.kbest("das haus ist klein .", 10)
    decoder.forest("das haus ist klein .").posteriors()

``further`` are language models beside the first one, each a feature under its name.
Rules are phrases: those of ``extract_hiero`` with ``HieroExtraction.phrases()``, or a phrase table
of another system; rules with nonterminals are passed over.  Columns named ``MonotonePrevious``,
``SwapPrevious``, ``OtherPrevious``, ``MonotoneNext``, ``SwapNext`` and ``OtherNext`` are
log-probabilities of orientations (lexicalised reordering).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from demotic import _core
from demotic.decode.core_decoder import MOST, CoreForestDecoder, check_positive, counted
from demotic.decode.decoder import Sentence
from demotic.decode.derivation import Derivation
from demotic.errors import ArgumentError, check_choices

if TYPE_CHECKING:
    from demotic.grammar import RuleTable
    from demotic.lm import FurtherModel, LanguageModel


@dataclass(frozen=True, kw_only=True)
class PhraseSearch:
    """How to search."""

    method: Literal["cube", "stack"] = "cube"
    """``cube`` takes the most promising ``pops`` of each stack; ``stack`` takes all and prunes."""
    pops: int = 200
    """Cells that cube pruning takes for each stack: more of them find better ones, slower."""
    stack: int = 200
    """Hypotheses kept of those that cover equally many words, the best by score and estimate."""
    threshold: float = 1e-5
    """Hypotheses whose weighted probability, with the estimate of what is left, is below this share
    of the best one's are dropped; 0 keeps all.  Cube pruning stops where promises fall below it."""
    distortion_limit: int = 6
    """Source words that a phrase may begin before or after the end of the last one; 0 translates in
    the source's order, -1 sets no limit."""
    table_limit: int = 20
    """Translations of each source phrase, the best by weighted score and language model."""
    reordering: bool = True
    """Use the orientations of a table that has them."""
    zones: bool = True
    """Keep together what stands between brackets, quotation marks or tags, and paragraphs apart."""
    max_hypotheses: int = 2_000_000
    """Hypotheses of one sentence; bounds memory.  Where a very long sentence would need more, each
    stack gets fewer."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_positive(self, "pops", "stack", "table_limit", "max_hypotheses")
        if self.distortion_limit < -1:
            raise ArgumentError("distortion_limit must be 0 or more", remedy="-1 sets no limit")
        if not 0 <= self.threshold <= 1:
            raise ArgumentError("threshold must be from 0 to 1")


@dataclass(frozen=True)
class PhraseCounters:
    """What the decoder did so far."""

    sentences: int
    shortened: int
    """Sentences so long that their distortion limit was lowered (to 64 words at least)."""
    options: int
    """Translations of the sentences' pieces."""
    grids: int
    """Hypotheses of one kind times translations of one piece."""
    pops: int
    """Cells of grids that became hypotheses, each scored by the language model."""
    discarded: int
    """Cells dropped before the language model saw them."""
    hypotheses: int
    recombined: int
    seconds: dict[str, float]
    """CPU time by phase: ``load`` (making the decoder ready), ``options``, ``search``."""


class PhraseDerivation(Derivation):
    """Phrases in target order; the columns of orientations count where they hold."""

    def scores_of(self, number: int) -> dict[str, float]:
        """Without the orientations that do not hold between this phrase and its neighbours."""
        scores = super().scores_of(number)
        if not number:
            return scores
        ends = [(0, 0), *((s.begin, s.end) for s in self.steps[1:]), (len(self.source),) * 2]
        before, here, after = ends[number - 1 : number + 2]
        kept = {f"{_orientation(before, here)}Previous", f"{_orientation(here, after)}Next"}
        return {name: value for name, value in scores.items() if name not in _PLACES - kept}


_PLACES = {f"{how}{side}" for how in ("Monotone", "Swap", "Other") for side in ("Previous", "Next")}


def _orientation(before: tuple[int, int], after: tuple[int, int]) -> str:
    """How a source span follows another."""
    if after[0] == before[1]:
        return "Monotone"
    return "Swap" if after[1] == before[0] else "Other"


class PhraseDecoder(CoreForestDecoder):
    """Translates lists of tokens; safe to share between threads."""

    KIND = PhraseDerivation

    rules: RuleTable
    _search: _core.PhraseDecoder

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        further: Sequence[FurtherModel] = (),
        classifiers: _core.WordChoices | None = None,
        options: PhraseSearch | None = None,
    ) -> None:
        begin = time.thread_time()
        options = options or PhraseSearch()
        self.rules, self.lm, self.options = rules, lm, options
        self.further = tuple(further)
        self.classifiers = classifiers
        own = [model.name for model in self.further]
        names = _core.phrase_feature_names(rules, own, classifiers is not None)
        self._use_weights(names, weights, rules)
        unlimited = options.distortion_limit == -1
        self._search = _core.PhraseDecoder(
            rules,
            lm,
            self._dense_weights,
            self._sparse_weights,
            self.further,
            self.classifiers,
            search=options.method,
            pops=min(options.pops, MOST),
            stack=min(options.stack, MOST),
            threshold=-math.log(options.threshold) if options.threshold else math.inf,
            distortion_limit=None if unlimited else min(options.distortion_limit, MOST - 1),
            table_limit=min(options.table_limit, MOST),
            reordering=options.reordering,
            max_hypotheses=options.max_hypotheses,
        )
        self._labels = tuple(self._search.labels)
        self._load_seconds = time.thread_time() - begin

    def with_weights(self, weights: Mapping[str, float]) -> PhraseDecoder:
        """The same decoder with other weights."""
        return PhraseDecoder(
            self.rules,
            self.lm,
            weights,
            further=self.further,
            classifiers=self.classifiers,
            options=self.options,
        )

    def future_cost(self, sentence: Sentence, begin: int, end: int) -> float:
        """The most that the words from ``begin`` to ``end`` can add, as the search estimates it.

        A piece within the sentence has at most ``distortion_limit`` words: no gap is longer.
        """
        tokens = sentence.split() if isinstance(sentence, str) else list(sentence)
        return self._search.future_cost(tokens, begin, end)

    @property
    def counters(self) -> PhraseCounters:
        """Work done since the decoder was made or :meth:`reset_counters` was called."""
        core = self._search.counters
        seconds = {
            "load": self._load_seconds,
            "options": core.option_seconds,
            "search": core.search_seconds,
        }
        return counted(PhraseCounters, core, seconds=seconds)

    def _lowered(self) -> str:
        return "distortion limit"
