"""Cells: every order in which siblings can join their head, and nothing else."""

from __future__ import annotations

from math import comb

from hypothesis import given

from demotic.trees import Tree, binarise
from demotic.trees.tree import TreeBuilder
from tests.trees.forests import trees


def star(left: int, right: int) -> Tree:
    build = TreeBuilder()
    leaves = [build.leaf("w", "X") for _ in range(left + 1 + right)]
    build.node("TOP", leaves, leaves[left])
    return build.tree()


def orders(tree: Tree, *, right_first: bool = False, most: int = 256) -> int:
    """In how many ways the last cell can be built."""
    cells = binarise(tree, right_first=right_first, most=most)
    ways = [1] * cells.tokens
    for cell in range(cells.tokens, len(cells)):
        here = range(cells.begins[cell], cells.begins[cell + 1])
        ways.append(sum(ways[cells.block[a]] * ways[cells.sibling[a]] for a in here))
    return ways[-1]


def test_siblings_join_from_either_side() -> None:
    assert orders(star(2, 3)) == comb(5, 2)
    assert orders(star(2, 3), right_first=True) == 1
    assert orders(star(20, 20), most=100) == 1
    assert orders(star(0, 0)) == 1


@given(trees())
def test_cells_cover_what_their_attachments_cover(tree: Tree) -> None:
    cells = binarise(tree)
    spans = [(k, k + 1) for k in range(cells.tokens)]
    for cell in range(cells.tokens, len(cells)):
        found = set()
        for a in range(cells.begins[cell], cells.begins[cell + 1]):
            block, sibling = spans[cells.block[a]], spans[cells.sibling[a]]
            left, right = (block, sibling) if cells.right[a] else (sibling, block)
            assert left[1] == right[0]
            found.add((left[0], right[1]))
        (span,) = found
        spans.append(span)
    assert spans[-1] == (0, len(tree.words))
