"""Weights from all roll-outs seen so far, and the best of those that were tried.

The paper's update adds up differences of features, each once and then forgotten.  Features of a
derivation differ in size and go together (two lexical weights say much the same), so their sum
points where features vary most, not where the reward is; and of two ends of equal quality the
alternative has, by its making, the lower score, so who learns from better ones alone unlearns.

Here every alternative is kept with its difference D and its gain, better or worse.  After each
epoch weights are sought under which coins with the odds of the scores would gain most,

    J(w) = sum gain / (1 + exp(-w·D / temperature)),

uphill from the present ones, and the weights go a share of the way there.  Lengths are measured by
the differences themselves, so that features of any size or company learn alike; only the direction
of weights matters to a policy, and their length stays.  Weights do not change within an epoch, so
its mean reward is what they are worth: the best ones are the result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from demotic.forest.weights import Floats

_RIDGE = 1e-3
"""Of each feature's own variance: features that always go together share what they earn."""

_ROUNDING = 1e-20
"""Of the largest variance; less is no difference at all."""

_FADED = 0.01
"""Differences that count less are forgotten."""

_CLIMBS = 200
_FIRST_STEP, _LAST_STEP = 0.3, 1e-4


class Replay:
    """Differences and gains, the older the less they count; and the weights that did best."""

    def __init__(self, start: Floats, *, keep: float, temperature: float) -> None:
        """What was seen counts ``keep`` times as much after each epoch."""
        self.differences = np.empty((0, len(start)))
        self.gains = np.empty(0)
        self.counts = np.empty(0)
        self.best = start.copy()
        """The weights with the highest mean reward so far."""
        self.reward = -math.inf
        self._keep, self._temperature = keep, temperature
        self._new: list[tuple[Floats, float]] = []

    def see(self, difference: Floats, gain: float) -> None:
        """One alternative: its features minus those of what was taken, and by how much it is
        better."""
        self._new.append((difference, gain))

    def judge(self, weights: Floats, reward: float) -> None:
        """These weights have this mean reward."""
        if reward > self.reward:
            self.best, self.reward = weights.copy(), reward

    def step(self, weights: Floats, rate: float) -> Floats:
        """An epoch ends: the change of its weights."""
        self._take_in()
        change = self._change(weights, rate)
        self.counts *= self._keep
        return change

    def to_arrays(self) -> dict[str, Floats]:
        """All there is to know between two epochs."""
        return {
            "differences": self.differences,
            "gains": self.gains,
            "counts": self.counts,
            "best": np.append(self.best, self.reward),
        }

    def restore(self, arrays: Mapping[str, Floats]) -> None:
        """Put back what :meth:`to_arrays` gave; a ValueError where that cannot be."""
        rows, size = len(arrays["gains"]), self.differences.shape[1]
        wanted = {"differences": (rows, size), "gains": (rows,), "counts": (rows,)}
        for name, shape in {**wanted, "best": (size + 1,)}.items():
            array = arrays[name]
            if array.shape != shape or array.dtype != np.float64 or not np.isfinite(array).all():
                raise ValueError(f"its {name} are not what they were")
        self.differences, self.gains = arrays["differences"], arrays["gains"]
        self.counts, self.best = arrays["counts"], arrays["best"][:-1]
        self.reward = float(arrays["best"][-1])

    def _take_in(self) -> None:
        if self._new:
            self.differences = np.vstack([self.differences, *(new for new, _ in self._new)])
            self.gains = np.append(self.gains, [gain for _, gain in self._new])
            self.counts = np.append(self.counts, np.ones(len(self._new)))
            self._new.clear()
        kept = self.counts >= _FADED
        self.differences = self.differences[kept]
        self.gains, self.counts = self.gains[kept], self.counts[kept]

    def _change(self, weights: Floats, rate: float) -> Floats:
        change = np.zeros_like(weights)
        # Fixed features never differ, and those that telescope only by rounding.
        variance = np.einsum("n,ni,ni->i", self.counts, self.differences, self.differences)
        free = np.flatnonzero(variance > _ROUNDING * variance.max(initial=0.0))
        if not len(free):
            return change
        scale = np.sqrt(variance[free] / self.counts.sum())
        differences = self.differences[:, free] / scale
        metric = np.einsum("n,ni,nj->ij", self.counts, differences, differences)
        metric = metric / self.counts.sum() + _RIDGE * np.eye(len(free))
        root = np.linalg.cholesky(metric)
        # In these coordinates the metric is 1: leads are as long as directions are.
        turned = np.einsum("ni,ji->nj", differences, np.linalg.inv(root))
        place = root.T @ (weights[free] * scale)
        length = float(np.linalg.norm(place))
        pairs = _Pairs(turned / self._temperature, self.counts * self.gains)
        start = place / length if length else _unit(pairs.slope(np.zeros(len(free))))
        if start is None:
            return change
        found = start + rate * (pairs.climb(start) - start) if length else start
        found *= (length or 1.0) / float(np.linalg.norm(found))
        change[free] = np.linalg.solve(root.T, found) / scale - weights[free]
        return change


class _Pairs:
    """What directions gain, by coins with the odds of the scores.

    Sums are einsum's: BLAS would add in an order that depends on the number of cores.
    """

    def __init__(self, leads: Floats, gains: Floats) -> None:
        self._leads, self._gains = leads, gains

    def gain(self, direction: Floats) -> float:
        return float(np.sum(self._gains * self._odds(direction)))

    def slope(self, direction: Floats) -> Floats:
        odds = self._odds(direction)
        return np.asarray(np.einsum("n,ni->i", self._gains * odds * (1 - odds), self._leads))

    def _odds(self, direction: Floats) -> Floats:
        leads = np.einsum("ni,i->n", self._leads, direction)
        return np.asarray(1 / (1 + np.exp(-np.clip(leads, -50, 50))))

    def climb(self, direction: Floats) -> Floats:
        """Uphill among directions of length 1, until no step gains."""
        step, here = _FIRST_STEP, self.gain(direction)
        for _ in range(_CLIMBS):
            slope = self.slope(direction)
            uphill = _unit(slope - direction * (direction @ slope))
            if uphill is None:
                break
            while step > _LAST_STEP:
                there = direction + step * uphill
                there /= np.linalg.norm(there)
                gain = self.gain(there)
                if gain > here:
                    break
                step /= 2
            else:
                break
            direction, here = there, gain
            step *= 1.5
        return direction


def _unit(vector: Floats) -> Floats | None:
    length = float(np.linalg.norm(vector))
    return vector / length if 0 < length < math.inf else None
