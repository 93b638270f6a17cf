"""Consensus by brute force: all translations written out, each compared with all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tests.oracles.forest import ToyForest, ngrams

Words = tuple[str, ...]


def linear_gains(
    toy: ToyForest, weights: Sequence[float], scale: float, model: float = 0.0
) -> dict[Words, float]:
    """The gain of each string of a forest: a_0 |y| + sum of a_n min(1, E[#w]) over its n-grams.

    And ``model`` times the scaled distance of its best score from the best of all.
    """
    order = len(weights) - 1
    strings = [toy.words(tree) for tree in toy.derivations()]
    scores = [toy.score(tree) for tree in toy.derivations()]
    weights = weights_for(len(strings[scores.index(max(scores))]), weights)
    expected: Counter[Words] = Counter()
    for words, p in zip(strings, probabilities(scores, scale), strict=True):
        for gram in ngrams(words, order):
            expected[gram] += p  # type: ignore[assignment]
    best: dict[Words, float] = {}
    for words, score in zip(strings, scores, strict=True):
        best[words] = max(best.get(words, score), score)
    return {
        words: model * scale * (best[words] - max(scores))
        + weights[0] * len(words)
        + sum(weights[len(gram)] * min(1.0, expected[gram]) for gram in ngrams(words, order))
        for words in strings
    }


def weights_for(length: int, weights: Sequence[float]) -> list[float]:
    """A translation of ``length`` words has length - n + 1 n-grams, and none of some orders."""
    length = max(1, length)
    orders = len(weights) - 1
    most = min(orders, length)
    scaled = [weights[n] * orders / most * length / (length - n + 1) for n in range(1, most + 1)]
    return [weights[0], *scaled, *[0.0] * (orders - most)]


def expected_bleu(lines: Sequence[Words], scores: Sequence[float], scale: float) -> list[float]:
    """For each line its BLEU+1 if the reference is drawn from the lines."""
    chances = probabilities(scores, scale)
    return [
        sum(p * bleu_plus_one(line, other) for other, p in zip(lines, chances, strict=True))
        for line in lines
    ]


def bleu_plus_one(line: Words, reference: Words) -> float:
    """Lin and Och (2004), up to the longest n-gram that the line has."""
    logs = []
    for n in range(1, min(4, len(line)) + 1):
        own, other = (Counter(g for g in ngrams(w, n) if len(g) == n) for w in (line, reference))
        matches, total = (own & other).total(), own.total()
        if n == 1 and matches == 0:
            return 0.0
        logs.append(math.log((matches + (n > 1)) / (total + (n > 1))))
    if len(line) < 4:  # one is added to orders that have nothing, too
        logs += [0.0] * (4 - len(line))
    if not line:
        return 0.0
    brevity = min(1.0, math.exp(1 - len(reference) / len(line)))
    return 100 * brevity * math.exp(sum(logs) / len(logs))


def probabilities(scores: Sequence[float], scale: float) -> list[float]:
    weights = [math.exp(scale * (score - max(scores))) for score in scores]
    return [weight / sum(weights) for weight in weights]
