"""Hill climbing with exact line searches: the best step of many directions, until none gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demotic.forest.weights import Floats
from demotic.learn.known import Known
from demotic.learn.rounds import scaled


@dataclass(frozen=True, eq=False)
class Point:
    """Weights, their corpus BLEU on the hypotheses known, and what it costs to be there."""

    weights: Floats
    bleu: float
    cost: float = 0.0

    @property
    def worth(self) -> float:
        """What climbs go for."""
        return self.bleu - self.cost


@dataclass(frozen=True, eq=False)
class Climber:
    """Climbs along the axes and random directions; ``free`` is 1 for features that may change.

    To move the weights from ``anchor`` costs ``l2`` BLEU points times the square of the distance,
    in lengths of ``anchor``; a factor common to all weights is no distance.
    """

    known: Known
    free: Floats
    random_directions: int
    min_gain: float
    rng: np.random.Generator
    anchor: Floats | None = None
    l2: float = 0.0

    def point(self, weights: Floats, *, lists_only: bool = False) -> Point:
        """Where weights are."""
        return self._at(weights, self.known.bleu(weights, lists_only=lists_only))

    def climb(self, start: Floats) -> Point:
        """Until no step on all that is known gains.

        Between two searches of forests the lists that these searches filled are climbed alone.
        """
        here = self.point(start)
        while (there := self._step(here, lists_only=False)) is not None:
            end = self.point(self.climb_lists(there.weights).weights)
            here = end if end.worth > there.worth else there
        return here

    def climb_lists(self, start: Floats) -> Point:
        """Until no step on the lists gains."""
        here = self.point(start, lists_only=True)
        while (there := self._step(here, lists_only=True)) is not None:
            here = there
        return here

    def directions(self) -> Floats:
        """The axes of free features, then random directions of length 1, one to a row."""
        axes = np.diag(self.free)[self.free > 0]
        drawn = self.rng.standard_normal((self.random_directions, len(self.free))) * self.free
        lengths = np.linalg.norm(drawn, axis=1, keepdims=True)
        return np.vstack([axes, drawn / np.where(lengths > 0, lengths, 1.0)])

    def random_point(self, near: Floats) -> Floats:
        """As far from ``near`` as ``near`` itself is from 0, each feature on its own scale."""
        size = np.abs(near)
        scale = np.maximum(size, size.mean() or 1.0)
        return near + self.free * scale * self.rng.standard_normal(len(near))

    def _at(self, weights: Floats, bleu: float) -> Point:
        if self.l2 == 0 or self.anchor is None:
            return Point(weights, bleu)
        apart = scaled(weights, self.anchor) - self.anchor
        return Point(weights, bleu, self.l2 * float(apart @ apart / (self.anchor @ self.anchor)))

    def _step(self, here: Point, *, lists_only: bool) -> Point | None:
        ways = self.directions()
        steps = self.known.steps(here.weights, ways, lists_only=lists_only)
        ends = [
            self._at(here.weights + step.x * way, step.bleu)
            for step, way in zip(steps, ways, strict=True)
        ]
        for end in sorted(ends, key=lambda end: -end.worth):
            if not self._gains(here, end):
                return None
            # The line predicts; rounding and the cap on segments may let it reach a bit less.
            reached = self.point(end.weights, lists_only=lists_only)
            if self._gains(here, reached):
                return reached
        return None

    def _gains(self, here: Point, there: Point) -> bool:
        return there.worth > here.worth and there.worth - here.worth >= self.min_gain
