"""Head-outward binarisation: a node's children join its head block one by one, from either side.

The cell (node, i, j) is the head block of a node with its i nearest siblings on the left and its j
nearest on the right.  Cell (node, 0, 0) is the last cell of the head child.  An attachment makes a
cell from a smaller block and the last cell of the next sibling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demotic.trees.tree import Tree

Ids = NDArray[np.uint32]
MOST_CELLS = 256
"""A node with more cells attaches all right siblings first, then those on the left."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a tree: leaves by their tokens first, then blocks, smaller before larger."""

    tokens: int
    node: Ids
    """The node that a cell is a block of."""
    begins: Ids
    """The attachments that make cell c: from ``begins[c]`` up to before ``begins[c + 1]``."""
    block: Ids
    """The head block, a cell, of each attachment."""
    sibling: Ids
    """What is attached to it, a cell."""
    right: NDArray[np.uint8]
    """1 where the sibling stands on the right of the block."""

    def __len__(self) -> int:
        return len(self.node)


def binarise(tree: Tree, *, right_first: bool = False, most: int = MOST_CELLS) -> Cells:
    """The cells of a tree; with ``right_first`` siblings have one order."""
    node = list(tree.leaves)
    begins = [0] * (len(node) + 1)
    block: list[int] = []
    sibling: list[int] = []
    right: list[int] = []
    last = [-1] * len(tree.labels)  # the last cell of each node
    for token, leaf in enumerate(tree.leaves):
        last[leaf] = token
    for parent, below in enumerate(tree.children):
        if not below:
            continue
        at = below.index(tree.head_child[parent])
        lefts, rights = below[:at][::-1], below[at + 1 :]
        one_order = right_first or (len(lefts) + 1) * (len(rights) + 1) > most
        cells = {(0, 0): last[below[at]]}
        for i in range(len(lefts) + 1):
            for j in range(len(rights) + 1):
                if i == j == 0 or (one_order and i and j < len(rights)):
                    continue
                if j and (i, j - 1) in cells:
                    block.append(cells[i, j - 1])
                    sibling.append(last[rights[j - 1]])
                    right.append(1)
                if i and (i - 1, j) in cells:
                    block.append(cells[i - 1, j])
                    sibling.append(last[lefts[i - 1]])
                    right.append(0)
                cells[i, j] = len(node)
                node.append(parent)
                begins.append(len(block))
        last[parent] = cells[len(lefts), len(rights)]
    return Cells(
        len(tree.words),
        np.array(node, np.uint32),
        np.array(begins, np.uint32),
        np.array(block, np.uint32),
        np.array(sibling, np.uint32),
        np.array(right, np.uint8),
    )
