"""What a forest holds, as arrays without copies and in words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demotic._core import FeatureSpace
from demotic.forest.derivation import ForestRule, Symbol
from demotic.forest.weights import Floats

Ids = NDArray[np.uint32]
NO_ORIGIN = 0xFFFFFFFF


class ForestArrays:
    """The core's forest and read-only views of its memory."""

    def __init__(self, core: Any) -> None:
        self.core = core

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(self.core.nodes)

    @property
    def edges(self) -> int:
        """The number of edges."""
        return int(self.core.edges)

    @cached_property
    def words(self) -> list[str]:
        """Words by id."""
        return list(self.core.words)

    @cached_property
    def labels(self) -> list[str]:
        """Node labels by id."""
        return list(self.core.labels)

    @property
    def space(self) -> FeatureSpace:
        """The features of the forest's model, shared by all of its forests."""
        space: FeatureSpace = self.core.space
        return space

    @cached_property
    def features(self) -> list[str]:
        """Feature names by id: all of the model's, which may be many."""
        return self.space.names()

    @cached_property
    def in_off(self) -> Ids:
        """Node v owns the edges in_off[v] .. in_off[v + 1] - 1."""
        return np.asarray(self.core.in_off)

    @cached_property
    def tail_off(self) -> Ids:
        """Edge e has the tails tails[tail_off[e] : tail_off[e + 1]]."""
        return np.asarray(self.core.tail_off)

    @cached_property
    def tails(self) -> Ids:
        """The tail nodes of all edges."""
        return np.asarray(self.core.tails)

    @cached_property
    def head(self) -> Ids:
        """The head node of each edge."""
        return np.asarray(self.core.head())

    @cached_property
    def edge_rule(self) -> Ids:
        """The rule of each edge."""
        return np.asarray(self.core.rule)

    @cached_property
    def score(self) -> Floats:
        """The log-weight of each edge."""
        return np.asarray(self.core.score)

    @cached_property
    def loss(self) -> NDArray[np.float32]:
        """The loss of each edge."""
        return np.asarray(self.core.loss)

    @cached_property
    def node_label(self) -> Ids:
        """The label id of each node."""
        return np.asarray(self.core.label)

    @cached_property
    def spans(self) -> Ids:
        """The source span of each node: nodes x 2."""
        return np.asarray(self.core.span).reshape(-1, 2)

    @cached_property
    def dense(self) -> NDArray[np.float32]:
        """The dense features of each edge; the columns are the features ``dense_id``."""
        return np.asarray(self.core.dense).reshape(self.edges, -1)

    @cached_property
    def dense_id(self) -> Ids:
        """The feature ids of the dense block's columns."""
        return np.asarray(self.core.dense_id)

    def tails_of(self, edge: int) -> Ids:
        """The tails of one edge."""
        return self.tails[self.tail_off[edge] : self.tail_off[edge + 1]]

    def rule(self, rule: int) -> ForestRule:
        """Rule number ``rule`` in words."""
        if rule not in self._rules:
            self._rules[rule] = self._rule(rule)
        return self._rules[rule]

    def edge_features(self, edge: int, *, with_rule: bool = True) -> dict[str, float]:
        """The features of one edge, its rule's included unless ``with_rule`` is false."""
        core = self.core
        total = self._sum(self.dense_id, self.dense[edge])
        if len(core.edge_feature_off):
            begin, end = core.edge_feature_off[edge], core.edge_feature_off[edge + 1]
            own = self._sum(core.edge_feature_id[begin:end], core.edge_feature_value[begin:end])
            total = _added(total, own)
        return _added(total, self.rule(int(self.edge_rule[edge])).features) if with_rule else total

    @cached_property
    def _rules(self) -> dict[int, ForestRule]:
        return {}

    def _rule(self, rule: int) -> ForestRule:
        core = self.core
        sides = []
        for off, symbols in ((core.source_off, core.source), (core.target_off, core.target)):
            side = symbols[off[rule] : off[rule + 1]]
            sides.append(tuple(self._symbol(int(s)) for s in side))
        begin, end = core.rule_feature_off[rule], core.rule_feature_off[rule + 1]
        origin = int(core.rule_origin[rule])
        return ForestRule(
            self.labels[core.rule_lhs[rule]],
            sides[0],
            sides[1],
            self._sum(core.rule_feature_id[begin:end], core.rule_feature_value[begin:end]),
            None if origin == NO_ORIGIN else origin,
        )

    def _symbol(self, symbol: int) -> Symbol:
        return self.words[symbol] if symbol >= 0 else -(symbol + 1)

    def _sum(self, ids: Iterable[int], values: Iterable[float]) -> dict[str, float]:
        total: dict[str, float] = {}
        for i, value in zip(ids, values, strict=True):
            name = self.space.name(int(i))
            total[name] = total.get(name, 0.0) + float(value)
        return total


def _added(a: dict[str, float], b: dict[str, float]) -> dict[str, float]:
    return a | {name: a.get(name, 0.0) + value for name, value in b.items()}
