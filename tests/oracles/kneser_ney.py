"""Interpolated modified Kneser-Ney, straight from its definition, for tiny texts.

Chen and Goodman (1998), "An empirical study of smoothing techniques for language modeling", and
Heafield et al. (2013) for what happens at sentence borders.  Recursive and without a thought for
speed.  Discounts are computed in single precision, because whether one is out of range decides
between it and the fallback.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np

Ngram = tuple[str, ...]
SPECIAL = ("<unk>", "<s>", "</s>")
FALLBACK = (0.0, 0.5, 1.0, 1.5)


class KneserNey:
    """``probs`` and ``backoffs``: n-gram -> log10, for the n-grams that are not pruned."""

    def __init__(
        self,
        lines: Sequence[str],
        order: int,
        prune: Sequence[int] = (),
        allowed: set[str] | None = None,
    ) -> None:
        self.order = order
        sentences = [("<s>", *line.split(), "</s>") for line in lines]
        # Raw counts of everything that occurs; a lone <s> predicts nothing and has none.
        self.raw: Counter[Ngram] = Counter()
        for sentence in sentences:
            for end in range(1, len(sentence)):
                for n in range(1, min(order, end + 1) + 1):
                    self.raw[sentence[end + 1 - n : end + 1]] += 1
        self.adjusted = {ngram: self._adjusted(ngram) for ngram in self.raw}
        self.adjusted[("<unk>",)] = self.adjusted[("<s>",)] = 0
        thresholds = list(prune) + [prune[-1] if prune else 0] * (order - len(prune))
        self.kept = {
            ngram
            for ngram in self.adjusted
            if (ngram[0] in SPECIAL and len(ngram) == 1)
            or (
                self.raw[ngram] > thresholds[len(ngram) - 1]
                and all(allowed is None or w in allowed or w in SPECIAL for w in ngram)
            )
        }
        self.discounts = [self._discounts(n) for n in range(1, order + 1)]
        self.uniform = 1 / (sum(len(g) == 1 for g in self.kept) - 1)  # <unk> counts, <s> does not
        self.prob = cache(self._prob)
        self.weight = cache(self._weight)
        self.probs = {g: min(0.0, math.log10(self.prob(g))) for g in self.kept}
        self.backoffs = {
            g: math.log10(self.weight(g)) if len(g) < order else 0.0 for g in self.kept
        }

    def _adjusted(self, ngram: Ngram) -> int:
        """Raw count for the longest and for what begins a sentence, else distinct left words."""
        if len(ngram) == self.order or ngram[0] == "<s>":
            return self.raw[ngram]
        return sum(len(g) == len(ngram) + 1 and g[1:] == ngram for g in self.raw)

    def _discounts(self, n: int) -> tuple[float, ...]:
        """Equation 26."""
        with_count = Counter(c for g, c in self.adjusted.items() if len(g) == n)
        n1, n2, n3, n4 = (np.float32(with_count[c]) for c in (1, 2, 3, 4))
        if 0 in (n1, n2, n3):
            return FALLBACK
        y = n1 / np.float32(with_count[1] + 2.0 * with_count[2])
        one = np.float32(1) - np.float32(2) * y * n2 / n1
        two = np.float32(2) - np.float32(3) * y * n3 / n2
        three = np.float32(3) - np.float32(4) * y * n4 / n3
        if not (0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3):
            return FALLBACK
        return 0.0, float(one), float(two), float(three)

    def _followers(self, context: Ngram) -> list[Ngram]:
        return [g for g in self.adjusted if len(g) == len(context) + 1 and g[:-1] == context]

    def _weight(self, context: Ngram) -> float:
        """What the context leaves to the lower order: discounts, and all that was pruned."""
        total, free = 0, 0.0
        for ngram in self._followers(context):
            count = self.adjusted[ngram]
            total += count
            free += self._discount(ngram) if ngram in self.kept else count
        return free / total if total else 1.0

    def _discount(self, ngram: Ngram) -> float:
        return self.discounts[len(ngram) - 1][min(self.adjusted[ngram], 3)]

    def _prob(self, ngram: Ngram) -> float:
        if not ngram:
            return self.uniform
        if ngram == ("<s>",):
            return 1.0
        context = ngram[:-1]
        total = sum(self.adjusted[g] for g in self._followers(context))
        own = (self.adjusted[ngram] - self._discount(ngram)) / total
        return own + self.weight(context) * self.prob(ngram[1:])
