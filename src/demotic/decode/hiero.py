"""The hierarchical decoder: CKY+ over a synchronous grammar, then cube pruning with an LM.

    decoder = HieroDecoder(rules, lm, {"LanguageModel": 0.5, "TargetGivenSource": 0.4, ...})
    derivation = decoder.decode("das haus ist klein .")
    print(derivation.text, derivation.score)
    print(derivation.tree())
    decoder.kbest("das haus ist klein .", 10)
    decoder.forest("das haus ist klein .").posteriors()

``further`` are language models beside the first one, each a feature under its name;
``classifiers`` of words (``transduce.words.load_words``) give features WordShare and WordCost.
Sentences are strings of tokens separated by spaces, or sequences of tokens.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from demotic import _core, files
from demotic.decode.core_decoder import MOST, CoreForestDecoder, check_positive, counted
from demotic.decode.decoder import Sentence
from demotic.decode.parsing import ParseOptions
from demotic.errors import ArgumentError
from demotic.progress import SILENT, Progress

if TYPE_CHECKING:
    from demotic.forest import Forest
    from demotic.grammar import RuleTable
    from demotic.lm import FurtherModel, LanguageModel


@dataclass(frozen=True, kw_only=True)
class HieroSearch(ParseOptions):
    """How to search; where the edges of a long sentence are too many, ``pops`` falls, too."""

    pops: int = 50
    """Candidates taken at each node of the forest: more of them find better ones, slower."""
    inner: float = 1.0
    """Share of ``pops`` that is taken at nodes of pieces, which glue and rules put together: they
    are most of the nodes, and need fewer candidates than the beginnings of the sentence."""
    init: Literal["eager", "lazy"] = "lazy"
    """``eager`` scores every rule with the language model; ``lazy`` those whose turn comes."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "pops")
        if not 0 < self.inner <= 1:
            raise ArgumentError("inner must be above 0, and at most 1")


DEFAULTS = HieroSearch()


@dataclass(frozen=True)
class HieroCounters:
    """What the decoder did so far."""

    sentences: int
    shortened: int
    """Sentences whose span limit was lowered to stay within ``max_edges``."""
    edges: int
    """Edges of the context-free forests."""
    pops: int
    lm_evaluations: int
    """Edges, with their tails' entries, that the language model has scored."""
    lm_words: int
    """Words of rules that it has looked up for them."""
    seconds: dict[str, float]
    """CPU time by phase: ``load`` (making the decoder ready), ``parse``, ``rescore``."""


class HieroDecoder(CoreForestDecoder):
    """Translates lists of tokens; safe to share between threads."""

    rules: RuleTable
    _search: _core.HieroDecoder

    def __init__(
        self,
        rules: RuleTable,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        further: Sequence[FurtherModel] = (),
        classifiers: _core.WordChoices | None = None,
        options: HieroSearch = DEFAULTS,
    ) -> None:
        begin = time.thread_time()
        self.rules, self.lm, self.options = rules, lm, options
        self.further = tuple(further)
        self.classifiers = classifiers
        own = [model.name for model in self.further]
        names = _core.hiero_feature_names(rules, own, classifiers is not None)
        self._use_weights(names, weights, rules)
        self._search = _core.HieroDecoder(
            rules,
            lm,
            self._dense_weights,
            self._sparse_weights,
            self.further,
            self.classifiers,
            pops=min(options.pops, MOST),
            inner_pops=min(math.ceil(options.pops * options.inner), MOST),
            init=options.init,
            span_limit=min(options.span_limit, MOST),
            max_edges=options.max_edges,
            glue=options.glue,
            goal=options.goal,
            default_category=options.default_category,
        )
        self._labels = tuple(self._search.labels)
        self._load_seconds = time.thread_time() - begin

    def with_weights(self, weights: Mapping[str, float]) -> HieroDecoder:
        """The same decoder with other weights."""
        return HieroDecoder(
            self.rules,
            self.lm,
            weights,
            further=self.further,
            classifiers=self.classifiers,
            options=self.options,
        )

    def parse(self, sentence: Sentence) -> Forest:
        """Every derivation of the grammar, scored without the language model."""
        return self.parses([sentence])[0]

    def parses(
        self, lines: Iterable[Sentence], *, threads: int = 1, progress: Progress = SILENT
    ) -> list[Forest]:
        """The context-free forest of each line."""
        from demotic.forest import Forest

        run = self._search.parses
        return [Forest(core) for _, core in self._each(lines, threads, progress, "parsing", run)]

    def without_composed(self, margin: float, *, out: str | Path) -> RuleTable:
        """The rules but for those that two others make up, for a score that is lower by ``margin``
        at most; of these others none is left out."""
        from demotic.grammar import RuleTable

        with files.atomic_path(out) as temporary:
            self._search.write_uncomposed(str(temporary), margin)
        return RuleTable.load(out)

    # -- what it did ----------------------------------------------------------------------------

    @property
    def counters(self) -> HieroCounters:
        """Work done since the decoder was made or :meth:`reset_counters` was called."""
        core = self._search.counters
        seconds = {
            "load": self._load_seconds,
            "parse": core.parse_seconds,
            "rescore": core.rescore_seconds,
        }
        return counted(HieroCounters, core, seconds=seconds)

    def _lowered(self) -> str:
        return self.options.lowered
