"""Tree transduction, the search: leaves choose translations, head blocks keep or swap siblings.

found = transduce(tree, leaves, keep=keep, swap=swap)     # scores h of each attachment's two orders
found.words                                               # (token, translation), in target order
found.forest(["<none>", "la", "maison"]).kbest(10)

``leaves[k]`` lists translations of token k with their costs; 0 is no translation.  An attachment
costs ln(1 + exp(-h)).  Attachments are those of ``demotic.trees.binarise``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from demotic import _core
from demotic.errors import ArgumentError, check_choices, check_counts
from demotic.forest import Forest, ForestBuilder
from demotic.trees import Cells, Tree, binarise, core_cells

Leaf = Sequence[tuple[int, float]]
_SLOTS = 5


@dataclass(frozen=True, kw_only=True)
class TreeSearch:
    """How to search."""

    beam: int = 40
    """Items kept of each cell."""
    threshold: float = 1e-3
    """Items are dropped whose score is below this share of the best; 0 drops none."""
    right_first: bool = False
    """Right siblings join their head before those on the left: one order instead of all."""
    recombine: bool = True
    """Items with the same head and the same dependents are one."""
    erased: Literal["skip", "score"] = "skip"
    """A side without words costs nothing to attach (``skip``), or what others do (``score``)."""

    def __post_init__(self) -> None:
        check_choices(self)
        check_counts(self, "beam", least=1)
        if not 0 <= self.threshold <= 1:
            raise ArgumentError(f"threshold is {self.threshold}", remedy="give a share, 0 to 1")

    @property
    def width(self) -> float:
        """The threshold as a difference of costs."""
        return -math.log(self.threshold) if self.threshold > 0 else 1e300


@dataclass(frozen=True, eq=False)
class Transduction:
    """What the search found."""

    tree: Tree
    cells: Cells
    leaves: Sequence[Leaf]
    space: _core.TransducerSpace

    @property
    def cost(self) -> float:
        """Of the best tree."""
        return self.space.cost

    @property
    def words(self) -> tuple[tuple[int, int], ...]:
        """Tokens with their translations in the best tree, in target order."""
        return tuple((token, target) for token, target in self.space.words)

    @property
    def steps(self) -> tuple[tuple[int, bool], ...]:
        """The attachments of the best tree from the bottom up, and whether they swap."""
        edges = self.space.edges
        best = [edges[edge] for edge in self.space.best]
        return tuple((choice, swapped) for _, choice, block, _, swapped, _ in best if block >= 0)

    def forest(self, names: Sequence[str]) -> Forest:
        """All that was considered, scores being costs below 0; ``names`` are translations."""
        build = ForestBuilder()
        spans, edges = self._spans(), self.space.edges
        rules: dict[tuple[str, ...], int] = {}
        labels = [self.tree.labels[node] for node in self.cells.node]
        orders: dict[tuple[str, bool], int] = {}
        flat = [target for leaf in self.leaves for target, _ in leaf]
        places = [k for k, leaf in enumerate(self.leaves) for _ in leaf]
        made = []
        for head, choice, block, _, swapped, _ in edges:
            label = labels[self.items[head][0]]
            if block < 0:
                word = [names[flat[choice]]] if flat[choice] else []
                key = (label, self.tree.words[places[choice]], *word)
                if key not in rules:
                    rules[key] = build.add_rule(label, [key[1]], word)
                made.append(rules[key])
                continue
            if (label, swapped) not in orders:
                order = [1, 0] if swapped else [0, 1]
                orders[label, swapped] = build.add_rule(label, [0, 1], order)
            made.append(orders[label, swapped])
        for cell, _, _ in self.items:
            build.add_node(labels[cell], *spans[cell])
        for (head, choice, block, sibling, _, cost), rule in zip(edges, made, strict=True):
            tails = [] if block < 0 else [block, sibling]
            if tails and not self.cells.right[choice]:
                tails.reverse()  # in the order of the source
            build.add_edge(head, tails, rule, score=-cost)
        return build.finalize(self.space.root)

    @property
    def items(self) -> Sequence[tuple[int, int, float]]:
        """Items: cell, translation of the head, cost."""
        return self.space.items

    def _spans(self) -> list[tuple[int, int]]:
        """Source words of each cell."""
        spans = [(k, k + 1) for k in range(self.cells.tokens)]
        for cell in range(self.cells.tokens, len(self.cells)):
            first = self.cells.begins[cell]
            parts = [spans[self.cells.block[first]], spans[self.cells.sibling[first]]]
            spans.append((min(part[0] for part in parts), max(part[1] for part in parts)))
        return spans


def transduce(
    tree: Tree,
    leaves: Sequence[Leaf],
    *,
    keep: Sequence[float],
    swap: Sequence[float],
    options: TreeSearch | None = None,
) -> Transduction:
    """The cheapest translation of a tree; scores belong to the attachments of its cells."""
    options = options or TreeSearch()
    cells = binarise(tree, right_first=options.right_first)
    count = len(cells.block)
    flat = [each for leaf in leaves for each in leaf]
    begins = np.zeros(len(leaves) + 1, np.uint32)
    begins[1:] = np.cumsum([len(leaf) for leaf in leaves])
    space = _core.PermutationModel().search(
        core_cells(cells),
        begins,
        np.array([target for target, _ in flat], np.uint32),
        np.array([cost for _, cost in flat], np.float64),
        np.array(keep, np.float64),
        np.array(swap, np.float64),
        np.zeros(count, np.uint32),
        np.zeros(count + 1, np.uint32),
        np.zeros(0, np.uint32),
        np.zeros(_SLOTS * count + 1, np.uint32),
        np.zeros(0, np.uint32),
        options.beam,
        options.width,
        options.recombine,
        options.erased == "score",
    )
    return Transduction(tree, cells, leaves, space)
