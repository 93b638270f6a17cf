"""Learning from choices in plain Python: losses with costs, and the perceptron's steps."""

from __future__ import annotations

import math
from dataclasses import dataclass

Row = dict[str, float]
"""A candidate's features by name."""


@dataclass
class Choice:
    """Candidates and what they cost."""

    rows: list[Row]
    costs: list[float]

    @property
    def label(self) -> int:
        return self.costs.index(min(self.costs))


def score(row: Row, weights: Row) -> float:
    return math.fsum(weights.get(name, 0.0) * value for name, value in row.items())


def loss(choice: Choice, weights: Row, kind: str) -> float:
    """By the definition."""
    scores = [score(row, weights) for row in choice.rows]
    above = [cost - min(choice.costs) for cost in choice.costs]
    if kind == "softmax-margin":
        return log_sum([s + c for s, c in zip(scores, above, strict=True)]) - scores[choice.label]
    if kind == "likelihood":
        return log_sum(scores) - scores[choice.label]
    z = log_sum(scores)
    return math.fsum(math.exp(s - z) * c for s, c in zip(scores, above, strict=True))


def log_sum(values: list[float]) -> float:
    top = max(values)
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def slope(choice: Choice, weights: Row, kind: str, name: str, step: float = 1e-5) -> float:
    """The derivative of the loss by one weight, by central differences."""
    up, down = dict(weights), dict(weights)
    up[name] = weights.get(name, 0.0) + step
    down[name] = weights.get(name, 0.0) - step
    return (loss(choice, up, kind) - loss(choice, down, kind)) / (2 * step)


def perceptron_step(choice: Choice, weights: Row) -> Row:
    """What is added to the weights: nothing if one of the cheapest is strictly the best."""
    cheap = [j for j, cost in enumerate(choice.costs) if cost == min(choice.costs)]
    dear = [j for j in range(len(choice.rows)) if j not in cheap]
    if not dear:
        return {}
    scores = [score(row, weights) for row in choice.rows]
    better = max(cheap, key=lambda j: (scores[j], -(j != choice.label), -j))
    worse = max(dear, key=lambda j: (scores[j], -j))
    if scores[better] > scores[worse]:
        return {}
    times = choice.costs[worse] - choice.costs[better]
    change: Row = {}
    for sign, j in ((1.0, better), (-1.0, worse)):
        for name, value in choice.rows[j].items():
            change[name] = change.get(name, 0.0) + sign * times * value
    return change
