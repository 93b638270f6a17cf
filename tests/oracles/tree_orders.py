"""Target orders that a tree allows, and the best of everything, by trying all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from demotic.trees import Cells, Tree

Order = tuple[int, ...]


def target_orders(tree: Tree) -> set[Order]:
    """Every order of the tokens: siblings join their head from either side, before or behind."""
    made: list[set[Order]] = []
    token = 0
    for node, below in enumerate(tree.children):
        if not below:
            made.append({(token,)})
            token += 1
            continue
        at = below.index(tree.head_child[node])
        lefts, rights = below[:at][::-1], below[at + 1 :]
        blocks: dict[tuple[int, int], set[Order]] = {(0, 0): made[below[at]]}
        for i, j in product(range(len(lefts) + 1), range(len(rights) + 1)):
            here = blocks.setdefault((i, j), set())
            for before, sibling in (
                ((i - 1, j), lefts[i - 1 : i]),
                ((i, j - 1), rights[j - 1 : j]),
            ):
                if min(before) >= 0 and sibling:
                    for one, other in product(blocks[before], made[sibling[0]]):
                        here |= {one + other, other + one}
        made.append(blocks[len(lefts), len(rights)])
    return made[-1]


def heaviest(tree: Tree, candidates: Sequence[Sequence[tuple[int, float]]]) -> float:
    """The weight of the best links that some order makes rise."""
    best = 0.0
    for order in target_orders(tree):
        ways = {-1: 0.0}  # the last target position: the weight so far
        for token in order:
            for last, weight in list(ways.items()):
                for place, more in candidates[token]:
                    if place > last and weight + more > ways.get(place, -1.0):
                        ways[place] = weight + more
        best = max(best, *ways.values())
    return best


Leaf = Sequence[tuple[int, float]]
Found = tuple[float, tuple[int, ...]]


def cheapest(
    cells: Cells,
    leaves: Sequence[Leaf],
    keep: Sequence[float],
    swap: Sequence[float],
    *,
    score_erased: bool = False,
) -> Found:
    """The cost and the words of the best tree, by all choices of leaves, orders and swaps."""
    written = [[(cost, (word,) if word else ()) for word, cost in leaf] for leaf in leaves]
    return min(all_trees(cells, written, keep, swap, score_erased=score_erased))


def all_trees(
    cells: Cells,
    leaves: Sequence[Sequence[tuple[float, tuple[Any, ...]]]],
    keep: Sequence[float],
    swap: Sequence[float],
    *,
    score_erased: bool = False,
) -> Iterator[tuple[float, tuple[Any, ...]]]:
    """Costs and words of all trees; leaves have costs and the words that they write."""
    for chosen in product(*leaves):
        ways = [[each] for each in chosen]
        for cell in range(cells.tokens, len(cells)):
            here = []
            for a in range(cells.begins[cell], cells.begins[cell + 1]):
                for (c, block), (d, sibling) in product(
                    ways[cells.block[a]], ways[cells.sibling[a]]
                ):
                    one, other = (block, sibling) if cells.right[a] else (sibling, block)
                    if (not block or not sibling) and not score_erased:
                        here.append((c + d, one + other))
                    else:
                        here.append((c + d + keep[a], one + other))
                        here.append((c + d + swap[a], other + one))
            ways.append(here)
        yield from ways[-1]
