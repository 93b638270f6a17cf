"""Scores so large that their sums are infinite: answers, or errors, and never a crash."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from demotic.errors import ArgumentError
from demotic.forest import Forest, ForestBuilder, envelopes

HUGE = 1e308


def chain(*scores: float, ways: int = 1) -> Forest:
    """A chain of nodes, each with several edges of one score."""
    builder = ForestBuilder()
    word, over = builder.add_rule("X", ["a"], ["b"]), builder.add_rule("X", [0], [0])
    tails: list[int] = []
    for score in scores:
        node = builder.add_node("X", 0, 1)
        for _ in range(ways):
            builder.add_edge(node, tails, over if tails else word, score=score)
        tails = [node]
    return builder.finalize(tails[0])


def torn(ways: int = 40) -> Forest:
    """Two nodes that sum to infinity, one up and one down, side by side under many edges."""
    builder = ForestBuilder()
    word, over = builder.add_rule("X", ["a"], ["b"]), builder.add_rule("X", [0], [0])
    both = builder.add_rule("S", [0, 1], [0, 1])
    tops = []
    for score in (HUGE, -HUGE):
        node = builder.add_node("X", 0, 1)
        builder.add_edge(node, [], word, score=score)
        for _ in range(2):
            above = builder.add_node("X", 0, 1)
            builder.add_edge(above, [node], over, score=score)
            node = above
        tops.append(node)
    root = builder.add_node("S", 0, 2)
    for way in range(ways):
        builder.add_edge(root, tops if way % 3 else tops[:1], both if way % 3 else over, score=way)
    return builder.finalize(root)


FORESTS = {
    "down": chain(-HUGE, -HUGE, -HUGE),
    "up": chain(HUGE, HUGE, HUGE),
    "down, several ways": chain(-HUGE, -HUGE, -HUGE, ways=20),
    "torn": torn(),
}


@pytest.fixture(params=list(FORESTS))
def forest(request: pytest.FixtureRequest) -> Forest:
    return FORESTS[str(request.param)]


def test_the_best_derivation_is_one(forest: Forest) -> None:
    best = forest.viterbi()
    assert best.tokens in {("b",), ("b", "b")}
    assert math.isinf(best.score)


def test_pruning_leaves_a_derivation(forest: Forest) -> None:
    for pruned in (forest.prune(1.0), forest.prune(0.0), forest.prune(max_edges=1)):
        assert pruned.viterbi().tokens == forest.viterbi().tokens


def test_lists_have_as_many_derivations_as_there_are(forest: Forest) -> None:
    wanted = min(forest.count(), 100)
    assert len({tuple(d.edges) for d in forest.kbest(100)}) == wanted
    assert len(forest.kbest(5, unique=True)) >= 1


def test_other_sums_come_to_an_end(forest: Forest) -> None:
    with np.errstate(all="ignore"):
        for semiring in ("max", "log", "count", "boolean"):
            assert len(forest.inside(semiring)) == len(forest.outside(semiring)) == forest.nodes
        forest.posteriors()
        forest.entropy()
        assert len(forest.sample(10, 1)) == 10
        assert len(forest.expected_ngrams(1)) == 1


def test_lines_of_infinite_sums_come_to_an_end() -> None:
    builder = ForestBuilder(features=["f"])
    node = builder.add_node("X", 0, 1)
    rule = builder.add_rule("X", ["a"], ["b"])
    for value in (3e38, -3e38, 1.0):
        builder.add_edge(node, [], rule, features={"f": value})
    over = builder.add_rule("X", [0, 1], [0, 1])
    for _ in range(3):
        above = builder.add_node("X", 0, 1)
        builder.add_edge(above, [node, node], over, features={"f": 3e38})
        node = above
    [found] = envelopes([builder.finalize(node)], {"f": 5e269}, {"f": -5e269})
    assert len(found) >= 1


def test_a_saved_forest_is_no_worse(forest: Forest, tmp_path: Path) -> None:
    forest.save(tmp_path / "forest")
    assert Forest.load(tmp_path / "forest").viterbi().tokens == forest.viterbi().tokens


@pytest.mark.parametrize("gain", [math.nan, math.inf, -math.inf])
def test_a_gain_that_is_no_number_is_refused(gain: float) -> None:
    forest = chain(1.0, 2.0)
    with pytest.raises(ArgumentError, match="edge 1: its value is not finite"):
        forest.oracle([0.0, gain])
