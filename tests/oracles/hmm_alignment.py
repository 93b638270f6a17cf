"""Word alignment by enumeration: every way to link two tiny sentences, one after the other.

A direction links each observed word to one of the states (the words of the other sentence) or to
nothing (None).  Nothing here is shared with the core but the definition of the model.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

BINS = 21  # of each of: step ahead, step back, start, end
Links = tuple[int | None, ...]


def distance_bin(distance: int) -> int:
    """0 .. 8 have a bin each, then 9-16, 17-32, 33-64, ... share one."""
    if distance <= 8:
        return distance
    return min(8 + math.ceil(math.log2(distance / 8)), BINS - 1)


@dataclass(frozen=True)
class Jumps:
    """Weights of distances, in bins."""

    parameters: Sequence[float]

    def step(self, distance: int) -> float:
        part = 0 if distance >= 0 else BINS
        return self.parameters[part + distance_bin(abs(distance))]

    def start(self, position: int) -> float:
        return self.parameters[2 * BINS + distance_bin(position)]

    def end(self, left: int) -> float:
        return self.parameters[3 * BINS + distance_bin(left)]


@dataclass(frozen=True)
class Sentence:
    """One direction of a sentence pair: emissions[j][i] = p(observed word j | state i)."""

    emissions: Sequence[Sequence[float]]
    null: Sequence[float]
    null_probability: float
    jumps: Jumps

    @property
    def states(self) -> int:
        return len(self.emissions[0])

    def alignments(self) -> Iterator[tuple[Links, float]]:
        """Every alignment and its probability."""
        choices: list[int | None] = [None, *range(self.states)]
        for links in itertools.product(choices, repeat=len(self.emissions)):
            yield links, self.probability(links)

    def probability(self, links: Links) -> float:
        p = 1.0
        last = None
        for j, i in enumerate(links):
            if i is None:
                p *= self.null_probability * self.null[j]
            else:
                p *= (1 - self.null_probability) * self.emissions[j][i]
                p *= self.jump(last, i)
                last = i
        return p * self.finish(last)

    def jump(self, last: int | None, to: int) -> float:
        """p(to | last), where None is the start."""
        weight: Callable[[int], float]
        weight = self.jumps.start if last is None else lambda i: self.jumps.step(i - last)
        return weight(to) / sum(weight(i) for i in range(self.states))

    def finish(self, last: int | None) -> float:
        if last is None:
            return 1 / self.states
        weights = [self.jumps.end(self.states - 1 - i) for i in range(self.states)]
        return weights[last] / sum(weights)

    def log_likelihood(self) -> float:
        return math.log(sum(p for _, p in self.alignments()))

    def posteriors(self) -> tuple[list[list[float]], list[float]]:
        """p(j is linked to i), p(j is linked to nothing)."""
        total = sum(p for _, p in self.alignments())
        linked = [[0.0] * self.states for _ in self.emissions]
        null = [0.0] * len(self.emissions)
        for links, p in self.alignments():
            for j, i in enumerate(links):
                if i is None:
                    null[j] += p / total
                else:
                    linked[j][i] += p / total
        return linked, null

    def reestimated_jumps(self) -> list[float]:
        """Hunter's (2004) update: jumps made in a bin over chances to make one, per bin."""
        total = sum(p for _, p in self.alignments())
        made = [0.0] * (4 * BINS)
        chances = [0.0] * (4 * BINS)

        def choose(share: float, bins: list[int], taken: int) -> None:
            weights = [self.jumps.parameters[b] for b in bins]
            made[bins[taken]] += share
            for b in bins:
                chances[b] += share / sum(weights)

        def step_bin(distance: int) -> int:
            return (0 if distance >= 0 else BINS) + distance_bin(abs(distance))

        positions = range(self.states)
        for links, p in self.alignments():
            last = None
            for i in links:
                if i is None:
                    continue
                if last is None:
                    choose(p / total, [2 * BINS + distance_bin(k) for k in positions], i)
                else:
                    choose(p / total, [step_bin(k - last) for k in positions], i)
                last = i
            if last is not None:
                bins = [3 * BINS + distance_bin(self.states - 1 - k) for k in positions]
                choose(p / total, bins, last)
        weights = [m / c if c > 0 else 0.0 for m, c in zip(made, chances, strict=True)]
        weights[BINS] = weights[0]
        for begin, end in ((0, 2 * BINS), (2 * BINS, 3 * BINS), (3 * BINS, 4 * BINS)):
            most = max(*weights[begin:end], 1e-6)
            weights[begin:end] = [max(w / most, 1e-6) for w in weights[begin:end]]
        return weights


def model1(
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]], rounds: int, null_probability: float
) -> tuple[dict[tuple[str | None, str], float], list[float]]:
    """IBM Model 1 by the book: p(observed | state), and the log-likelihood before each round."""
    table: dict[tuple[str | None, str], float] = defaultdict(lambda: 1.0)
    history = []
    for _ in range(rounds):
        counts: dict[tuple[str | None, str], float] = defaultdict(float)
        history.append(0.0)
        for states, observed in pairs:
            prior = [(None, null_probability)]
            prior += [(s, (1 - null_probability) / len(states)) for s in states]
            for word in observed:
                total = sum(p * table[s, word] for s, p in prior)
                history[-1] += math.log(total)
                for s, p in prior:
                    counts[s, word] += p * table[s, word] / total
        totals: dict[str | None, float] = defaultdict(float)
        for (s, _word), count in counts.items():
            totals[s] += count
        table = defaultdict(float, {key: c / totals[key[0]] for key, c in counts.items()})
    return table, history
