"""Links between trees and their translations: the best there are, and what can be learned there."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic import _core
from demotic.errors import ArgumentError
from demotic.trees import Tree, flat_tree
from demotic.trees.bitrees import Bitree, bitree, candidates_of, choices, core_cells
from tests.oracles.tree_orders import heaviest, target_orders
from tests.trees.forests import trees

Candidates = list[list[tuple[int, float]]]


@st.composite
def linked_trees(draw: st.DrawFn) -> tuple[Tree, Candidates, int]:
    tree = draw(trees(5))
    size = draw(st.integers(0, 6))
    weights = st.sampled_from([1.0, 2.0, 1.25, 2.5])
    places = st.sets(st.integers(0, size - 1), max_size=3) if size else st.just(set())
    found = [[(j, draw(weights)) for j in sorted(draw(places))] for _ in tree.words]
    return tree, found, size


def replayed(found: Bitree) -> list[int]:
    """Tokens in target order, by the steps."""
    orders: dict[int, list[int]] = {k: [k] for k in range(found.cells.tokens)}
    last = 0
    for cell, a, swapped in found.steps:
        block, sibling = orders[int(found.cells.block[a])], orders[int(found.cells.sibling[a])]
        first = bool(found.cells.right[a]) != swapped
        orders[cell] = block + sibling if first else sibling + block
        last = cell
    return orders[last]


@given(linked_trees())
@settings(max_examples=60, deadline=None)
def test_the_weight_is_that_of_enumeration(given_: tuple[Tree, Candidates, int]) -> None:
    tree, candidates, size = given_
    found = bitree(tree, candidates, size)
    assert found.weight == pytest.approx(heaviest(tree, candidates))
    kept = [j for j in found.links if j >= 0]
    assert len(kept) == len(set(kept))
    weights = [dict(candidates[k])[j] for k, j in enumerate(found.links) if j >= 0]
    assert sum(weights) == pytest.approx(found.weight)


@given(linked_trees())
@settings(max_examples=60, deadline=None)
def test_steps_write_the_target_in_its_order(given_: tuple[Tree, Candidates, int]) -> None:
    found = bitree(*given_)
    order = replayed(found)
    assert tuple(order) in target_orders(found.tree)
    links = [found.links[token] for token in order if found.links[token] >= 0]
    assert links == sorted(links)


def oracle_scores(found: Bitree) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """High where an attachment is right, low elsewhere."""
    keep, swap = np.full((2, len(found.cells.block)), -30.0)
    for choice in choices(found):
        if choice.label < 2:
            (keep, swap)[choice.label][choice.attachment] = 30.0
    return keep, swap


@given(linked_trees())
@settings(max_examples=60, deadline=None)
def test_a_transducer_that_knows_what_is_right_writes_the_target(
    given_: tuple[Tree, Candidates, int],
) -> None:
    found = bitree(*given_)
    keep, swap = oracle_scores(found)
    words = [0 if link < 0 else link + 1 for link in found.links]
    space = search(found, [[(word, 0.0)] for word in words], keep, swap)
    assert [target for _, target in space.words] == sorted(word for word in words if word)
    assert space.cost < 1e-6


def search(
    found: Bitree,
    leaves: list[list[tuple[int, float]]],
    keep: np.ndarray,  # type: ignore[type-arg]
    swap: np.ndarray,  # type: ignore[type-arg]
) -> _core.TransducerSpace:
    begins = np.cumsum([0, *(len(each) for each in leaves)]).astype(np.uint32)
    flat = [each for leaf in leaves for each in leaf]
    count = len(keep)
    return _core.PermutationModel().search(
        core_cells(found.cells),
        begins,
        np.array([target for target, _ in flat], np.uint32),
        np.array([cost for _, cost in flat], np.float64),
        keep,
        swap,
        np.zeros(count, np.uint32),
        np.zeros(count + 1, np.uint32),
        np.zeros(0, np.uint32),
        np.zeros(5 * count + 1, np.uint32),
        np.zeros(0, np.uint32),
        np.zeros(0, np.uint32),
        np.zeros(0),
        items=1000,
        width=1e9,
        recombine=True,
        score_erased=False,
        order_weight=1.0,
        language=None,
        word_begins=np.zeros(0, np.uint32),
        words=np.zeros(0, np.uint32),
        language_weight=0.0,
    )


@given(linked_trees())
@settings(max_examples=60, deadline=None)
def test_no_choice_ends_where_the_target_cannot_be_reached(
    given_: tuple[Tree, Candidates, int],
) -> None:
    """At every block that has words, some sibling with words may come now."""
    found = bitree(*given_)
    by_block: dict[int, list[int]] = {}
    for choice in choices(found):
        by_block.setdefault(int(found.cells.block[choice.attachment]), []).append(choice.label)
    assert all(any(label < 2 for label in labels) for labels in by_block.values())


def test_links_in_both_directions_weigh_more() -> None:
    found = candidates_of(2, 3, [(0, 1), (1, 2), (0, 1)], [(0, 1), (1, 0)], [[1.0] * 3] * 2)
    assert found == [[(1, 2.001)], [(0, 1.001), (2, 1.001)]]
    with pytest.raises(ArgumentError, match="a link 0-3"):
        candidates_of(2, 3, [(0, 3)], [])


def test_ties_keep_the_order() -> None:
    tree = flat_tree(["a", "b", "c"], "XYZ")
    found = bitree(tree, [[(0, 1.0)], [(1, 1.0)], [(2, 1.0)]], 3)
    assert found.links == (0, 1, 2)
    assert [swapped for _, _, swapped in found.steps] == [False, False]
    with pytest.raises(ArgumentError, match="candidates of 1 words for 3"):
        bitree(tree, [[]], 3)


def test_arrays_that_are_no_cells_are_refused() -> None:
    ids = np.array([0, 0, 0, 1], np.uint32)
    with pytest.raises(ArgumentError, match="no cells"):
        _core.TreeCells(2, ids, np.array([7], np.uint32), np.array([0], np.uint32),
                        np.array([1], np.uint8))  # fmt: skip
