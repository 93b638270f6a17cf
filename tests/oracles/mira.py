"""Batch MIRA as Cherry and Foster (2012) describe it and Moses' kbmira does it, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.oracles.mert import Hypothesis, Lists, Vector, dot


@dataclass
class Learner:
    lists: Lists
    weights: Vector
    start: Vector
    free: list[bool]
    c: float = 0.01
    decay: float = 0.999
    l2: float = 0.0
    background: Vector = field(default_factory=lambda: [1.0] * 10)
    seen: list[Vector] = field(default_factory=list)

    def bleu(self, hypothesis: Hypothesis) -> float:
        """Of the pseudo-document with this sentence, times its reference length."""
        sums = [a + b for a, b in zip(self.background, hypothesis.statistics, strict=True)]
        logs = sum(math.log(sums[n]) - math.log(sums[n + 4]) for n in range(4)) / 4
        return math.exp(logs + min(0.0, 1 - sums[9] / sums[4])) * sums[9]

    def run(self, order: Sequence[int]) -> None:
        for sentence in order:
            self.visit(self.lists[sentence])
            self.weights = [
                w - self.l2 * (w - s) for w, s in zip(self.weights, self.start, strict=True)
            ]
            self.seen.append(self.weights)

    def visit(self, hypotheses: list[Hypothesis]) -> None:
        score = {id(h): dot(h.features, self.weights) for h in hypotheses}
        bleu = {id(h): self.bleu(h) for h in hypotheses}
        hope = max(hypotheses, key=lambda h: score[id(h)] + bleu[id(h)])
        fear = max(hypotheses, key=lambda h: score[id(h)] - bleu[id(h)])
        cost = bleu[id(hope)] - bleu[id(fear)]
        if cost <= 0:
            return
        difference = [
            (a - b) * may for a, b, may in zip(hope.features, fear.features, self.free, strict=True)
        ]
        loss = cost - (score[id(hope)] - score[id(fear)])
        if loss > 0 and any(difference):
            step = min(self.c, loss / dot(difference, difference))
            self.weights = [w + step * d for w, d in zip(self.weights, difference, strict=True)]
        self.background = [
            self.decay * old + new
            for old, new in zip(self.background, hope.statistics, strict=True)
        ]

    def mean(self) -> Vector:
        return [sum(column) / len(self.seen) for column in zip(*self.seen, strict=True)]
