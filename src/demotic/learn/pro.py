"""Pairwise ranking optimisation (Hopkins and May 2011): which of two hypotheses is better?

Of each sentence's list pairs are drawn, and those kept that differ most in the sentence's BLEU.  A
logistic regression learns to tell the better one of each by the difference of their features.  The
next weights lie between the present ones and those that it finds.

BLEU of single sentences is smoothed: one is added to matches and n-grams of every order.  That
gives short hypotheses more than they deserve, and tuning by it makes translations too short (Nakov
et al. 2012).  Of their remedies this is the grounded precision: what no match at all would have is
taken off.  (Another one, a reference that is a word longer, makes short sentences too long.)
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.weights import Floats
from demotic.learn.candidates import Statistics
from demotic.learn.known import Known
from demotic.learn.lbfgs import minimise
from demotic.learn.rounds import Optimum, Situation, TunerOptions, scaled


@dataclass(frozen=True, kw_only=True)
class ProOptions(TunerOptions):
    """Pairwise ranking optimisation: which pairs, and how far to follow them."""

    iterations: int = 20
    """Rounds of decoding and optimising, at most."""
    patience: int = 3
    """Tuning ends after so many rounds without a better decoding; 0 goes on."""
    samples: int = 5000
    """Pairs drawn from each sentence's list."""
    pairs: int = 50
    """Of these the ones that differ most in BLEU are learned from."""
    min_difference: float = 0.05
    """In BLEU from 0 to 1; pairs of a smaller difference are left out."""
    step: float = 0.2
    """The share of the way from the present weights to those of the regression."""
    l2: float = 1e-4
    """What it costs to be at a distance of 1 from where tuning began, beside the mean loss of a
    pair; twice as far costs four times as much."""
    strings: int = 100
    """Best strings that a round takes from a forest."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if min(self.samples, self.pairs, self.strings) < 1:
            raise ArgumentError("samples, pairs and strings must be at least 1")
        if not 0 < self.step <= 1:
            raise ArgumentError("step must be above 0 and at most 1")

    def _numbers(self) -> tuple[str, ...]:
        return ("samples", "pairs", "min_difference", "l2", "strings")

    def optimise(self, known: Known, at: Situation) -> Optimum:
        """Draw pairs and go some of the way to the weights that rank them best."""
        if known.has_forests:
            known.explore(at.weights, [0.0], self.strings)
        before = known.bleu(at.weights)
        pairs = self._pairs(known, at.rng)
        if not len(pairs):
            return Optimum(at.weights, before, 0.0, converged=True)
        found = ranking(pairs, at.weights, at.start, free=at.free, l2=self.l2)
        weights = at.weights + self.step * (scaled(found, at.weights) - at.weights)
        reached = known.bleu(weights)
        return Optimum(weights, reached, reached - before, converged=False)

    def _pairs(self, known: Known, rng: np.random.Generator) -> Floats:
        """The features of better hypotheses minus those of worse ones, a pair to a row."""
        off, features, statistics = known.lists()
        good = sentence_bleu(statistics)
        found = [np.zeros((0, features.shape[1]))]
        for first, end in pairwise(off.tolist()):
            better, worse = sampled_pairs(
                good[first:end], rng, samples=self.samples, pairs=self.pairs,
                min_difference=self.min_difference,
            )  # fmt: skip
            found.append(features[first:end][better] - features[first:end][worse])
        return np.concatenate(found)


def sentence_bleu(statistics: Statistics) -> Floats:
    """Smoothed and grounded BLEU of each row, 0 to 1."""
    matches, totals = statistics[:, :4], statistics[:, 4:8]
    words, reference = statistics[:, 8], statistics[:, 9]
    precision = np.prod((matches + 1) / (totals + 1), axis=1) ** 0.25
    ground = np.prod(1 / (totals + 1), axis=1) ** 0.25
    brevity = np.exp(np.minimum(0.0, 1 - reference / np.maximum(words, 1)))
    good: Floats = np.where(words > 0, brevity * (precision - ground), 0.0)
    return good


def sampled_pairs(
    good: Floats, rng: np.random.Generator, *, samples: int, pairs: int, min_difference: float
) -> tuple[np.ndarray, np.ndarray]:
    """The better and the worse hypotheses of the pairs that differ most among those drawn."""
    one, other = rng.integers(0, len(good), (2, samples))
    drawn = np.unique(np.minimum(one, other) * len(good) + np.maximum(one, other))
    one, other = drawn // len(good), drawn % len(good)
    difference = good[one] - good[other]
    far = np.flatnonzero((np.abs(difference) >= min_difference) & (difference != 0))
    chosen = far[np.argsort(-np.abs(difference[far]), kind="stable")[:pairs]]
    one, other, one_is_better = one[chosen], other[chosen], difference[chosen] > 0
    return np.where(one_is_better, one, other), np.where(one_is_better, other, one)


def ranking(pairs: Floats, weights: Floats, start: Floats, *, free: Floats, l2: float) -> Floats:
    """The minimum of mean log(1 + exp(-w.x)) + l2 |w - start|^2 over ``pairs`` x, from ``weights``.

    A pair and the same pair the other way round have the same loss: one of the two is enough.
    """
    # In units in which all features vary alike the minimum is found in a few steps.
    unit = 1 / np.maximum(np.sqrt((pairs * pairs).mean(axis=0)), 1e-6)
    unit[unit > 1e5] = 1.0  # no pair differs in it

    def objective(v: Floats) -> tuple[float, Floats]:
        w = v * unit
        margin = pairs @ w
        apart = (w - start) * free
        tail = np.exp(-np.abs(margin))
        loss = float((np.maximum(-margin, 0.0) + np.log1p(tail)).mean() + l2 * (apart @ apart))
        wrong = np.where(margin > 0, tail, 1.0) / (1 + tail)  # 1 / (1 + exp(margin))
        return loss, unit * free * (2 * l2 * apart - wrong @ pairs / len(pairs))

    found: Floats = unit * minimise(objective, weights / unit, tolerance=1e-7)
    return found
