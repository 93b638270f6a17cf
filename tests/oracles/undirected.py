"""Undirected decoding from its definition: every sum taken afresh over the whole partial tree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from demotic.forest import Forest
from demotic.lm import LanguageModel

LN10 = math.log(10)
HEAD = -1
"""Where an action is put: an open tail by its node, or the open head; None on the empty tree."""


@dataclass(frozen=True)
class Edge:
    head: int
    tails: tuple[int, ...]
    target: tuple[str | int, ...]
    features: dict[str, float]


@dataclass(frozen=True)
class Choice:
    at: int | None
    edge: int
    child: int = -1
    """Going up: the tail by which the edge takes the tree."""


@dataclass(frozen=True)
class Tree:
    """A connected set of edges; ``slots`` are its open nodes in the order in which they opened."""

    edges: frozenset[int] = frozenset()
    top: int = -1
    slots: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        return bool(self.edges) and not self.slots


class Problem:
    """One sentence: its context-free forest, a language model and how scores are made."""

    def __init__(
        self,
        forest: Forest,
        lm: LanguageModel | None,
        weights: Mapping[str, float],
        *,
        kappa: float = 0.0,
        cff: Literal["raw", "delta", "off"] = "raw",
        estimates: bool = False,
    ) -> None:
        self.forest, self.lm, self.weights, self.kappa, self.cff = forest, lm, weights, kappa, cff
        self.estimates = estimates
        self.edges = [
            Edge(
                int(forest.head[e]),
                tuple(int(tail) for tail in forest.tails_of(e)),
                forest.rule(int(forest.edge_rule[e])).target,
                forest.edge_features(e),
            )
            for e in range(forest.edges)
        ]
        self.goal = forest.nodes - 1
        self.below: list[list[int]] = [[] for _ in range(forest.nodes)]
        self.above: list[list[tuple[int, int]]] = [[] for _ in range(forest.nodes)]
        for number, edge in enumerate(self.edges):
            self.below[edge.head].append(number)
            for child, tail in enumerate(edge.tails):
                self.above[tail].append((number, child))

    # -- the context-free forest ----------------------------------------------------------------

    def local(self, edge: int) -> float:
        return sum(self.weights.get(n, 0.0) * v for n, v in self.edges[edge].features.items())

    def bound(self, edge: int) -> float:
        """What bounds on branches count of an edge: its words as well, runs taken alone?"""
        total = self.local(edge)
        if self.estimates and self.lm is not None:
            run: list[str] = []
            for symbol in self.edges[edge].target:
                if isinstance(symbol, str):
                    value = LN10 * self.lm.score_ngram(run[1 - self.lm.order :], symbol).log10
                    total += self.weights["LanguageModel"] * value
                run = [*run, symbol] if isinstance(symbol, str) else []
        return total

    def insides(self, node: int) -> list[frozenset[int]]:
        """The edges of every derivation of a node."""
        found = []
        for edge in self.below[node]:
            for parts in itertools.product(*map(self.insides, self.edges[edge].tails)):
                found.append(frozenset([edge]).union(*parts))
        return found

    def outsides(self, node: int) -> list[frozenset[int]]:
        """The edges of everything that may surround a node."""
        if node == self.goal:
            return [frozenset()]
        found = []
        for edge, child in self.above[node]:
            others = [t for k, t in enumerate(self.edges[edge].tails) if k != child]
            for parts in itertools.product(
                self.outsides(self.edges[edge].head), *map(self.insides, others)
            ):
                found.append(frozenset([edge]).union(*parts))
        return found

    def best(self, completions: list[frozenset[int]]) -> float:
        return max(sum(map(self.bound, edges)) for edges in completions)

    @cached_property
    def inside(self) -> list[float]:
        return [self.best(self.insides(node)) for node in range(self.goal + 1)]

    @cached_property
    def outside(self) -> list[float]:
        return [self.best(self.outsides(node)) for node in range(self.goal + 1)]

    # -- the yield ------------------------------------------------------------------------------

    def symbols(self, tree: Tree) -> list[str | None]:
        """Words, and None for gaps; the open head is a gap on both sides."""
        by_head = {self.edges[e].head: e for e in tree.edges}

        def write(node: int) -> list[str | None]:
            if node not in by_head:
                return [None]
            found: list[str | None] = []
            edge = self.edges[by_head[node]]
            for symbol in edge.target:
                found += [symbol] if isinstance(symbol, str) else write(edge.tails[symbol])
            return found

        if not tree.edges:
            return []
        within = write(self.edges[tree.top].head)
        if self.edges[tree.top].head == self.goal:
            return ["<s>", *within, "</s>"]
        return [None, *within, None]

    def words(self, tree: Tree) -> tuple[str, ...]:
        return tuple(word for word in self.symbols(tree)[1:-1] if word is not None)

    def lm_sums(self, tree: Tree) -> tuple[float, float]:
        """Natural logs: the sum over complete words, and over incomplete ones."""
        if self.lm is None:
            return 0.0, 0.0
        reach = self.lm.order - 1
        complete = incomplete = 0.0
        run: list[str] = []
        for place, word in enumerate(self.symbols(tree)):
            if word is None:
                run = []
                continue
            if place == 0:  # <s>
                run = [word]
                continue
            # Words that look like a border are unknown, wherever they stand.
            last = place == len(self.symbols(tree)) - 1
            known = word if last or word not in ("<s>", "</s>") else "\0"
            value = LN10 * self.lm.score_ngram(run[-reach:] if reach else [], known).log10
            if len(run) >= reach or (run and run[0] == "<s>"):
                complete += value
            else:
                incomplete += value
            run.append(known)
        return complete, incomplete

    # -- actions --------------------------------------------------------------------------------

    def actions(self, tree: Tree) -> Iterator[Choice]:
        """By age of the slot, then by edge, then by tail."""
        if not tree.edges:
            for number, edge in enumerate(self.edges):
                if not edge.tails:
                    yield Choice(None, number)
        for slot in tree.slots:
            if slot == HEAD:
                for edge, child in self.above[self.edges[tree.top].head]:
                    yield Choice(HEAD, edge, child)
            else:
                for number in self.below[slot]:
                    yield Choice(slot, number)

    def apply(self, tree: Tree, choice: Choice) -> Tree:
        edge = self.edges[choice.edge]
        opened = [tail for child, tail in enumerate(edge.tails) if child != choice.child]
        top = tree.top
        if choice.at in (None, HEAD):
            top = choice.edge
            if edge.head != self.goal:
                opened.append(HEAD)
        slots = tuple(slot for slot in tree.slots if slot != choice.at)
        return Tree(tree.edges | {choice.edge}, top, (*slots, *opened))

    def phi(self, tree: Tree, choice: Choice) -> dict[str, float]:
        edge = self.edges[choice.edge]
        after = self.apply(tree, choice)
        found = dict(edge.features)
        before, now = self.lm_sums(tree), self.lm_sums(after)
        found["LanguageModel"] = now[0] - before[0] + self.kappa * (now[1] - before[1])
        names = ("Cff1", "Cff2", "Cff2")  # by tail; from the second on they share one
        found |= dict.fromkeys((*names, "CffHead"), 0.0)
        if self.cff == "off":
            return found
        for child, tail in enumerate(edge.tails):
            if child != choice.child:
                found[names[child]] += self.inside[tail]
        if choice.at in (None, HEAD):
            found["CffHead"] += self.outside[edge.head]
        if self.cff == "delta" and choice.at == HEAD:
            found["CffHead"] -= self.outside[self.edges[tree.top].head]
        elif self.cff == "delta" and choice.at is not None:
            parent = next(self.edges[e] for e in tree.edges if choice.at in self.edges[e].tails)
            found[names[parent.tails.index(choice.at)]] -= self.inside[choice.at]
        return found

    def score(self, tree: Tree, choice: Choice) -> float:
        return sum(self.weights.get(n, 0.0) * v for n, v in self.phi(tree, choice).items())

    def ranking(self, tree: Tree) -> list[tuple[float, Choice]]:
        """Every action with its score, best first."""
        scored = [(self.score(tree, choice), choice) for choice in self.actions(tree)]
        return sorted(scored, key=lambda pair: -pair[0])

    def follow(self, tree: Tree) -> tuple[Tree, float]:
        """The end of the policy's path, and by how much its closest decision was made."""
        closest = math.inf
        while not tree.complete:
            ranking = self.ranking(tree)
            if len(ranking) > 1:
                closest = min(closest, ranking[0][0] - ranking[1][0])
            tree = self.apply(tree, ranking[0][1])
        return tree, closest
