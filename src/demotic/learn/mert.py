"""Minimum error rate training (Och 2003): weights that maximise corpus BLEU on what is known.

Each round climbs: line searches along every axis and some random directions, the best step taken,
until none gains.  Climbs start from the present weights, from the best ones so far and from random
points.  Lists of hypotheses grow from round to round; forests (Kumar et al. 2009) are searched
whole, and what the search found in them stays as a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from demotic.errors import ArgumentError
from demotic.forest.envelope import MAX_SEGMENTS
from demotic.forest.weights import Floats
from demotic.learn.climb import Climber, Point
from demotic.learn.known import Known
from demotic.learn.rounds import Optimum, Round, Situation, TunerOptions, scaled


@dataclass(frozen=True, kw_only=True)
class MertOptions(TunerOptions):
    """Minimum error rate training: how hard to try."""

    random_directions: int = 15
    """Beside one direction along each feature."""
    restarts: int = 3
    """Climbs from random points in each round."""
    min_gain: float = 0.01
    """In BLEU points (1e-4 of BLEU from 0 to 1): smaller gains end a climb, and a round of smaller
    gain ends tuning."""
    max_segments: int = MAX_SEGMENTS
    """The cap on a forest's envelope; a Round tells in how many sentences it was reached."""
    l2: float = 0.0
    """BLEU points that it costs to move the weights by as much as they are long; half as far costs
    a quarter of that."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_segments < 2:
            raise ArgumentError("max_segments must be at least 2")

    def _numbers(self) -> tuple[str, ...]:
        return ("random_directions", "restarts", "min_gain", "l2")

    def known(self, features: Sequence[str], sentences: int, threads: int) -> Known:
        """With the cap on envelopes."""
        return Known(features, sentences, max_segments=self.max_segments, threads=threads)

    def optimise(self, known: Known, at: Situation) -> Optimum:
        """Climb."""
        climber = Climber(
            known, at.free, self.random_directions, self.min_gain, at.rng, at.start, self.l2
        )
        here = climber.point(at.weights)
        best = _best_climb(climber, at.weights, at.rounds, self.restarts)
        gain = best.worth - here.worth
        converged = gain < self.min_gain or gain <= 0
        weights = at.weights if converged else scaled(best.weights, at.weights)
        known.steps(weights, climber.directions())
        truncated = known.truncated
        known.forget()
        return Optimum(weights, best.bleu, best.bleu - here.bleu, converged, truncated)


def _best_climb(climber: Climber, start: Floats, rounds: Sequence[Round], restarts: int) -> Point:
    """From the present weights; from others too where their climb on the lists gets higher."""
    best = climber.climb(start)
    others = [climber.random_point(start) for _ in range(restarts)]
    if rounds:
        earlier = max(rounds, key=lambda this: this.decoded.judged)
        others.insert(0, np.array([*earlier.weights.values()]))
    for point in others:
        end = climber.climb_lists(point)
        if end.worth > best.worth:
            best = max(best, climber.climb(end.weights), key=lambda end: end.worth)
    return best
