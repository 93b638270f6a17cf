"""A transducer's search space as a forest: the same translations at the same costs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from demotic.decode import TreeSearch, transduce
from demotic.errors import ArgumentError
from demotic.trees import binarise
from tests.oracles.tree_orders import cheapest
from tests.trees.forests import trees
from tests.trees.test_cell_search import Problem, costs, nested, problems

NAMES = ["<none>", "eins", "zwei", "drei"]


@given(problems())
@settings(max_examples=50, deadline=None)
def test_the_best_of_the_forest_is_the_best_tree(problem: Problem) -> None:
    tree, leaves, keep, swap = problem
    found = transduce(tree, leaves, keep=keep, swap=swap, options=TreeSearch(threshold=0.0))
    least, _ = cheapest(binarise(tree), leaves, costs(keep), costs(swap))
    assert found.cost == pytest.approx(least)
    best = found.forest(NAMES).kbest(5, unique=True)
    assert -best[0].score == pytest.approx(least)
    assert [d.score for d in best] == sorted((d.score for d in best), reverse=True)
    written = {d.tokens: -d.score for d in best}
    own = tuple(NAMES[target] for _, target in found.words)
    assert written.get(own, least) == pytest.approx(least)
    assert len(found.steps) == len(tree.words) - 1


def test_orders_are_those_of_the_steps() -> None:
    tree = nested()
    leaves = [[(k, 0.0)] for k in (1, 2, 3, 0)]
    found = transduce(tree, leaves, keep=[9.0, 9.0, -9.0], swap=[-9.0, -9.0, 9.0])
    assert found.words == ((2, 3), (0, 1), (1, 2))
    assert found.steps[-1][1]
    (best,) = found.forest(NAMES).kbest(1)
    assert best.tokens == ("drei", "eins", "zwei")


@given(trees(5))
@settings(max_examples=30, deadline=None)
def test_one_order_of_attachments_is_among_all(tree) -> None:  # type: ignore[no-untyped-def]
    leaves = [[(1, 0.25), (2, 0.5)] for _ in tree.words]
    one = TreeSearch(right_first=True)
    count = len(binarise(tree, right_first=True).block)
    found = transduce(tree, leaves, keep=[1.0] * count, swap=[0.0] * count, options=one)
    assert [token for token, _ in found.words] == list(range(len(tree.words)))


@pytest.mark.parametrize(
    "wrong", [{"beam": 0}, {"threshold": 2.0}, {"threshold": float("nan")}, {"erased": "x"}]
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ArgumentError):
        TreeSearch(**wrong)  # type: ignore[arg-type]
