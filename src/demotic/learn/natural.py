"""Steps along the natural gradient of the reward (Kakade 2001; Peters and Schaal 2008).

The paper's update adds up differences of features.  Features of a derivation differ in size and go
together (two lexical weights say much the same), so their sum points where features vary most, not
where the reward is.  Here gains are regressed on differences instead,

    v = argmin  sum (gain - v·D)^2,

and the weights turn towards v: features of any size or company learn alike, and alternatives that
are worse teach as much as those that are better.  Only the direction of the weights matters to a
policy, so their length stays what it was.
"""

from __future__ import annotations

import math

import numpy as np

from demotic.forest.weights import Floats

_RIDGE = 1e-3
"""Of each feature's own variance: features that always go together share what they earn."""

_ROUNDING = 1e-20
"""Of the largest variance; less is no difference at all."""


class NaturalSteps:
    """Moments of differences and gains, the older the less they count, and the steps from them."""

    def __init__(self, size: int, *, batch: int, memory: float) -> None:
        """A step is due after each ``batch`` of examples; moments fade by ``memory`` with it."""
        self.covariance = np.zeros((size, size))
        self.gradient = np.zeros(size)
        self.examples = 0
        self._batch, self._memory = batch, memory

    def see(self, difference: Floats, gain: float) -> None:
        """One alternative: its features minus those of what was taken, and by how much it is
        better."""
        self.covariance += np.outer(difference, difference)
        self.gradient += gain * difference

    def step(self, weights: Floats, rate: float) -> Floats | None:
        """An example ends: the change of the weights, if a step is due."""
        self.examples += 1
        if self.examples % self._batch:
            return None
        change = self._change(weights, rate)
        self.covariance *= self._memory
        self.gradient *= self._memory
        return change

    def _change(self, weights: Floats, rate: float) -> Floats | None:
        change = np.zeros_like(weights)
        # Fixed features never differ, and those that telescope only by rounding.
        variance = np.diagonal(self.covariance)
        free = np.flatnonzero(variance > _ROUNDING * variance.max(initial=0.0))
        if not len(free) or not np.isfinite(self.covariance).all():
            return None
        metric = self.covariance[np.ix_(free, free)]
        metric = metric + _RIDGE * np.diag(np.diagonal(metric))
        towards: Floats = np.linalg.solve(metric, self.gradient[free]).astype(np.float64)
        long, wanted = _length(towards, metric), _length(weights[free], metric)
        if not 0 < long < math.inf:
            return None
        # From weights of 0 the first step decides on the length: that of a difference.
        scale = (wanted or 1.0) / long
        change[free] = rate * (scale * towards - weights[free])
        return change


def _length(vector: Floats, metric: Floats) -> float:
    return math.sqrt(max(0.0, float(vector @ metric @ vector)))
