"""The cell search finds the cheapest tree, and never claims a cheaper one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from demotic import _core
from demotic.errors import ArgumentError, CorruptFileError
from demotic.trees import Cells, Tree, binarise
from demotic.trees.bitrees import core_cells
from tests.oracles.tree_orders import cheapest
from tests.trees.forests import trees

Leaves = list[list[tuple[int, float]]]
Problem = tuple[Tree, Leaves, list[float], list[float]]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    tree = draw(trees(4))
    scores = st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.5])
    costs = st.sampled_from([0.0, 0.125, 0.75, 1.5])
    st.sets(st.integers(0, 3), min_size=1, max_size=2)
    count = len(binarise(tree).block)
    leaves = [
        [
            (word, draw(costs))
            for word in sorted(draw(st.sets(st.integers(0, 3), min_size=1, max_size=2)))
        ]
        for _ in tree.words
    ]
    h = [draw(st.lists(scores, min_size=count, max_size=count)) for _ in range(2)]
    return tree, leaves, h[0], h[1]


def run(
    cells: Cells,
    leaves: Leaves,
    keep: list[float],
    swap: list[float],
    *,
    items: int = 10_000,
    width: float = 1e6,
    recombine: bool = True,
    score_erased: bool = False,
) -> _core.TransducerSpace:
    count = len(keep)
    flat = [each for leaf in leaves for each in leaf]
    nothing: NDArray[np.uint32] = np.zeros(0, np.uint32)
    return _core.PermutationModel().search(
        core_cells(cells),
        np.cumsum([0, *(len(each) for each in leaves)]).astype(np.uint32),
        np.array([target for target, _ in flat], np.uint32),
        np.array([cost for _, cost in flat]),
        np.array(keep),
        np.array(swap),
        np.zeros(count, np.uint32),
        np.zeros(count + 1, np.uint32),
        nothing,
        np.zeros(5 * count + 1, np.uint32),
        nothing,
        nothing,
        np.zeros(0),
        items,
        width,
        recombine,
        score_erased,
        1.0,
        None,
        nothing,
        nothing,
        0.0,
    )


def costs(h: list[float]) -> list[float]:
    return [float(np.logaddexp(0.0, -each)) for each in h]


@given(problems(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_without_pruning_the_cheapest_tree_is_found(problem: Problem, erased: bool) -> None:
    tree, leaves, keep, swap = problem
    cells = binarise(tree)
    least, _ = cheapest(cells, leaves, costs(keep), costs(swap), score_erased=erased)
    for recombine in (True, False):
        space = run(cells, leaves, keep, swap, recombine=recombine, score_erased=erased)
        assert space.cost == pytest.approx(least)
    pruned = run(cells, leaves, keep, swap, items=2, width=1.0, score_erased=erased)
    assert pruned.cost >= least - 1e-9


@given(problems())
@settings(max_examples=40, deadline=None)
def test_the_best_tree_costs_what_its_steps_cost(problem: Problem) -> None:
    tree, leaves, keep, swap = problem
    space = run(binarise(tree), leaves, keep, swap, items=40, width=6.9)
    edges, items = space.edges, space.items
    assert sum(edges[e][5] for e in space.best) == pytest.approx(space.cost)
    assert len(space.best) == 2 * len(tree.words) - 1
    for head, _, block, sibling, _, cost in edges:
        if block >= 0:
            below = items[block][2] + items[sibling][2]
            assert items[head][2] <= below + cost + 1e-9
    tokens = [token for token, _ in space.words]
    assert len(tokens) == len(set(tokens))
    assert all(target for _, target in space.words)


def test_numbers_beyond_exponents_are_no_matter() -> None:
    tree = binary()
    space = run(binarise(tree), [[(1, 0.0)], [(2, 0.0)]], [-800.0], [800.0])
    assert [target for _, target in space.words] == [2, 1]
    assert run(binarise(tree), [[(1, 0.0)], [(2, 0.0)]], [-800.0], [-900.0]).cost == 800.0


def binary() -> Tree:
    from demotic.trees import flat_tree

    return flat_tree(["a", "b"], ["X", "Y"])


def test_arrays_that_do_not_fit_are_refused() -> None:
    cells = binarise(binary())
    with pytest.raises(ArgumentError, match="do not fit"):
        run(cells, [[(1, 0.0)], []], [0.0], [0.0])
    with pytest.raises(ArgumentError, match="do not fit"):
        run(cells, [[(1, float("nan"))], [(1, 0.0)]], [0.0], [0.0])
    with pytest.raises(ArgumentError, match="do not fit"):
        run(cells, [[(1, 0.0)], [(1, 0.0)]], [0.0], [0.0, 1.0])


def one_word_trees(atom: int) -> tuple[list[int], list[int], list[int], list[int], list[float]]:
    """Keeping: 2 where the atom holds, else -2.  Swapping: always 0."""
    leaf = 0xFFFFFFFF
    return [1, 2], [3, 4], [atom, leaf, leaf, leaf], [2, 0, 0, 0], [0.0, 2.0, -2.0, 0.0]


@pytest.mark.parametrize(
    ("slot", "first", "second"),
    [(0, 5, 0xFFFFFFFF), (1, 7, 0xFFFFFFFF), (2, 5, 7), (3, 9, 0xFFFFFFFF), (4, 8, 0xFFFFFFFF)],
)
def test_classifiers_see_what_was_translated(slot: int, first: int, second: int) -> None:
    """The head is 5, with a dependent 9; the sibling is 7, with a dependent 8."""
    tree = nested()
    cells = binarise(tree)
    count = len(cells.block)
    name_begins = np.zeros(5 * count + 1, np.uint32)
    last = count - 1  # the attachment of the larger sibling to the block of the head
    name_begins[5 * last + slot + 1 :] = 1
    words = [9, 5, 8, 7]
    for target, holds in ((first, True), (first + 100, False)):
        ids = [np.array([each], np.uint32) for each in (3, target, second, 1)]
        model = _core.PermutationModel(*one_word_trees(1), 2, *ids)
        space = model.search(
            core_cells(cells),
            np.arange(len(words) + 1, dtype=np.uint32),
            np.array(words, np.uint32),
            np.zeros(len(words)),
            np.array([50.0] * last + [0.0]),
            np.array([-50.0] * last + [0.0]),
            np.array([9] * last + [0], np.uint32),  # others have no classifier
            np.zeros(count + 1, np.uint32),
            np.zeros(0, np.uint32),
            name_begins,
            np.array([3], np.uint32),
            np.zeros(0, np.uint32),
            np.zeros(0),
            40,
            6.9,
            True,
            False,
            1.0,
            None,
            np.zeros(0, np.uint32),
            np.zeros(0, np.uint32),
            0.0,
        )
        # ln(1 + exp(-2)) for keeping where the atom holds; else swapping at ln 2 is better.
        expected = np.logaddexp(0.0, -2.0) if holds else np.log(2.0)
        assert space.cost == pytest.approx(expected)
        found = [word for _, word in space.words]
        assert found == ([9, 5, 8, 7] if holds else [8, 7, 9, 5])


def nested() -> Tree:
    """((a B) (c D)), heads in capitals."""
    from demotic.trees.tree import TreeBuilder

    build = TreeBuilder()
    a, b = build.leaf("a", "A"), build.leaf("B", "B")
    one = build.node("X", [a, b], b)
    c, d = build.leaf("c", "C"), build.leaf("D", "D")
    other = build.node("Y", [c, d], d)
    build.node("TOP", [one, other], one)
    return build.tree()


@pytest.mark.parametrize(
    "wrong",
    [
        ([1], [3], [1, 0xFFFFFFFF], [2, 0, 0], [0.0, 1.0, 1.0]),
        ([1], [3], [1, 0xFFFFFFFF, 0xFFFFFFFF], [0, 0, 0], [0.0, 1.0, 1.0]),
        ([1], [3], [1, 0xFFFFFFFF, 0xFFFFFFFF], [9, 0, 0], [0.0, 1.0, 1.0]),
        ([2], [3], [1, 0xFFFFFFFF, 0xFFFFFFFF], [2, 0, 0], [0.0, 1.0, 1.0]),
        ([1], [3], [1, 0xFFFFFFFF, 0xFFFFFFFF], [2, 0, 0], [0.0, float("nan"), 1.0]),
        ([1], [2], [1, 2], [1, 1], [0.0, 0.0]),
    ],
)
def test_trees_that_lead_nowhere_are_refused(wrong: tuple[list[int], ...]) -> None:
    nothing: NDArray[np.uint32] = np.zeros(0, np.uint32)
    with pytest.raises(CorruptFileError):
        _core.PermutationModel(*wrong, 2, nothing, nothing, nothing, nothing)  # type: ignore[arg-type]
