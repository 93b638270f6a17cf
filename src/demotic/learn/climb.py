"""Hill climbing with exact line searches: the best step of many directions, until none gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from demotic.forest.weights import Floats
from demotic.learn.line_search import LineSearch


@dataclass(frozen=True, eq=False)
class Point:
    """Weights and their corpus BLEU on the hypotheses known."""

    weights: Floats
    bleu: float


@dataclass(frozen=True, eq=False)
class Climber:
    """Climbs along the axes and random directions; ``free`` is 1 for features that may change."""

    search: LineSearch
    free: Floats
    random_directions: int
    min_gain: float
    rng: np.random.Generator

    def climb(self, start: Floats) -> Point:
        """Until no step on all that is known gains.

        Between two searches of forests the lists that these searches filled are climbed alone.
        """
        here = Point(start, self.search.bleu(start))
        while (there := self._step(here, lists_only=False)) is not None:
            end = self.climb_lists(there.weights).weights
            reached = self.search.bleu(end)
            here = Point(end, reached) if reached > there.bleu else there
        return here

    def climb_lists(self, start: Floats) -> Point:
        """Until no step on the lists gains."""
        here = Point(start, self.search.bleu(start, lists_only=True))
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

    def _step(self, here: Point, *, lists_only: bool) -> Point | None:
        ways = self.directions()
        steps = self.search.steps(here.weights, ways, lists_only=lists_only)
        for i in sorted(range(len(steps)), key=lambda i: -steps[i].bleu):
            if not self._gains(here, steps[i].bleu):
                return None
            weights = here.weights + steps[i].x * ways[i]
            # The line predicts; rounding and the cap on segments may let it reach a bit less.
            reached = self.search.bleu(weights, lists_only=lists_only)
            if self._gains(here, reached):
                return Point(weights, reached)
        return None

    def _gains(self, here: Point, bleu: float) -> bool:
        return bleu > here.bleu and bleu - here.bleu >= self.min_gain
