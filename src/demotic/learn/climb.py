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


def climb(
    search: LineSearch,
    start: Floats,
    free: Floats,
    *,
    random_directions: int,
    min_gain: float,
    rng: np.random.Generator,
) -> Point:
    """From ``start`` along the axes and random directions; ``free`` is 1 for features to change."""
    here = Point(start, search.bleu(start))
    while True:
        there = _best_step(search, here, directions(free, random_directions, rng), min_gain)
        if there is None:
            return here
        here = there


def directions(free: Floats, random: int, rng: np.random.Generator) -> Floats:
    """The axes of free features, then random directions of length 1, one to a row."""
    axes = np.diag(free)[free > 0]
    drawn = rng.standard_normal((random, len(free))) * free
    lengths = np.linalg.norm(drawn, axis=1, keepdims=True)
    return np.vstack([axes, drawn / np.where(lengths > 0, lengths, 1.0)])


def random_point(near: Floats, free: Floats, rng: np.random.Generator) -> Floats:
    """As far from ``near`` as ``near`` itself is from 0, each feature on its own scale."""
    size = np.abs(near)
    scale = np.maximum(size, size.mean() or 1.0)
    return near + free * scale * rng.standard_normal(len(near))


def _best_step(search: LineSearch, here: Point, ways: Floats, min_gain: float) -> Point | None:
    steps = search.steps(here.weights, ways)
    for i in sorted(range(len(steps)), key=lambda i: -steps[i].bleu):
        if steps[i].bleu - here.bleu < min_gain or steps[i].bleu == here.bleu:
            return None
        weights = here.weights + steps[i].x * ways[i]
        # The line predicts; rounding and the cap on segments may make what is reached a bit less.
        reached = search.bleu(weights)
        if reached - here.bleu >= min_gain and reached > here.bleu:
            return Point(weights, reached)
    return None
