"""Forests to learn from, with what their derivations count: the ground under minimum risk.

    examples = RiskSet(space, columns=5)
    for forest, references in dev:
        examples.add(*with_bleu_counts(forest, references))
    now = examples.expect(weights)                    # E[counts], summed over the forests
    slope = examples.slope([-g for g in linear_bleu()])
    slope.value, slope.gradient

``slope`` differentiates a weighted sum of expected counts.  Any function of them, corpus BLEU for
one, has its gradient by the weights when its derivatives by the counts are the ``gain``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demotic import _core
from demotic._core import FeatureSpace
from demotic.features.sparse import SparseVector
from demotic.forest import Forest
from demotic.forest.weights import Floats, Weights, weight_array

ORDER = 4
"""Of the n-grams of BLEU."""
_ALL = np.zeros(0, np.uint32)


@dataclass(frozen=True, eq=False)
class Expected:
    """What derivations count on average, under p(d) proportional to exp(scale w . f(d)).

    All of it is times the weights of forests.
    """

    log_z: float
    """Summed over the forests."""
    counts: Floats
    """By column, summed over the forests."""
    each: Floats
    """Of single forests: forests x columns."""


@dataclass(frozen=True, eq=False)
class Slope:
    """A value and its derivatives by the weights and by their common scale."""

    value: float
    gradient: SparseVector
    scale_gradient: float


class RiskSet:
    """Forests of one feature space, each edge with ``columns`` counts.

    The same numbers come out for any number of threads.
    """

    def __init__(self, space: FeatureSpace, columns: int = 1) -> None:
        self._core = _core.RiskSet(space, columns)
        self.space = space

    def add(
        self, forest: Forest, counts: NDArray[np.float32] | None = None, *, weight: float = 1.0
    ) -> None:
        """A forest with its counts, edges x columns; without them its ``loss`` is the one column.

        It must have the features of the set's space.  All sums over forests count it ``weight``
        times.
        """
        if counts is None:
            counts = forest.loss[:, None]
        self._core.add(forest.core, np.ascontiguousarray(counts, dtype=np.float32), weight)

    def __len__(self) -> int:
        """The number of forests."""
        return int(self._core.size)

    @property
    def weight(self) -> float:
        """The sum of the forests' weights: their number, unless some count more or less."""
        return float(self._core.weight)

    @property
    def edges(self) -> int:
        """Of all forests."""
        return int(self._core.edges)

    @property
    def columns(self) -> int:
        """Counts of an edge."""
        return int(self._core.columns)

    def features(self) -> NDArray[np.uint32]:
        """The ids of features that a forest has, ascending."""
        return np.asarray(self._core.features())

    def support(
        self, ids: NDArray[np.uint32], groups: Sequence[int] | None = None
    ) -> NDArray[np.uint32]:
        """In how many forests each of these features is; those of one group count as one."""
        given = np.arange(len(self)) if groups is None else np.asarray(groups)
        return np.asarray(
            self._core.support(
                np.ascontiguousarray(ids, dtype=np.uint32),
                np.ascontiguousarray(given, dtype=np.uint32),
            )
        )

    def expect(
        self,
        weights: Weights,
        *,
        scale: float = 1.0,
        only: Sequence[int] | NDArray[np.uint32] | None = None,
        threads: int = 1,
    ) -> Expected:
        """Expected counts of the forests in ``only``, or of all.

        :meth:`slope` and :meth:`expected_features` are of the same forests and weights then.
        """
        array = weight_array(self.space, weights)
        chosen = _ALL if only is None else np.ascontiguousarray(only, dtype=np.uint32)
        return Expected(*self._core.expect(array, scale, chosen, threads))

    def slope(
        self, gain: Sequence[float] | Floats, *, temperature: float = 0.0, threads: int = 1
    ) -> Slope:
        """F = E[gain . counts] - temperature * H, summed over the forests, and its derivatives."""
        given = np.ascontiguousarray(gain, dtype=np.float64)
        value, gradient, slope = self._core.slope(given, temperature, threads)
        return Slope(value, SparseVector(self.space, *gradient), slope)

    def expected_features(self, *, threads: int = 1) -> SparseVector:
        """E[f(d)], summed over the forests."""
        return SparseVector(self.space, *self._core.expected_features(threads))


def with_bleu_counts(
    forest: Forest, references: Sequence[Sequence[str]], order: int = ORDER
) -> tuple[Forest, NDArray[np.float32]]:
    """A forest and its counts of words and of n-grams that are in a reference.

    Where derivations of a node do not agree on their boundary words, the node is split.
    """
    refined = forest.refine(order - 1)
    return refined, refined.bleu_counts(references, order)
