"""What tuning knows: the hypotheses of all rounds, in lists and forests, and the BLEU of weights.

Line searches are exact: corpus BLEU along any direction (Och 2003), over forests too (Kumar et al.
2009).  Learners of other kinds explore forests for strings and learn from the lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError, DemoticError
from demotic.forest.envelope import MAX_SEGMENTS
from demotic.forest.weights import Floats
from demotic.learn.candidates import (
    Candidates,
    ForestCandidates,
    KBestCandidates,
    Statistics,
    statistics_rows,
)

_CORPUS = _core.BleuOptions(_core.BleuSmoothing.exp, 0.0, effective_order=False)
_SLICE = 64  # sentences per call of the core, between which Ctrl-C is heard


@dataclass(frozen=True)
class LineStep:
    """The best step along a direction: corpus BLEU is ``bleu`` for all x from ``low`` to ``high``.

    ``x`` is the middle of that interval; an end may be infinite.
    """

    x: float
    bleu: float
    low: float
    high: float


class Known:
    """All hypotheses known so far for each sentence, and the BLEU of any weights on them.

    >>> from demotic.learn import KBestCandidates
    >>> known = Known(["lm", "words"], 1)
    >>> right, wrong = [4, 3, 2, 1, 4, 3, 2, 1, 4, 4], [1, 0, 0, 0, 4, 3, 2, 1, 4, 4]
    >>> known.add([KBestCandidates([[-2.0, 4.0], [-1.0, 3.0]], [right, wrong])])
    2
    >>> known.steps(np.array([1.0, 0.0]), np.array([[0.0, 1.0]]))
    [LineStep(x=1.1, bleu=100.0..., low=1.0, high=inf)]
    """

    def __init__(
        self,
        features: Sequence[str],
        sentences: int,
        *,
        max_segments: int = MAX_SEGMENTS,
        threads: int = 1,
    ) -> None:
        self._core = _core.DevSet(sentences, list(features), max_segments)
        self._sentences = sentences
        self._threads = threads
        self.latest: list[Candidates] = []
        """What was added last, sentence by sentence."""

    def add(self, candidates: Sequence[Candidates]) -> int:
        """Merge lists into those there are, put forests in the place of those there are.

        The number of new hypotheses in lists.
        """
        if len(candidates) != self._sentences:
            raise ArgumentError(
                f"candidates for {len(candidates)} sentences of a dev set of {self._sentences}"
            )
        new = 0
        for sentence, given in enumerate(candidates):
            if isinstance(given, KBestCandidates):
                new += self._core.merge(sentence, given.features, given.statistics)
            else:
                self._core.set_forest(sentence, given.forest.core)
        self.latest = list(candidates)
        return new

    def bleu(self, weights: Floats, *, lists_only: bool = False) -> float:
        """Corpus BLEU, 0 to 100, of the hypotheses that are best under ``weights``."""
        nowhere = np.zeros((1, len(weights)))
        return self.steps(weights, nowhere, lists_only=lists_only)[0].bleu

    def steps(
        self, weights: Floats, directions: Floats, *, lists_only: bool = False
    ) -> list[LineStep]:
        """The best step from ``weights`` along each row of ``directions``.

        What is found in a forest joins the sentence's list; ``lists_only`` then searches much
        faster, and nearly the same around weights that were searched before.
        """
        core = self._core
        w, d = np.ascontiguousarray(weights), np.ascontiguousarray(directions)
        core.begin(w, d, not lists_only)
        self._by_slices(lambda first, end: core.trace(first, end, self._threads))
        return [LineStep(*step) for step in core.steps(_margin(weights), self._threads)]

    @property
    def has_forests(self) -> bool:
        """Is there more to find than what is in the lists?"""
        return any(isinstance(given, ForestCandidates) for given in self.latest)

    def aim(self, gain: Sequence[float]) -> None:
        """Let :meth:`explore` see linear BLEU in the forests; weights as of ``bleu_gain``."""
        order = len(gain) - 1
        for sentence, given in enumerate(self.latest):
            if isinstance(given, ForestCandidates):
                forest = given.forest.refine(order - 1)
                gains = forest.bleu_gain(given.references, gain)
                self._core.set_forest(sentence, forest.with_loss(-gains).core)

    def explore(self, weights: Floats, gains: Sequence[float], k: int) -> None:
        """Add the k best strings of each forest, for each of ``gains``, to the sentence's list.

        Best is what has the highest score plus so many times what :meth:`aim` counts.
        """
        w, g = np.ascontiguousarray(weights), np.array(gains, dtype=np.float64)
        self._by_slices(lambda first, end: self._core.explore(first, end, w, g, k, self._threads))

    def forget(self) -> None:
        """Of what came from forests keep what was best somewhere in the last :meth:`steps`."""
        self._core.forget()

    @property
    def hypotheses(self) -> int:
        """The number of hypotheses in all lists."""
        return int(self._core.hypotheses)

    @property
    def truncated(self) -> int:
        """In how many sentences a forest's envelope reached the cap on segments last time."""
        return int(self._core.truncated)

    def lists(self) -> tuple[NDArray[np.uint64], Floats, Statistics]:
        """All lists, one after the other: borders of sentences, features, statistics."""
        off, features, statistics = self._core.lists()
        return np.asarray(off), np.asarray(features), np.asarray(statistics)

    def restore(self, off: NDArray[np.uint64], features: Floats, statistics: Statistics) -> None:
        """Take over what :meth:`lists` gave."""
        if len(off) != self._sentences + 1:
            raise ArgumentError(f"lists of {len(off) - 1} sentences instead of {self._sentences}")
        for sentence, (a, b) in enumerate(pairwise(off)):
            self._core.merge(sentence, features[a:b], statistics[a:b])

    def _by_slices(self, search: Callable[[int, int], list[tuple[int, list[str]]]]) -> None:
        """Search a few sentences at a time and score the texts that forests come up with."""
        for first in range(0, self._sentences, _SLICE):
            for sentence, texts in search(first, min(first + _SLICE, self._sentences)):
                given = self.latest[sentence]
                assert isinstance(given, ForestCandidates)  # lists come with their statistics
                self._core.score(sentence, _scored(given, texts, sentence))


def corpus_bleu(statistics: Statistics) -> float:
    """BLEU, 0 to 100, as line searches compute it, of the statistics of a corpus, a single row."""
    return float(_core.bleu_scores(statistics, _CORPUS)[0])


def decoded_bleu(
    features: Sequence[str],
    candidates: Sequence[Candidates],
    weights: Floats,
    *,
    threads: int = 1,
) -> float:
    """Corpus BLEU of one decoding: of each sentence's best hypothesis under ``weights``."""
    known = Known(features, len(candidates), threads=threads)
    known.add(candidates)
    return known.bleu(weights)


def _margin(weights: Floats) -> float:
    """How far to go beyond the last breakpoint: weights only matter up to a factor."""
    return 0.1 * float(np.linalg.norm(weights)) or 1.0


def _scored(given: ForestCandidates, texts: list[str], sentence: int) -> Statistics:
    try:
        rows = statistics_rows(given.statistics(texts))
    except DemoticError as error:
        error.message = f"sentence {sentence + 1}: {error.message}"
        raise
    return rows
