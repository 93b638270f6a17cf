"""Exact line search: corpus BLEU along any direction, over lists and forests (Och 2003)."""

from __future__ import annotations

from collections.abc import Sequence
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


class LineSearch:
    """All hypotheses known so far for each sentence, and the BLEU of any weights on them.

    >>> from demotic.learn import KBestCandidates
    >>> search = LineSearch(["lm", "words"], 1)
    >>> right, wrong = [4, 3, 2, 1, 4, 3, 2, 1, 4, 4], [1, 0, 0, 0, 4, 3, 2, 1, 4, 4]
    >>> search.add([KBestCandidates([[-2.0, 4.0], [-1.0, 3.0]], [right, wrong])])
    2
    >>> search.steps(np.array([1.0, 0.0]), np.array([[0.0, 1.0]]))
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
        self._latest: list[Candidates] = []

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
        self._latest = list(candidates)
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
        for first in range(0, self._sentences, _SLICE):
            end = min(first + _SLICE, self._sentences)
            for sentence, texts in core.trace(first, end, self._threads):
                given = self._latest[sentence]
                assert isinstance(given, ForestCandidates)  # lists come with their statistics
                core.score(sentence, _scored(given, texts, sentence))
        return [LineStep(*step) for step in core.steps(_margin(weights), self._threads)]

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


def decoded_bleu(
    features: Sequence[str],
    candidates: Sequence[Candidates],
    weights: Floats,
    *,
    threads: int = 1,
) -> float:
    """Corpus BLEU of one decoding: of each sentence's best hypothesis under ``weights``."""
    search = LineSearch(features, len(candidates), threads=threads)
    search.add(candidates)
    return search.bleu(weights)


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
