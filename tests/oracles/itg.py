"""Items and labels from their definitions: recursive splitting, stacks that do what labels say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Link = tuple[int, int]
Tree = Any
"""A leaf ``(i, j, low, high)`` of linked words, borders inclusive, or ``(sign, left, right)``."""


def compressed(links: Iterable[Link]) -> tuple[list[Link], list[int], list[int]]:
    """Links between linked words only, and where these stand in their sentences."""
    links = sorted(set(links))
    sources = sorted({s for s, _ in links})
    targets = sorted({t for _, t in links})
    return [(sources.index(s), targets.index(t)) for s, t in links], sources, targets


def hull(links: Sequence[Link], i: int, j: int) -> tuple[int, int] | None:
    """The target hull of source words i to j if they are a block."""
    inside = [t for s, t in links if i <= s <= j]
    low, high = min(inside), max(inside)
    return (low, high) if all(i <= s <= j for s, t in links if low <= t <= high) else None


def split(links: Sequence[Link], i: int, j: int) -> Tree:
    """The tree over a block, split as far to the right as possible."""
    whole = hull(links, i, j)
    assert whole is not None
    for k in reversed(range(i, j)):
        left, right = hull(links, i, k), hull(links, k + 1, j)
        if left and right:
            sign = "R+" if left[1] < right[0] else "R-"
            return (sign, split(links, i, k), split(links, k + 1, j))
    return (i, j, *whole)


def leaves(tree: Tree) -> list[tuple[int, int, int, int]]:
    if isinstance(tree[0], str):
        return leaves(tree[1]) + leaves(tree[2])
    return [tree]


def blocks_within(links: Sequence[Link], leaf: tuple[int, int, int, int]) -> list[Tree]:
    """The largest blocks properly inside an item, from left to right."""
    i, j = leaf[:2]
    found, at = [], i
    while at <= j:
        ends = [k for k in range(at, j + 1) if (at, k) != (i, j) and hull(links, at, k)]
        if ends:
            found.append(split(links, at, ends[-1]))
        at = ends[-1] + 1 if ends else at + 1
    return found


def postorder(tree: Tree) -> list[list[str]]:
    """Operations grouped by the shifts of leaves."""
    if isinstance(tree[0], str):
        below = postorder(tree[1]) + postorder(tree[2])
        below[-1].append(tree[0])
        return below
    return [["S"]]


def execute(items: Sequence[Sequence[Any]], labels: Sequence[Sequence[str]]) -> list[list[Any]]:
    """The stack after all labels; items are lists of target words."""
    stack: list[list[Any]] = []
    for item, operations in zip(items, labels, strict=True):
        assert operations[0] == "S"
        stack.append(list(item))
        for sign in operations[1:]:
            right, left = stack.pop(), stack.pop()
            stack.append(left + right if sign == "R+" else right + left)
    return stack


def build(labels: Sequence[Sequence[str]]) -> Tree:
    """The tree that labels amount to; leaves are numbers."""
    stack: list[Tree] = []
    for number, operations in enumerate(labels):
        stack.append(number)
        for sign in operations[1:]:
            right, left = stack.pop(), stack.pop()
            stack.append((sign, left, right))
    [tree] = stack
    return tree


def shape(tree: Tree, leaf_numbers: dict[Any, int]) -> Tree:
    """A tree of leaves as one of their numbers."""
    if isinstance(tree[0], str):
        return (tree[0], shape(tree[1], leaf_numbers), shape(tree[2], leaf_numbers))
    return leaf_numbers[tree]
