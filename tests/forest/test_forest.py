"""The forest as a data structure: building, trimming, views, and what it refuses."""

from __future__ import annotations

import gc
import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demotic.errors import ArgumentError, FormatError
from demotic.forest import Forest, ForestBuilder
from tests.forest.toys import Pair, built, pair, pairs
from tests.oracles.forest import random_toy


def chain(length: int) -> Forest:
    """A glue chain: one derivation, as deep as it is long."""
    builder = ForestBuilder()
    word = builder.add_rule("X", ["w"], ["w"])
    first = builder.add_rule("S", [0], [0])
    glue = builder.add_rule("S", [0, 1], [0, 1])
    top = -1
    for i in range(length):
        x = builder.add_node("X", i, i + 1)
        builder.add_edge(x, [], word, -1.0)
        s = builder.add_node("S", 0, i + 1)
        builder.add_edge(s, [x] if i == 0 else [top, x], first if i == 0 else glue, -0.5)
        top = s
    return builder.finalize(top)


@given(pairs)
def test_every_edge_follows_its_tails_and_is_part_of_a_derivation(case: Pair) -> None:
    forest = case.forest
    used = {e for tree in case.trees() for e in tree.edges()}
    assert sorted(case.edge_of) == sorted(used)
    for edge in range(forest.edges):
        assert all(tail < forest.head[edge] for tail in forest.tails_of(edge))
    assert forest.head[-1] == forest.nodes - 1


@given(st.integers(0, 2**32))
def test_order_of_insertion_does_not_change_the_derivations(seed: int) -> None:
    toy = random_toy(random.Random(seed))
    plain = Pair(toy, built(toy))
    shuffled = Pair(toy, built(toy, random.Random(seed)))
    assert {plain.toy_edges(d) for d in plain.forest.kbest(1000)} == {
        shuffled.toy_edges(d) for d in shuffled.forest.kbest(1000)
    }


@given(st.integers(0, 2**32))
def test_insertion_in_topological_order_is_kept(seed: int) -> None:
    case = pair(seed, shuffled=False)
    assert case.edge_of == sorted(case.edge_of)


@given(pairs)
def test_derivation_agrees_with_the_oracle_on_words_features_loss(case: Pair) -> None:
    by_edges = {tuple(tree.edges()): tree for tree in case.trees()}
    for derivation in case.forest.kbest(20):
        tree = by_edges[case.toy_edges(derivation)]
        assert derivation.tokens == case.toy.words(tree)
        expected = {k: v for k, v in case.toy.features(tree).items() if v}
        assert derivation.features == pytest.approx(expected)
        assert derivation.loss == pytest.approx(case.toy.loss(tree))
        assert derivation.score == pytest.approx(case.toy.score(tree))


def test_edges_of_weight_zero_are_dropped_with_what_needs_them() -> None:
    builder = ForestBuilder()
    a, b, root = (builder.add_node(name, 0, 1) for name in "abS")
    leaf, unary = builder.add_rule("a", [], ["w"]), builder.add_rule("S", [], [0])
    builder.add_edge(a, [], leaf, -math.inf)
    builder.add_edge(b, [], leaf, -1.0)
    builder.add_edge(root, [a], unary)
    builder.add_edge(root, [b], unary)
    forest = builder.finalize(root)
    assert (forest.nodes, forest.edges) == (2, 2)
    assert [forest.labels[i] for i in forest.node_label] == ["b", "S"]


def test_a_cycle_is_refused_and_named() -> None:
    builder = ForestBuilder()
    a, b, root = (builder.add_node(name, 2, 5) for name in ("A", "B", "S"))
    unary = builder.add_rule("A", [0], [0])
    builder.add_edge(a, [], builder.add_rule("A", [], ["w"]))
    builder.add_edge(a, [b], unary)
    builder.add_edge(b, [a], unary)
    builder.add_edge(root, [b], unary)
    with pytest.raises(FormatError, match=r"a cycle: node . \([AB] 2-5\) <- node . \([AB] 2-5\)"):
        builder.finalize(root)


def test_a_node_that_is_its_own_tail_is_a_cycle() -> None:
    builder = ForestBuilder()
    root = builder.add_node("S", 0, 1)
    builder.add_edge(root, [root], builder.add_rule("S", [0], [0]))
    with pytest.raises(FormatError, match=r"node 0 \(S 0-1\) <- node 0"):
        builder.finalize(root)


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        ((0, [], 7, 0.0, 0.0), "edge 1: unknown rule 7"),
        ((0, [0], 0, 0.0, 0.0), "edge 1: 1 tails for a rule with 0 nonterminals"),
        ((0, [], 0, math.nan, 0.0), "edge 1: its score is not a finite number"),
        ((0, [], 0, math.inf, 0.0), "edge 1: its score is not a finite number"),
        ((0, [], 0, 0.0, math.inf), "edge 1: its loss is not a finite number"),
        ((5, [], 0, 0.0, 0.0), "edge 1: there is no node 5"),
        ((0, [], 0, 0.0, 0.0, {"f": math.nan}), "edge 1: the value of feature 'f' is not finite"),
        ((0, [], 0, 0.0, 0.0, {"g": math.inf}), "edge 1: the value of feature 'g' is not finite"),
    ],
)
def test_a_bad_edge_is_refused_by_number(edge: tuple[object, ...], message: str) -> None:
    builder = ForestBuilder(dense=["g"])
    root = builder.add_node("S", 0, 1)
    builder.add_edge(root, [], builder.add_rule("S", [], ["w"]))
    builder.add_edge(*edge)  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=message):
        builder.finalize(root)


