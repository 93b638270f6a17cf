"""Forests by brute force: every derivation written out, every question answered by looping."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field


@dataclass
class ToyEdge:
    head: int
    tails: list[int]
    target: list[str | int]
    score: float
    loss: float
    features: dict[str, float]


@dataclass
class Tree:
    edge: int
    children: list[Tree]

    def edges(self) -> list[int]:
        """Depth-first, an edge before its tails'."""
        return [self.edge, *itertools.chain(*(child.edges() for child in self.children))]


@dataclass
class ToyForest:
    """The last node is the root; tails come before heads."""

    nodes: int
    edges: list[ToyEdge] = field(default_factory=list)

    def trees(self, node: int) -> list[Tree]:
        return [
            Tree(number, list(children))
            for number, edge in enumerate(self.edges)
            if edge.head == node
            for children in itertools.product(*(self.trees(tail) for tail in edge.tails))
        ]

    def derivations(self) -> list[Tree]:
        return self.trees(self.nodes - 1)

    def words(self, tree: Tree) -> tuple[str, ...]:
        result: list[str] = []
        for symbol in self.edges[tree.edge].target:
            result += [symbol] if isinstance(symbol, str) else self.words(tree.children[symbol])
        return tuple(result)

    def score(self, tree: Tree) -> float:
        return sum(self.edges[e].score for e in tree.edges())

    def loss(self, tree: Tree) -> float:
        return sum(self.edges[e].loss for e in tree.edges())

    def features(self, tree: Tree) -> dict[str, float]:
        total: dict[str, float] = {}
        for e in tree.edges():
            for name, value in self.edges[e].features.items():
                total[name] = total.get(name, 0.0) + value
        return total

    def probabilities(self, scale: float = 1.0) -> list[float]:
        weights = [math.exp(scale * self.score(tree)) for tree in self.derivations()]
        return [weight / sum(weights) for weight in weights]

    def outside_trees(self, node: int) -> list[list[int]]:
        """The edges of each derivation of the root with one occurrence of ``node`` cut out."""
        results: list[list[int]] = []

        def cut(tree: Tree, above: list[int], beside: list[int], at: int) -> None:
            if at == node:
                results.append(above + beside)
            for i, child in enumerate(tree.children):
                others = [e for j, c in enumerate(tree.children) if j != i for e in c.edges()]
                tail = self.edges[tree.edge].tails[i]
                cut(child, [*above, tree.edge], beside + others, tail)

        for tree in self.derivations():
            cut(tree, [], [], self.nodes - 1)
        # Each context came once for every derivation of the node inside it.
        inside = len(self.trees(node))
        results.sort()
        return results[::inside]


def random_toy(
    rng: random.Random, *, nodes: int = 6, arity: int = 3, most: int = 300, words: str = "abc"
) -> ToyForest:
    """A forest of at most ``most`` derivations per node; tails may be repeated."""
    toy = ToyForest(rng.randint(1, nodes))
    counts: list[int] = []
    for node in range(toy.nodes):
        count = 0
        for _ in range(rng.randint(1, 3)):
            size = rng.randint(0, min(arity, 3 * node))
            tails = [rng.randrange(node) for _ in range(size)]
            ways = math.prod(counts[tail] for tail in tails)
            if count + ways > most:
                tails, ways = [], 1
            count += ways
            target: list[str | int] = [*range(len(tails))]
            target += [rng.choice(words) for _ in range(rng.randint(0, 2))]
            rng.shuffle(target)
            names = rng.sample(["f", "g", "h"], rng.randint(0, 3))
            # Values that 32-bit floats hold exactly, so that sums agree to the last digits.
            features = {name: rng.randint(-8, 8) / 4 for name in names}
            toy.edges.append(
                ToyEdge(node, tails, target, rng.gauss(0, 1), rng.randint(-8, 8) / 4, features)
            )
        counts.append(count)
    return toy


def ngrams(words: tuple[str, ...], order: int) -> list[tuple[str, ...]]:
    return [words[i : i + n] for n in range(1, order + 1) for i in range(len(words) - n + 1)]


def linear_gain(
    words: tuple[str, ...], references: list[tuple[str, ...]], weights: list[float]
) -> float:
    """a_0 |y| + sum over n-grams of y that are in any reference, not clipped, of a_n."""
    order = len(weights) - 1
    known = {g for reference in references for g in ngrams(reference, order)}
    return weights[0] * len(words) + sum(
        weights[len(g)] for g in ngrams(words, order) if g in known
    )
