"""Line search by brute force: every crossing of every two lines, BLEU from its definition."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise

Vector = list[float]


@dataclass
class Hypothesis:
    features: Vector
    statistics: list[int]  # matches 1-4, n-grams 1-4, hypothesis and reference length


Lists = list[list[Hypothesis]]


def bleu(statistics: list[int]) -> float:
    """sacreBLEU's corpus score: an order without a match counts as 1/2, 1/4, ... of one."""
    matches, totals = statistics[:4], statistics[4:8]
    if not any(matches) or not all(totals):
        return 0.0
    missing = 0
    product = 1.0
    for match, total in zip(matches, totals, strict=True):
        if match == 0:
            missing += 1
        product *= (match or 0.5**missing) / total
    words, reference = statistics[8:]
    return 100 * min(1.0, math.exp(1 - reference / words)) * product**0.25


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def corpus_bleu(lists: Lists, weights: Vector) -> float:
    """BLEU of each list's best hypothesis, the first of equals."""
    best = [max(hypotheses, key=lambda h: dot(h.features, weights)) for hypotheses in lists]
    return bleu([sum(column) for column in zip(*(h.statistics for h in best), strict=True)])


def bleu_at(lists: Lists, weights: Vector, direction: Vector, x: float) -> float:
    return corpus_bleu(lists, [w + x * d for w, d in zip(weights, direction, strict=True)])


def crossings(lists: Lists, weights: Vector, direction: Vector) -> list[float]:
    """Every x at which two lines of one list meet, on the envelope or below."""
    points: list[float] = []
    for hypotheses in lists:
        lines = [(dot(h.features, direction), dot(h.features, weights)) for h in hypotheses]
        for i, (a, b) in enumerate(lines):
            for c, d in lines[:i]:
                if a != c:
                    points.append((d - b) / (a - c))
    points.sort()
    return [p for i, p in enumerate(points) if i == 0 or p - points[i - 1] > 1e-9]


def between(points: list[float]) -> list[float]:
    """One x left of all points, one between each two, one right of all."""
    if not points:
        return [0.0]
    middles = [(a + b) / 2 for a, b in pairwise(points)]
    return [points[0] - 1, *middles, points[-1] + 1]


def best_bleu(lists: Lists, weights: Vector, direction: Vector) -> float:
    """The highest BLEU along a direction."""
    points = between(crossings(lists, weights, direction))
    return max(bleu_at(lists, weights, direction, x) for x in points)


def random_lists(
    rng: random.Random, *, sentences: int = 4, size: int = 8, features: int = 3
) -> Lists:
    """Features are quarters: distinct crossings are then well apart and sums exact."""
    return [
        [_hypothesis(rng, features) for _ in range(rng.randint(1, size))]
        for _ in range(rng.randint(1, sentences))
    ]


def _hypothesis(rng: random.Random, features: int) -> Hypothesis:
    length = rng.randint(4, 12)
    totals = [length - n for n in range(4)]
    matches: list[int] = []
    for total in totals:
        matches.append(rng.randint(0, min([total, *matches[-1:]])))
    values = [rng.randint(-12, 12) / 4 for _ in range(features)]
    return Hypothesis(values, [*matches, *totals, length, rng.randint(4, 12)])
