"""One derivation of a forest: its rules, features, words and tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from demotic.forest.forest import Forest

Symbol = str | int
"""A word, or the number of a tail (0 for the first)."""


@dataclass(frozen=True)
class ForestRule:
    """``lhs -> source / target`` with tails as numbers; ``origin`` is its number in a grammar."""

    lhs: str
    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    features: dict[str, float] = field(default_factory=dict)
    origin: int | None = None

    def __str__(self) -> str:
        return f"{self.lhs} -> {write_side(self.source)} / {write_side(self.target)}"


def write_side(side: Sequence[Symbol]) -> str:
    """Tails as ``[1]``, ``[2]``, ...; an empty side as a dash."""
    return " ".join(s if isinstance(s, str) else f"[{s + 1}]" for s in side) or "-"


@dataclass(frozen=True, eq=False)
class ForestDerivation:
    """Edges in depth-first order: an edge, then the derivations of its tails from first to last."""

    forest: Forest
    edges: NDArray[np.uint32]
    score: float

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The words of the target side."""
        return self._words(target=True)

    @cached_property
    def source(self) -> tuple[str, ...]:
        """The words of the source side, as far as the rules know them."""
        return self._words(target=False)

    @property
    def text(self) -> str:
        """The tokens, separated by spaces."""
        return " ".join(self.tokens)

    @cached_property
    def rules(self) -> tuple[ForestRule, ...]:
        """The rules, in the order of the edges."""
        return tuple(self.forest.rule(int(r)) for r in self.forest.edge_rule[self.edges])

    @cached_property
    def features(self) -> dict[str, float]:
        """The sum of the edges' features; those that are 0 are left out."""
        total: dict[str, float] = {}
        for edge in self.edges:
            for name, value in self.forest.edge_features(int(edge)).items():
                total[name] = total.get(name, 0.0) + value
        return {name: value for name, value in total.items() if value != 0.0}

    @property
    def loss(self) -> float:
        """The sum of the edges' losses."""
        return self.total(self.forest.loss)

    def total(self, values: ArrayLike) -> float:
        """The sum of any values given per edge of the forest, such as an oracle's gain."""
        return float(np.asarray(values, dtype=np.float64)[self.edges].sum())

    def _repr_html_(self) -> str:
        from demotic.notebook import card, outline

        return card(self.text, outline(self.tree()))

    def tree(self) -> str:
        """The tree as indented text, one edge to a line: label, span, rule, score.

        S 0-3  S -> [1] / [1]  0.000
          X 0-3  X -> [1] de [2] / [2] of [1]  -1.250
            X 0-1  X -> mao / a cat  -0.500
            X 2-3  X -> dianzi / the mat  -0.750
        """
        forest = self.forest
        lines: list[str] = []
        depths = [0]  # of edges still to come, the next one last
        for edge in self.edges:
            depth = depths.pop()
            node = int(forest.head[edge])
            begin, end = forest.spans[node]
            lines.append(
                f"{'  ' * depth}{forest.labels[forest.node_label[node]]} {begin}-{end}"
                f"  {forest.rule(int(forest.edge_rule[edge]))}  {forest.score[edge]:.3f}"
            )
            depths.extend([depth + 1] * len(forest.tails_of(int(edge))))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.edges)

    def _words(self, *, target: bool) -> tuple[str, ...]:
        words = self.forest.words
        return tuple(words[i] for i in self.forest.core.words_of(self.edges, target))