@pytest.mark.parametrize("target", [[0, 0], [1], [0, 2]])
def test_a_rule_must_hold_each_nonterminal_once(target: list[str | int]) -> None:
    builder = ForestBuilder()
    root = builder.add_node("S", 0, 1)
    builder.add_rule("S", [], target)
    with pytest.raises(FormatError, match="rule 0: the target side"):
        builder.finalize(root)


def test_a_root_without_derivation_and_a_missing_root_are_refused() -> None:
    builder = ForestBuilder()
    root = builder.add_node("S", 0, 1)
    with pytest.raises(FormatError, match=r"the root, node 0 \(S 0-1\), has no derivation"):
        builder.finalize(root)
    with pytest.raises(FormatError, match="the root is not one of the nodes"):
        builder.finalize(3)
    with pytest.raises(ArgumentError):
        builder.finalize(-1)
    with pytest.raises(FormatError, match="without nodes"):
        ForestBuilder().finalize(0)


def test_views_are_read_only_and_keep_the_forest_alive() -> None:
    forest = chain(50)
    score = forest.score
    before = score.copy()
    with pytest.raises(ValueError, match="read-only"):
        score[0] = 1.0
    del forest
    gc.collect()
    assert np.array_equal(score, before)


def test_views_are_not_copies() -> None:
    forest = chain(5)
    assert np.shares_memory(np.asarray(forest.core.tails), np.asarray(forest.core.tails))
    rescored = forest.with_score(np.zeros(forest.edges))
    assert np.shares_memory(forest.tails, rescored.tails)


def test_rescoring_multiplies_weights_and_features() -> None:
    case = pair(7)
    weights = {"f": 0.5, "g": -1.0, "h": 2.0, "unknown": 9.0}
    rescored = case.forest.rescore(weights)
    for derivation in rescored.kbest(50):
        expected = sum(weights[name] * value for name, value in derivation.features.items())
        assert derivation.score == pytest.approx(expected)


def test_bad_weights_are_refused_by_name() -> None:
    forest = pair(7).forest
    with pytest.raises(ArgumentError, match="2 weights for 3 features"):
        forest.rescore([1.0, 2.0])
    with pytest.raises(ArgumentError, match="weight of feature 'g' is not finite"):
        forest.rescore({"g": math.nan})
    with pytest.raises(ArgumentError, match="edge 0: its score is not finite"):
        forest.with_score([math.inf] * forest.edges)
    with pytest.raises(ArgumentError, match="one loss per edge"):
        forest.with_loss([1.0] * (forest.edges + 1))


def test_very_deep_forests_need_no_recursion() -> None:
    length = 20_000
    forest = chain(length)
    best = forest.viterbi()
    assert len(best) == 2 * length
    assert best.score == pytest.approx(-1.5 * length)
    assert len(best.tokens) == length
    assert len(forest.kbest(3, unique=True)) == 1
    assert forest.entropy() == 0.0
    assert forest.count() == 1
    assert len(forest.sample(1, seed=1)[0]) == 2 * length


def test_tree_shows_one_edge_to_a_line() -> None:
    assert chain(2).viterbi().tree().splitlines() == [
        "S 0-2  S -> [1] [2] / [1] [2]  -0.500",
        "  S 0-1  S -> [1] / [1]  -0.500",
        "    X 0-1  X -> w / w  -1.000",
        "  X 1-2  X -> w / w  -1.000",
    ]
    assert chain(2).viterbi().source == ("w", "w")


@settings(max_examples=30)
@given(pairs)
def test_exact_count_is_the_number_of_derivations(case: Pair) -> None:
    assert case.forest.count() == len(case.trees())


def test_counts_beyond_floating_point_are_exact_or_infinite() -> None:
    builder = ForestBuilder()
    rules = [builder.add_rule("X", [], [w]) for w in "ab"]
    square = builder.add_rule("X", [], [0, 1])
    node = builder.add_node("X", 0, 1)
    for rule in rules:
        builder.add_edge(node, [], rule)
    for _ in range(12):
        up = builder.add_node("X", 0, 1)
        builder.add_edge(up, [node, node], square)
        node = up
    forest = builder.finalize(node)
    assert forest.count() == 2**4096
    assert forest.inside("count")[-1] == math.inf
