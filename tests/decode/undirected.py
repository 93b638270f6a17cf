"""Undirected decoders of small grammars beside the oracle's view of the same sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from demotic.decode import HieroDecoder, UndirectedDecoder, UndirectedDerivation, UndirectedSearch
from tests.decode.grammars import WEIGHTS, language_model, rule_table
from tests.oracles.cky import Rule
from tests.oracles.undirected import HEAD, Choice, Problem, Tree

ALL_WEIGHTS = WEIGHTS | {"Cff1": 0.8, "Cff2": 0.9, "CffHead": 0.7}


def told_apart(rules: Sequence[Rule]) -> list[Rule]:
    """The same rules with scores that hardly ever add up to ties."""
    return [
        replace(rule, score=rule.score - (2 * i + 1) * 37 / 4096) for i, rule in enumerate(rules)
    ]


class Sentence:
    """A decoder, and the problem that it solves."""

    def __init__(
        self,
        rules: Sequence[Rule],
        tokens: Sequence[str],
        *,
        order: int = 3,
        weights: Mapping[str, float] = ALL_WEIGHTS,
        **options: Any,
    ) -> None:
        self.tokens = tokens
        lm = language_model(order) if order else None
        table = rule_table(rules)
        self.decoder = UndirectedDecoder(table, lm, weights, options=UndirectedSearch(**options))
        local = {name: value for name, value in weights.items() if not name.startswith("Cff")}
        self.hiero = HieroDecoder(table, lm, local)
        self.problem = Problem(
            self.hiero.parse(tokens),
            lm,
            weights,
            kappa=options.get("kappa", 0.0),
            cff=options.get("cff", "raw"),
            estimates=options.get("bounds") == "words",
        )
        forest = self.problem.forest
        self._nodes = {
            (forest.labels[forest.node_label[v]], *map(int, forest.spans[v])): v
            for v in range(forest.nodes)
        }
        self._edges = {}
        for number, edge in enumerate(self.problem.edges):
            origin = forest.rule(int(forest.edge_rule[number])).origin
            self._edges[edge.head, edge.tails, origin] = number

    @property
    def array(self) -> list[float]:
        return list(self.decoder.weights.values())

    def choices(self, derivation: UndirectedDerivation) -> list[Choice]:
        """A derivation's actions as the oracle names them."""
        steps = derivation.steps
        nodes = [self._nodes[step.category, step.begin, step.end] for step in steps]
        found = []
        for action in derivation.actions:
            step = steps[action.step]
            tails = tuple(nodes[child] for child in step.children)
            edge = self._edges[nodes[action.step], tails, step.rule]
            if action.kind == "start":
                found.append(Choice(None, edge))
            elif action.kind == "down":
                found.append(Choice(nodes[action.step], edge))
            else:
                found.append(Choice(HEAD, edge, action.slot))
        return found

    def states(self, derivation: UndirectedDerivation) -> list[Tree]:
        """The trees before each action, and the complete one."""
        trees = [Tree()]
        for choice in self.choices(derivation):
            trees.append(self.problem.apply(trees[-1], choice))
        return trees
