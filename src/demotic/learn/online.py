"""Learning from one part of the sentences after the other, for sets too large to go through often.

    learner = Online(start, method="adam", rate=0.01, l1=0.1)
    for part in parts:                                # streamed, or drawn
        learner.step(objective.evaluate(learner.weights, only=part).gradient, share=0.01)
    learner.weights

A step costs what the part's features cost.  Penalties are for a pass over all sentences; what they
take from a weight between two parts that have its feature is taken when the second one comes.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from demotic.errors import ArgumentError
from demotic.features.sparse import SparseVector
from demotic.forest.weights import Floats
from demotic.learn.objectives import Objective

_Ids: TypeAlias = NDArray[np.uint32] | NDArray[np.int64]
Method = Literal["adagrad", "adam"]
_MEAN, _SQUARE = 0.9, 0.999  # what Adam's means keep, a step
_TINY = 1e-12


class Online:
    """AdaGrad (Duchi et al. 2011) or Adam (Kingma and Ba 2015) on sparse gradients."""

    def __init__(
        self,
        start: Floats,
        *,
        method: Method = "adagrad",
        rate: float = 0.1,
        l1: float | Floats = 0.0,
        l2: float = 0.0,
        centre: Floats | None = None,
        free: NDArray[np.bool_] | None = None,
    ) -> None:
        """``l1`` |w| (a number for all features, or one for each) and ``l2`` / 2 (w - centre)^2 are
        what weights cost, a pass; those of features that are not ``free`` stay as they are."""
        if method not in ("adagrad", "adam"):
            raise ArgumentError(f"no such method: {method}", remedy="choose adagrad or adam")
        if not (0 < rate < np.inf and 0 <= l2 < np.inf and np.all(np.asarray(l1) >= 0)):
            raise ArgumentError("rate must be above 0, l1 and l2 must not be negative")
        self._weights = np.array(start, dtype=np.float64)
        size = len(self._weights)
        self._method, self._rate, self._l2 = method, rate, l2
        self._l1 = np.broadcast_to(np.asarray(l1, dtype=np.float64), (size,))
        self._centre = np.zeros(size) if centre is None else np.asarray(centre, dtype=np.float64)
        self._free = np.ones(size, np.bool_) if free is None else free
        self._mean = np.zeros(size if method == "adam" else 0)
        self._square = np.zeros(size)
        self._steps = np.zeros(size if method == "adam" else 0, np.int64)
        self._passed = 0.0  # passes so far, and where each weight has paid up to
        self._paid = np.zeros(size)

    @property
    def weights(self) -> Floats:
        """By feature id, all penalties paid; a copy."""
        self._pay(np.flatnonzero(self._square > 0))
        return self._weights.copy()

    def step(self, gradient: SparseVector, share: float = 1.0) -> None:
        """Go against the gradient of a part that has ``share`` of all sentences."""
        if not np.isfinite(gradient.values).all():
            bad = int(gradient.ids[~np.isfinite(gradient.values)][0])
            raise ArgumentError(
                f"the gradient of feature '{gradient.space.name(bad)}' is not finite",
                remedy="lower the rate",
            )
        trained = self._free[gradient.ids]
        ids, slope = gradient.ids[trained], gradient.values[trained]
        self._pay(ids)
        if self._method == "adagrad":
            self._square[ids] += slope * slope
            self._weights[ids] -= self._speed(ids) * slope
        else:
            self._steps[ids] += 1
            self._mean[ids] += (1 - _MEAN) * (slope - self._mean[ids])
            self._square[ids] += (1 - _SQUARE) * (slope * slope - self._square[ids])
            mean = self._mean[ids] / (1 - _MEAN ** self._steps[ids])
            self._weights[ids] -= self._speed(ids) * mean
        self._passed += share

    def _speed(self, ids: _Ids) -> Floats:
        """How far a weight goes for a gradient of 1."""
        square = self._square[ids]
        if self._method == "adam":
            square = square / (1 - _SQUARE ** np.maximum(self._steps[ids], 1))
        speed: Floats = self._rate / (np.sqrt(square) + _TINY)
        return np.where(square > 0, speed, 0.0)

    def _pay(self, ids: _Ids) -> None:
        """What penalties take from weights since they were paid last."""
        due: Floats = (self._passed - self._paid[ids]) * self._speed(ids)
        self._paid[ids] = self._passed
        if self._l2:
            apart = self._weights[ids] - self._centre[ids]
            self._weights[ids] = self._centre[ids] + apart * np.exp(-self._l2 * due)
        toll = self._l1[ids] * due
        if toll.any():
            weights = self._weights[ids]
            self._weights[ids] = np.sign(weights) * np.maximum(np.abs(weights) - toll, 0.0)


def learn_online(
    objective: Objective,
    learner: Online,
    *,
    passes: int = 5,
    batch: int = 50,
    rng: np.random.Generator,
    scale: float = 1.0,
    threads: int = 1,
) -> tuple[float, ...]:
    """Go through an objective's sentences in random order, ``batch`` at a time.

    The objective's value of each pass, summed over its parts as they came.
    """
    if passes < 0 or batch < 1:
        raise ArgumentError("passes must not be negative, batch must be at least 1")
    values = []
    for _ in range(passes):
        order = rng.permutation(len(objective)).astype(np.uint32)
        total, parts = 0.0, max(1, -(-len(order) // batch))
        for part in np.array_split(order, parts):
            if not len(part):
                continue
            slope = objective.evaluate(
                learner.weights, scale=scale, only=np.sort(part), threads=threads
            )
            learner.step(slope.gradient, len(part) / len(order))
            total += slope.value
        values.append(total)
    return tuple(values)
