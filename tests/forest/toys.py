"""Random small forests, as the oracle sees them and as Demotic does."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from demotic.forest import Forest, ForestBuilder, ForestDerivation
from tests.oracles.forest import ToyForest, Tree, random_toy

FEATURES = ["f", "g", "h"]


@dataclass
class Pair:
    """A toy, the same as a Forest, and which edge of the toy each edge of the forest is."""

    toy: ToyForest
    forest: Forest

    @property
    def edge_of(self) -> list[int]:
        core = self.forest.core
        return [int(core.rule_origin[r]) for r in self.forest.edge_rule]

    def toy_edges(self, derivation: ForestDerivation) -> tuple[int, ...]:
        return tuple(self.edge_of[e] for e in derivation.edges)

    def per_edge(self, values: list[float]) -> np.ndarray:
        return np.array([values[e] for e in self.edge_of])

    def trees(self) -> list[Tree]:
        return self.toy.derivations()


def built(toy: ToyForest, rng: random.Random | None = None) -> Forest:
    """Through the builder, with features at the rule, in the dense block and at the edge.

    With ``rng`` nodes and edges come in random order.
    """
    builder = ForestBuilder(features=FEATURES, dense=["g"])
    order = list(range(toy.nodes))
    edges = list(range(len(toy.edges)))
    if rng is not None:
        rng.shuffle(order)
        rng.shuffle(edges)
    number = {node: builder.add_node("S" if node == toy.nodes - 1 else "X", 0, 1) for node in order}
    for e in edges:
        edge = toy.edges[e]
        at_rule = {n: v for n, v in edge.features.items() if n == "f"}
        at_edge = {n: v for n, v in edge.features.items() if n != "f"}
        rule = builder.add_rule("X", [], edge.target, at_rule, origin=e)
        tails = [number[tail] for tail in edge.tails]
        builder.add_edge(number[edge.head], tails, rule, edge.score, edge.loss, at_edge)
    return builder.finalize(number[toy.nodes - 1])


def pair(seed: int, *, nodes: int = 6, most: int = 300, shuffled: bool = True) -> Pair:
    rng = random.Random(seed)
    toy = random_toy(rng, nodes=nodes, most=most)
    return Pair(toy, built(toy, rng if shuffled else None))


pairs = st.integers(0, 2**32).map(pair)
small_pairs = st.integers(0, 2**32).map(lambda seed: pair(seed, most=60))
