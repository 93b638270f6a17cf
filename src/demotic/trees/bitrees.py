"""Trees over two texts: the links that a tree transducer could have made, and in which order.

Each source word is linked with one target word or with none, and the words below each block of the
binarised tree stay together in the target (``core/trees/bitree.h`` finds the heaviest such links).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from demotic import _core
from demotic.errors import ArgumentError
from demotic.trees.cells import Cells, binarise
from demotic.trees.tree import Tree

_BOTH = 2.0
_ONE = 1.0
_LEXICAL = 1e-3
"""The share of lexical probabilities: they decide between links that are alike otherwise."""

Candidate = tuple[int, float]


@dataclass(frozen=True, eq=False)
class Bitree:
    """A tree with its links."""

    tree: Tree
    cells: Cells
    links: tuple[int, ...]
    """The target position of each token, or -1."""
    steps: tuple[tuple[int, int, bool], ...]
    """Attachments from the bottom up: cell, attachment, swapped or not."""
    weight: float


def core_cells(cells: Cells) -> _core.TreeCells:
    """Cells as the core takes them."""
    return _core.TreeCells(cells.tokens, cells.begins, cells.block, cells.sibling, cells.right)


def candidates_of(
    words: int,
    size: int,
    forward: Iterable[tuple[int, int]],
    backward: Iterable[tuple[int, int]],
    lexical: Sequence[Sequence[float]] | None = None,
) -> list[list[Candidate]]:
    """For each source word its links in either direction with their weights, links given once.

    ``lexical[i][j]`` from 0 to 1 says how likely the words are each other's translations.
    """
    one, other = set(forward), set(backward)
    found: list[list[Candidate]] = [[] for _ in range(words)]
    for i, j in sorted(one | other):
        if not (0 <= i < words and 0 <= j < size):
            raise ArgumentError(f"a link {i}-{j} between {words} and {size} words")
        weight = _BOTH if (i, j) in one and (i, j) in other else _ONE
        found[i].append((j, weight + (_LEXICAL * lexical[i][j] if lexical is not None else 0.0)))
    return found


def bitree(
    tree: Tree,
    candidates: Sequence[Sequence[Candidate]],
    size: int,
    *,
    right_first: bool = False,
) -> Bitree:
    """The heaviest links of a tree with a translation of ``size`` words."""
    cells = binarise(tree, right_first=right_first)
    if len(candidates) != len(tree.words):
        raise ArgumentError(f"candidates of {len(candidates)} words for {len(tree.words)}")
    begins = np.zeros(len(candidates) + 1, np.uint32)
    begins[1:] = np.cumsum([len(each) for each in candidates])
    flat = [candidate for each in candidates for candidate in each]
    weight, links, steps = _core.best_bitree(
        core_cells(cells),
        begins,
        np.array([place for place, _ in flat], np.uint32),
        np.array([value for _, value in flat], np.float64),
        size,
    )
    return Bitree(tree, cells, tuple(links), tuple(steps), weight)


@dataclass(frozen=True)
class Choice:
    """A head block about to take a sibling: which order is right, if it may be taken now at all."""

    attachment: int
    label: int
    """0: keep the order; 1: swap it; 2: neither, another sibling comes first."""
    heads: frozenset[int]
    """Tokens that depend on the block's head and are attached already."""
    siblings: frozenset[int]
    """The same of the sibling's head."""


def choices(found: Bitree) -> list[Choice]:
    """What there is to learn from a bitree: at each block of its own, the next siblings.

    Blocks and siblings without words are attached silently.
    """
    cells = found.cells
    spans = _spans(found)
    taken = {cell: attachment for cell, attachment, _ in found.steps}
    result = []
    # The cells of the bitree, and which attachments could have been made from each of them.
    used = {int(cells.block[a]) for a in taken.values()}
    ahead: dict[int, list[int]] = {}
    for attachment, block in enumerate(cells.block):
        if int(block) in used:
            ahead.setdefault(int(block), []).append(attachment)
    node_of = {}
    for cell in range(cells.tokens, len(cells)):
        for attachment in range(cells.begins[cell], cells.begins[cell + 1]):
            node_of[attachment] = int(cells.node[cell])
    dependents = _dependents(found)
    for attachment_made in taken.values():
        block = int(cells.block[attachment_made])
        node = node_of[attachment_made]
        if spans[block] is None:
            continue
        for attachment in ahead[block]:
            if node_of[attachment] != node:
                continue
            sibling = int(cells.sibling[attachment])
            span = spans[sibling]
            if span is None:
                continue
            result.append(
                Choice(
                    attachment,
                    _label(found, spans, attachment, node),
                    dependents[block],
                    dependents[sibling],
                )
            )
    return result


def _spans(found: Bitree) -> dict[int, tuple[int, int] | None]:
    """The first and the last target word of each cell of a bitree; None without words."""
    spans: dict[int, tuple[int, int] | None] = {
        token: None if link < 0 else (link, link) for token, link in enumerate(found.links)
    }
    for cell, attachment, _ in found.steps:
        below = (found.cells.block[attachment], found.cells.sibling[attachment])
        real = [span for each in below if (span := spans[int(each)]) is not None]
        spans[cell] = (min(s[0] for s in real), max(s[1] for s in real)) if real else None
    return spans


def _dependents(found: Bitree) -> dict[int, frozenset[int]]:
    """By cell: tokens attached to its head."""
    head = list(range(found.cells.tokens)) + [-1] * (len(found.cells) - found.cells.tokens)
    sets: dict[int, frozenset[int]] = {token: frozenset() for token in range(found.cells.tokens)}
    for cell, attachment, _ in found.steps:
        block, sibling = int(found.cells.block[attachment]), int(found.cells.sibling[attachment])
        head[cell] = head[block]
        sets[cell] = sets[block] | {head[sibling]}
    return sets


def _label(
    found: Bitree, spans: dict[int, tuple[int, int] | None], attachment: int, node: int
) -> int:
    cells = found.cells
    block = spans[int(cells.block[attachment])]
    sibling = spans[int(cells.sibling[attachment])]
    assert block is not None
    assert sibling is not None
    after = sibling[0] > block[1]
    low, high = (block[1], sibling[0]) if after else (sibling[1], block[0])
    for cell, other, _ in found.steps:
        if int(cells.node[cell]) != node or cell <= int(cells.block[attachment]):
            continue
        span = spans[int(cells.sibling[other])]
        if span is not None and low < span[0] < high and other != attachment:
            return 2
    return 0 if after == bool(cells.right[attachment]) else 1
