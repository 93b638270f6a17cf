"""What is minimised over forests: linear risk, expected BLEU, or the likelihood of right ones.

    objective = ExpectedBleu(examples, reference_lengths)
    slope = objective.evaluate(weights, threads=2)
    slope.value, slope.gradient

All are functions of weights by feature id, summed over sentences, with their gradients.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from demotic._core import FeatureSpace
from demotic.errors import ArgumentError
from demotic.forest import Forest
from demotic.forest.many import joined_space
from demotic.forest.ngrams import linear_bleu
from demotic.forest.weights import Floats
from demotic.learn.risk_set import ORDER, RiskSet, Slope

Chosen: TypeAlias = Sequence[int] | NDArray[np.uint32] | None
"""Numbers of sentences; None: all."""

_FLOOR = 0.3
"""Of the precision of words and the ratio of precisions that linear BLEU is estimated with."""
_SHARP = 100.0
"""How quickly the brevity penalty of expected BLEU sets in: at equal lengths it is ln 2 / 100."""
_LEAST = 0.1
"""Matches of an order below which BLEU is as if there were so many, a corpus."""


class Objective(Protocol):
    """A function of weights to be minimised, a sum over sentences or nearly so."""

    @property
    def space(self) -> FeatureSpace:
        """Of the weights."""

    def __len__(self) -> int:
        """The number of sentences."""

    def features(self) -> NDArray[np.uint32]:
        """The ids of features that matter, ascending."""

    def evaluate(
        self,
        weights: Floats,
        *,
        scale: float = 1.0,
        temperature: float = 0.0,
        only: Chosen = None,
        threads: int = 1,
    ) -> Slope:
        """The value at some weights, of the sentences ``only``, with its derivatives.

        ``temperature`` times the entropy of derivations is taken off.
        """


class _OfForests:
    """What is the same of all that is summed over the forests of a set."""

    def __init__(self, examples: RiskSet) -> None:
        self.examples = examples
        self.space = examples.space

    def __len__(self) -> int:
        return len(self.examples)

    def features(self) -> NDArray[np.uint32]:
        """Of all forests."""
        return self.examples.features()


class LinearRisk(_OfForests):
    """The expected loss -gain . counts; for forests with a ``loss``, one column, gain is (-1,)."""

    def __init__(self, examples: RiskSet, gain: Sequence[float] | None = None) -> None:
        super().__init__(examples)
        self.gain = np.array(linear_bleu() if gain is None else gain, dtype=np.float64)
        if len(self.gain) != examples.columns:
            raise ArgumentError(f"{len(self.gain)} gains for {examples.columns} counts")

    def evaluate(
        self,
        weights: Floats,
        *,
        scale: float = 1.0,
        temperature: float = 0.0,
        only: Chosen = None,
        threads: int = 1,
    ) -> Slope:
        """Risk."""
        self.examples.expect(weights, scale=scale, only=only, threads=threads)
        return self.examples.slope(-self.gain, temperature=temperature, threads=threads)


class ExpectedBleu(_OfForests):
    """-BLEU of the expected counts of a corpus, times its reference words (Rosti et al. 2010).

    The counts are words and matches of n = 1-4.  An n-gram of a hypothesis is there n - 1 times
    less than a word in each sentence.  The brevity penalty is smooth.  A forest that counts more
    than once has so many times its reference's length.
    """

    def __init__(self, examples: RiskSet, reference_lengths: Sequence[float]) -> None:
        if examples.columns != ORDER + 1:
            raise ArgumentError(f"expected BLEU needs {ORDER + 1} counts, not {examples.columns}")
        if len(reference_lengths) != len(examples):
            raise ArgumentError(
                f"{len(reference_lengths)} reference lengths for {len(examples)} forests"
            )
        super().__init__(examples)
        self._lengths = np.array(reference_lengths, dtype=np.float64)
        if len(self._lengths) and not (np.isfinite(self._lengths) & (self._lengths >= 0)).all():
            raise ArgumentError("reference lengths are numbers from 0 up")
        self._latest: Floats | None = None  # counts of each forest, as expected last

    def evaluate(
        self,
        weights: Floats,
        *,
        scale: float = 1.0,
        temperature: float = 0.0,
        only: Chosen = None,
        threads: int = 1,
    ) -> Slope:
        """Of a part of the sentences: BLEU of all, the others as they were expected last."""
        if only is not None and self._latest is None:
            self._latest = self.examples.expect(weights, scale=scale, threads=threads).each
        now = self.examples.expect(weights, scale=scale, only=only, threads=threads)
        if only is None or self._latest is None:
            self._latest = now.each.copy()
        else:
            self._latest[np.asarray(only)] = now.each
        counts = now.counts if only is None else self._latest.sum(axis=0)
        value, by_counts = expected_bleu(counts, float(self._lengths.sum()), self.examples.weight)
        slope = self.examples.slope(by_counts, temperature=temperature, threads=threads)
        # Of the linear value only the entropy's part is wanted.
        entropy = slope.value - float(by_counts @ now.counts)
        return Slope(value + entropy, slope.gradient, slope.scale_gradient)


def expected_bleu(counts: Floats, reference: float, sentences: float) -> tuple[float, Floats]:
    """-BLEU of (words, matches of n = 1-4) times the reference's words; derivatives by counts."""
    words = max(float(counts[0]), 1e-3)
    gaps = sentences * np.arange(ORDER)
    totals = np.maximum(words - gaps, 0.1 * words)  # short sentences have no gaps to leave out
    in_gaps = np.where(words - gaps > 0.1 * words, 1.0, 0.1)
    matches = np.maximum(counts[1:], _LEAST)
    ratio = reference / words - 1.0
    # -log(1 + exp(sharp x)) / sharp: 0 below x = 0, -x above it
    penalty = -float(np.logaddexp(0.0, _SHARP * ratio)) / _SHARP
    steep = 1.0 / (1.0 + math.exp(-max(min(_SHARP * ratio, 700.0), -700.0)))
    value = -reference * math.exp(penalty + float(np.log(matches / totals).mean()))
    by_words = steep * reference / words**2 - float((in_gaps / totals).mean())
    by_matches = np.where(counts[1:] > _LEAST, 1.0 / (ORDER * matches), 0.0)
    return value, value * np.concatenate([[by_words], by_matches])


