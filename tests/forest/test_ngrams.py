"""Contexts, n-gram counts and the linear BLEU gain agree with counting on strings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demotic.errors import ArgumentError
from demotic.forest import linear_bleu
from tests.forest.toys import Pair, pair, small_pairs
from tests.oracles.forest import linear_gain, ngrams

WEIGHTS = [-1.0, 0.5, 0.75, 1.25, 2.0]
references = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=7).map(tuple), min_size=1, max_size=3
)


@given(small_pairs, st.integers(1, 3))
def test_refining_changes_no_derivation(case: Pair, width: int) -> None:
    refined = case.forest.refine(width)
    assert refined.count() == len(case.trees())
    expected = sorted((case.toy.words(t), round(case.toy.score(t), 9)) for t in case.trees())
    assert sorted((d.tokens, round(d.score, 9)) for d in refined.kbest(1000)) == expected


@given(small_pairs)
def test_refining_twice_splits_nothing_more(case: Pair) -> None:
    once = case.forest.refine(3)
    twice = once.refine(3)
    assert (once.nodes, once.edges) == (twice.nodes, twice.edges)


@given(small_pairs)
def test_expected_ngrams_equal_enumeration(case: Pair) -> None:
    expected: dict[tuple[str, ...], float] = {}
    for tree, p in zip(case.trees(), case.toy.probabilities(), strict=True):
        for gram in ngrams(case.toy.words(tree), 4):
            expected[gram] = expected.get(gram, 0.0) + p
    assert case.forest.refine(3).expected_ngrams(4) == pytest.approx(expected, abs=1e-9)


@given(small_pairs)
def test_ngram_posteriors_equal_enumeration(case: Pair) -> None:
    expected: dict[tuple[str, ...], float] = {}
    for tree, p in zip(case.trees(), case.toy.probabilities(), strict=True):
        for gram in set(ngrams(case.toy.words(tree), 3)):
            expected[gram] = expected.get(gram, 0.0) + p
    refined = case.forest.refine(2)
    assert refined.ngram_posteriors(3) == pytest.approx(expected, abs=1e-9)
    assert refined.ngram_posteriors(3, threads=2) == refined.ngram_posteriors(3)


@given(small_pairs, references)
def test_gain_along_a_derivation_is_the_gain_of_its_string(
    case: Pair, refs: list[tuple[str, ...]]
) -> None:
    refined = case.forest.refine(3)
    gain = refined.bleu_gain(refs, WEIGHTS)
    for derivation in refined.kbest(1000):
        expected = linear_gain(derivation.tokens, refs, WEIGHTS)
        assert derivation.total(gain) == pytest.approx(expected, abs=1e-9)


@given(small_pairs, references)
def test_the_oracle_has_the_largest_gain(case: Pair, refs: list[tuple[str, ...]]) -> None:
    refined = case.forest.refine(3)
    gain = refined.bleu_gain(refs, WEIGHTS)
    oracle = refined.oracle(gain)
    best = max(linear_gain(case.toy.words(tree), refs, WEIGHTS) for tree in case.trees())
    assert oracle.total(gain) == pytest.approx(best, abs=1e-9)
    assert oracle.score == pytest.approx(oracle.total(refined.score))


def test_weights_of_linear_bleu() -> None:
    # The published example: p = 0.75, r = 0.57.
    assert linear_bleu() == pytest.approx((-1, 0.3333, 0.5848, 1.0260, 1.7999), abs=1e-4)
    with pytest.raises(ArgumentError):
        linear_bleu(0.0)


def test_long_ngrams_need_contexts() -> None:
    forest = pair(4).forest
    assert forest.expected_ngrams(1)  # unigrams lie in the rules
    with pytest.raises(ArgumentError, match=r"contexts of 2 words \(refine"):
        forest.expected_ngrams(3)
    with pytest.raises(ArgumentError, match="more than 1 nodes"):
        forest.refine(3, max_nodes=1)
    with pytest.raises(ArgumentError, match="no reference"):
        forest.bleu_gain([], WEIGHTS)
