"""Small random searches with an expert that has tried everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from demotic.learn import DecisionTask, Features, Policy
from demotic.learn.search import Draw, Search
from tests.oracles.search import least_cost

Node = tuple[int, ...]
SPARSE = 6


@dataclass(frozen=True)
class Trees(DecisionTask[Node, int]):
    """Trees of random shape; a state is the example and the branches taken so far.

    Costs are few whole numbers, so that ends of equal cost are common.
    """

    seed: int
    depth: int = 3
    branches: int = 3
    feature_names: tuple[str, ...] = ("f0", "f1")
    sparse_features: int = SPARSE

    def __len__(self) -> int:
        return 4

    def start(self, example: int) -> Node:
        return (example,)

    def actions(self, state: Node) -> range:
        rng = self._random(state)
        return range(int(rng.integers(1, self.branches + 1)) if len(state) <= self.depth else 0)

    def features(self, state: Node, action: int) -> Features:
        rng = self._random((*state, action, 1))
        ids = rng.permutation(SPARSE)[: rng.integers(0, 4)]
        return Features.of(rng.normal(size=2), {int(i): float(rng.normal()) for i in ids})

    def next(self, state: Node, action: int) -> Node:
        return (*state, action)

    def end_cost(self, state: Node) -> float:
        assert not self.actions(state), "only ends have a cost"
        return float(self._random((*state, 2)).integers(-2, 4))

    def expert(self, state: Node) -> int:
        return min(self.actions(state), key=lambda a: least_cost(self, self.next(state, a)))

    def _random(self, key: Sequence[int]) -> np.random.Generator:
        return np.random.default_rng([self.seed, *key])


class Anything(Policy):
    """Any action, all with the same chance."""

    def action(
        self, search: Search[Any, Any], state: Any, actions: Sequence[Any], draw: Draw
    ) -> Any:
        return actions[int(draw() * len(actions))]