class Likelihood(_OfForests):
    """-log p of the right derivations among all: log Z(all) - log Z(right)."""

    def __init__(
        self,
        forests: Sequence[Forest],
        right: Sequence[Forest],
        weights: Sequence[float] | None = None,
    ) -> None:
        """``weights`` say how often each sentence counts."""
        if len(forests) != len(right):
            raise ArgumentError(f"{len(forests)} forests and {len(right)} of right derivations")
        often = [1.0] * len(forests) if weights is None else weights
        super().__init__(RiskSet(joined_space([*forests, *right])))
        self._right = RiskSet(self.space)
        for examples, given in ((self.examples, forests), (self._right, right)):
            for forest, weight in zip(given, often, strict=True):
                own = forest if forest.space is self.space else forest.in_space(self.space)
                examples.add(own, weight=weight)

    def evaluate(
        self,
        weights: Floats,
        *,
        scale: float = 1.0,
        temperature: float = 0.0,
        only: Chosen = None,
        threads: int = 1,
    ) -> Slope:
        """The entropy is that of all derivations."""
        everything = self.examples.expect(weights, scale=scale, only=only, threads=threads)
        right = self._right.expect(weights, scale=scale, only=only, threads=threads)
        features = self.examples.expected_features(threads=threads)
        gradient = features - self._right.expected_features(threads=threads)
        by_scale = float(gradient.values @ weights[gradient.ids])
        gradient = gradient * scale
        value = everything.log_z - right.log_z
        if temperature:
            cooled = self.examples.slope([0.0], temperature=temperature, threads=threads)
            value += cooled.value
            gradient = gradient + cooled.gradient
            by_scale += cooled.scale_gradient
        return Slope(value, gradient, by_scale)


def estimated_gain(statistics: ArrayLike) -> tuple[tuple[float, ...], bool]:
    """Linear BLEU's weights for a corpus of these BLEU statistics, in units of a word.

    From the precision of words and the mean ratio of an order's precision to that before; true if
    one is below its floor of 0.3, where usual values stand in for both.
    """
    row = np.asarray(statistics, dtype=np.float64).reshape(-1, 2 * ORDER + 2).sum(axis=0)
    precision = row[:ORDER] / np.maximum(row[ORDER : 2 * ORDER], 1)
    first = float(precision[0])
    if precision[:-1].min() <= 0:
        return linear_bleu(), True
    ratio = float((precision[1:] / precision[:-1]).mean())
    if first < _FLOOR or ratio < _FLOOR:
        return linear_bleu(), True
    return linear_bleu(min(first, 1.0), min(ratio, 1.0)), False
