"""Batch MIRA (Cherry and Foster 2012): large margins between good and bad hypotheses.

A pass visits every sentence once.  Its hope is the hypothesis that scores high and is good, its
fear the one that scores high and is bad; the weights move until the hope is ahead by as much as it
is better in BLEU, or as far as ``c`` allows.  Of the mean weights after each pass those are taken
that choose the best from what is known (``core/learn/mira.h``).

In a forest hopes and fears are found by a linear BLEU, which the forest's edges add up to.  They
join the sentences' lists, on which the passes run, and are looked for again with the weights that
come out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demotic import _core
from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.candidates import Statistics
from demotic.learn.known import Known, corpus_bleu
from demotic.learn.rounds import Optimum, Situation, TunerOptions

ORDER = 4
"""Of the n-grams of BLEU."""


@dataclass(frozen=True, kw_only=True)
class MiraOptions(TunerOptions):
    """Batch MIRA: how far and how often weights move."""

    patience: int = 3
    """Tuning ends after so many rounds without a better decoding; 0 goes on."""
    c: float = 0.01
    """The longest step, in differences of features; smaller ones stay nearer to the weights that a
    round begins with."""
    decay: float = 0.999
    """What a sentence counts in the background of BLEU after the next one."""
    passes: int = 60
    """Over the sentences, in each round."""
    min_gain: float = 0.01
    """In BLEU points: a round of smaller gain on what is known ends tuning."""
    l2: float = 0.0
    """The share of its way back to where tuning began that a weight goes after each sentence."""
    searches: int = 5
    """Times that a round looks for hopes and fears in forests."""
    strings: int = 10
    """Hopes, fears and best strings that each search takes from a forest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.decay <= 1 and self.l2 <= 1):
            raise ArgumentError("decay and l2 are at most 1")
        if min(self.passes, self.searches, self.strings) < 1:
            raise ArgumentError("passes, searches and strings must be at least 1")

    def _numbers(self) -> tuple[str, ...]:
        return ("c", "decay", "passes", "min_gain", "l2", "searches", "strings")

    def optimise(self, known: Known, at: Situation) -> Optimum:
        """Learn from the lists; where there are forests, look for more and learn again."""
        weights = _beginning(known, at)
        if known.has_forests:
            known.explore(weights, [0.0], self.strings)
            chosen = self._learner(known, weights, at).best_statistics(weights, at.threads)
            known.aim(bleu_gain(chosen))
        for _ in range(self.searches if known.has_forests else 1):
            if known.has_forests:
                known.explore(weights, [-1.0, 0.0, 1.0], self.strings)
            weights = self._best_pass(self._learner(known, weights, at), weights, at)
        before, reached = known.bleu(at.weights), known.bleu(weights)
        gain = reached - before
        if gain < self.min_gain or gain <= 0:
            return Optimum(at.weights, before, 0.0, converged=True)
        return Optimum(weights, reached, gain, converged=False)

    def _learner(self, known: Known, weights: Floats, at: Situation) -> _core.Mira:
        free = at.free > 0
        return _core.Mira(*known.lists(), weights, at.start, free, self.c, self.decay, self.l2)

    def _best_pass(self, learner: _core.Mira, weights: Floats, at: Situation) -> Floats:
        """The mean weights after the best pass, or the weights before if these are better."""
        best, highest = weights, corpus_bleu(learner.best_statistics(weights, at.threads))
        for _ in range(self.passes):
            learner.run(at.rng.permutation(learner.sentences).astype(np.uint32))
            mean = np.asarray(learner.mean())
            bleu = corpus_bleu(learner.best_statistics(mean, at.threads))
            if bleu > highest:
                best, highest = mean, bleu
        return best


def _beginning(known: Known, at: Situation) -> Floats:
    """The present weights, or those that decoded best if they choose better from what is known.

    Weights that led decoding astray are too far off for small steps to lead back.
    """
    if not at.rounds:
        return at.weights
    earlier = max(at.rounds, key=lambda this: this.decoded.judged)
    weights = np.array([*earlier.weights.values()])
    return weights if known.bleu(weights) > known.bleu(at.weights) else at.weights


def bleu_gain(statistics: Statistics) -> tuple[float, ...]:
    """Linear BLEU around a corpus: what a word, and an n-gram of a reference, add to it.

    It is the derivative of BLEU (0 to 1) times the reference length, so that gains are in words as
    those of :class:`MiraOptions` are.
    """
    row = statistics.reshape(-1)
    matches, totals = np.maximum(row[:ORDER], 1), np.maximum(row[ORDER : 2 * ORDER], 1)
    words, reference = float(max(row[-2], 1)), float(row[-1])
    worth = corpus_bleu(statistics) / 100 * reference
    longer = reference / words**2 if words < reference else 0.0
    word = worth * (longer - float((1 / totals).sum()) / ORDER)
    return (word, *(worth / (ORDER * matches)).tolist())
