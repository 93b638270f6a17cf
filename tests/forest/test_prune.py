"""Pruning keeps exactly the edges near the best derivation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import prune
from tests.forest.toys import Pair, pair, pairs

thresholds = st.floats(0, 8)


def kept(case: Pair, threshold: float) -> set[int]:
    pruned = case.forest.prune(threshold)
    return set(Pair(case.toy, pruned).edge_of)


@given(pairs, thresholds)
def test_pruning_keeps_exactly_the_edges_within_the_threshold(case: Pair, threshold: float) -> None:
    merit: dict[int, float] = {}
    for tree in case.trees():
        score = case.toy.score(tree)
        for e in tree.edges():
            merit[e] = max(merit.get(e, -math.inf), score)
    best = max(merit.values())
    sure = {e for e, m in merit.items() if best - m <= threshold - 1e-9}
    possible = {e for e, m in merit.items() if best - m <= threshold + 1e-9}
    assert sure <= kept(case, threshold) <= possible


@given(pairs, thresholds)
def test_the_best_derivation_stays(case: Pair, threshold: float) -> None:
    pruned = Pair(case.toy, case.forest.prune(threshold))
    assert pruned.toy_edges(pruned.forest.viterbi()) == case.toy_edges(case.forest.viterbi())


@given(pairs)
def test_an_infinite_threshold_changes_nothing(case: Pair) -> None:
    assert case.forest.prune(math.inf).to_json() == case.forest.to_json()


@given(pairs, thresholds, thresholds)
def test_pruning_is_monotone(case: Pair, one: float, other: float) -> None:
    assert kept(case, min(one, other)) <= kept(case, max(one, other))


@given(pairs, st.integers(0, 20))
def test_a_budget_of_edges_holds_unless_the_best_derivation_is_larger(
    case: Pair, budget: int
) -> None:
    pruned = case.forest.prune(max_edges=budget)
    needed = len(set(case.forest.viterbi().edges.tolist()))
    assert pruned.edges <= max(budget, case.forest.prune(0.0).edges)
    assert pruned.edges >= needed
    assert pruned.viterbi().score == pytest.approx(case.forest.viterbi().score)
    if budget >= case.forest.edges:
        assert pruned.edges == case.forest.edges


@given(pairs, st.integers(0, 2**32))
def test_keeping_marked_edges_keeps_the_derivations_made_of_them(case: Pair, seed: int) -> None:
    keep = np.random.default_rng(seed).random(case.forest.edges) < 0.7
    marked = {e for e, k in zip(case.edge_of, keep, strict=True) if k}
    expected = {t for t in (tuple(tree.edges()) for tree in case.trees()) if set(t) <= marked}
    if expected:
        part = Pair(case.toy, case.forest.keep(keep))
        assert {part.toy_edges(d) for d in part.forest.kbest(1000)} == expected
    else:
        with pytest.raises(ArgumentError, match="no derivation of the root"):
            case.forest.keep(keep)


def test_nonsense_is_refused() -> None:
    forest = pair(1).forest
    for threshold in (-1.0, math.nan):
        with pytest.raises(ArgumentError, match="must not be negative"):
            forest.prune(threshold)
    with pytest.raises(ArgumentError, match="either a threshold or max_edges"):
        forest.prune()
    with pytest.raises(ArgumentError, match="either a threshold or max_edges"):
        prune([forest], 1.0, max_edges=3)
