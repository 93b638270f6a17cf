"""Samples follow the posterior and can be drawn again."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from demotic.forest import sample
from tests.forest.toys import Pair, pair


@pytest.mark.parametrize("seed", range(6))
def test_frequencies_are_within_five_sigma_of_the_probabilities(seed: int) -> None:
    case: Pair = pair(seed)
    draws = 8_000
    seen = Counter(case.toy_edges(d) for d in case.forest.sample(draws, seed=seed))
    probability = dict.fromkeys(seen, 0.0)
    for tree, p in zip(case.trees(), case.toy.probabilities(), strict=True):
        probability[tuple(tree.edges())] = p
    for edges, p in probability.items():
        assert p > 0  # only derivations are drawn
        assert abs(seen[edges] - draws * p) <= 5 * math.sqrt(draws * p * (1 - p)) + 1


def test_a_repeated_node_chooses_anew_at_each_occurrence() -> None:
    case = next(
        c
        for c in map(pair, range(1000))
        if any(len(set(t.edges())) < len(t.edges()) for t in c.trees()) and len(c.trees()) > 3
    )
    drawn = {case.toy_edges(d) for d in case.forest.sample(5000, seed=3)}
    likely = [
        tuple(t.edges())
        for t, p in zip(case.trees(), case.toy.probabilities(), strict=True)
        if p > 0.01
    ]
    assert set(likely) <= drawn


def test_same_seed_same_sample_and_streams_differ() -> None:
    forest = next(c.forest for c in map(pair, range(1000)) if len(c.trees()) > 50)

    def draw(seed: int, stream: int) -> list[list[int]]:
        return [d.edges.tolist() for d in forest.sample(50, seed, stream=stream)]

    assert draw(1, 0) == draw(1, 0)
    assert draw(1, 0) != draw(2, 0)
    assert draw(1, 0) != draw(1, 1)
    both = sample([forest, forest], 50, 1)
    assert [d.edges.tolist() for d in both[1]] == draw(1, 1)


def test_the_score_of_a_sample_is_its_own() -> None:
    case = pair(5)
    for d in case.forest.sample(20, seed=0):
        assert d.score == pytest.approx(sum(case.toy.edges[e].score for e in case.toy_edges(d)))
